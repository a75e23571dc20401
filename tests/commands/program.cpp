#include "tests/commands/program.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace drover::commands {

namespace {

bool can_bind(std::uint16_t port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return bound;
}

/// True when no other test holds this port; it is held until this process ends. Between the probe
/// of a port and the router that listens on it, another test's probe would take it.
bool hold(std::uint16_t port) {
  const std::string path = fmt::format("/tmp/drover-test-port-{}", port);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return true;
  close(file);
  return false;
}

}  // namespace

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

DroverProcess::DroverProcess(const char* binary, const std::vector<std::string>& words) {
  // A router without --ledger has the user's own, which another test's router would hold.
  static const TestFolder state;
  std::vector<std::string> all = {std::filesystem::path(binary).filename()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string out_path = folder_.file("out");
  const std::string err_path = folder_.file("err");
  pid_ = fork();
  if (pid_ != 0) return;
  unsetenv("DROVER_CONNECT");
  unsetenv("DROVER_KEYS");
  setenv("XDG_STATE_HOME", state.path().c_str(), 0);
  // What a killed demo leaves lying goes away with this test's own folder.
  setenv("TMPDIR", folder_.path().c_str(), 1);
  const int nothing = open("/dev/null", O_RDONLY);
  const int out = open(out_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = open(err_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(nothing, 0);
  dup2(out, 1);
  dup2(err, 2);
  execv(binary, arguments.data());
  _exit(127);
}

DroverProcess::~DroverProcess() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
}

void DroverProcess::signal(int number) const {
  if (!ended_) kill(pid_, number);
}

bool DroverProcess::says(const std::string& text, std::chrono::seconds patience) {
  const auto said = [&] {
    return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
  };
  eventually([&] { return said() || ends(std::chrono::seconds(0)); }, patience);
  return said();
}

bool DroverProcess::ends(std::chrono::seconds patience) {
  return eventually(
      [&] {
        if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
        return ended_;
      },
      patience);
}

ProcessResult DroverProcess::wait(std::chrono::seconds patience) {
  const bool ended = ends(patience);
  return {ended && WIFEXITED(status_) ? WEXITSTATUS(status_) : -1, out(), err()};
}

std::string DroverProcess::out() const { return folder_.read("out"); }
std::string DroverProcess::err() const { return folder_.read("err"); }

ProcessResult run_drover(const std::vector<std::string>& words, std::chrono::seconds patience) {
  return DroverProcess(words).wait(patience);
}

ProcessResult run_shell(const std::string& line, std::chrono::seconds patience) {
  // Programs that the line starts find it there too.
  const std::string folder = std::filesystem::path(DROVER_BINARY).parent_path();
  const std::string path = fmt::format("export PATH='{}':\"$PATH\"; ", folder);
  return DroverProcess("/bin/sh", {"-c", path + line}).wait(patience);
}

Json only_object(const std::string& out) {
  if (out.empty() || out.back() != '\n' || out.find('\n') + 1 != out.size()) return {};
  const auto json = Json::parse(out);
  return json && json->is_object() ? *json : Json();
}

std::string shown_user() {
  const passwd* const user = getpwuid(geteuid());
  char host[256] = {};
  (void)gethostname(host, sizeof host - 1);
  return fmt::format("{}@{}", user == nullptr ? "" : user->pw_name, host);
}

std::string free_endpoint() {
  std::random_device kernel;
  for (int attempt = 0; attempt < 100; ++attempt) {
    // Under the ports that the kernel hands out by itself, so that only another test can take them.
    const auto port = static_cast<std::uint16_t>(12'000 + 3 * (kernel() % 6'000));
    if (hold(port) && can_bind(port) && can_bind(port + 1) && can_bind(port + 2)) {
      return fmt::format("tcp://127.0.0.1:{}", port);
    }
  }
  return "tcp://127.0.0.1:0";
}

}  // namespace drover::commands
