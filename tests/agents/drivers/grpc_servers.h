// Servers for tests: a real one of gRPC, in Python, and sockets that behave badly.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace drover::agents {

inline bool has_python_grpc() {
  return std::system("/usr/bin/python3 -c 'import grpc' >/dev/null 2>&1") == 0;
}

#define DROVER_NEEDS_PYTHON_GRPC() \
  if (!has_python_grpc())          \
  GTEST_SKIP() << "python3-grpcio is not installed: apt-get install python3-grpcio"

/// tests/agents/drivers/libtpu_server.py with these words, until the end of this object.
class LibtpuServer {
 public:
  explicit LibtpuServer(std::vector<std::string> words) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    words.insert(words.begin(), {"/usr/bin/python3", std::string(DROVER_SOURCE_DIR) +
                                                         "/tests/agents/drivers/libtpu_server.py"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    FILE* port = fdopen(output[0], "r");
    int number = 0;
    if (std::fscanf(port, "%d", &number) == 1) port_ = static_cast<std::uint16_t>(number);
    std::fclose(port);
  }
  ~LibtpuServer() { stop(); }
  LibtpuServer(const LibtpuServer&) = delete;
  LibtpuServer& operator=(const LibtpuServer&) = delete;

  void stop() {
    if (input_ < 0) return;
    close(input_);
    input_ = -1;
    waitpid(pid_, nullptr, 0);
  }
  std::uint16_t port() const { return port_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  std::uint16_t port_ = 0;
};

/// Listens on a port of this machine. `behave` gets the socket of each client.
class BadServer {
 public:
  explicit BadServer(std::function<void(int)> behave = {}) {
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listening_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listening_, 5);
    getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    if (!behave) return;
    thread_ = std::thread([this, behave = std::move(behave)] {
      while (true) {
        const int client = accept(listening_, nullptr, nullptr);
        if (client < 0) return;
        behave(client);
        close(client);
      }
    });
  }
  ~BadServer() {
    shutdown(listening_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(listening_);
  }
  BadServer(const BadServer&) = delete;
  BadServer& operator=(const BadServer&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// Sends the bytes again and again until the client has closed the connection.
inline void flood(int client, const std::string& bytes) {
  while (send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
  }
}

/// Waits until the client has closed the connection.
inline void say_nothing(int client) {
  std::array<char, 1024> bytes;
  while (recv(client, bytes.data(), bytes.size(), 0) > 0) {
  }
}

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace drover::agents
