// A machine whose NVIDIA boards are a fake NVML's, and whose /proc and /etc are a folder's.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

#include "agents/drivers/driver.h"
#include "tests/agents/drivers/fake_nvml.h"

namespace drover::agents {

class FakeMachine {
 public:
  /// `library`: FAKE_NVML or FAKE_OLD_NVML.
  explicit FakeMachine(int boards = 1, const char* library = FAKE_NVML) {
    void* opened = dlopen(library, RTLD_NOW);
    if (!opened) throw std::runtime_error(dlerror());
    const auto find = reinterpret_cast<FakeNvml* (*)()>(dlsym(opened, "fake_nvml_state"));
    state_ = find();
    const std::lock_guard lock(state_->mutex);
    state_->boards.assign(static_cast<std::size_t>(boards), {});
    for (int index = 0; index < boards; ++index) {
      FakeBoard& board = state_->boards[static_cast<std::size_t>(index)];
      board.uuid = "GPU-" + std::to_string(index);
      board.bus = static_cast<unsigned>(0x3b + index);
    }
    state_->driver = "580.105.08";
    state_->initialize_answer = 0;
    state_->each_call = {};
    state_->calls.clear();
    folder_ =
        std::filesystem::temp_directory_path() / ("drover-drivers-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "etc");
    std::ofstream(folder_ / "etc/passwd") << "root:x:0:0::/root:/bin/sh\n";
    places.root = folder_.string();
    places.nvml_library = library;
  }
  ~FakeMachine() { std::filesystem::remove_all(folder_); }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  /// Changes the state of the library under its lock.
  template <typename Change>
  void set(Change change) {
    const std::lock_guard lock(state_->mutex);
    change(*state_);
  }
  template <typename Change>
  void set_board(Change change) {
    set([&](FakeNvml& state) { change(state.boards.front()); });
  }
  int calls(const std::string& symbol) {
    const std::lock_guard lock(state_->mutex);
    return state_->calls[symbol];
  }
  int users() {
    const std::lock_guard lock(state_->mutex);
    return state_->users;
  }
  /// Waits for the threads that still ask for paths.
  void wait_until_unused() {
    while (users() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  /// A process in /proc, owned by the user who runs the test.
  void add_process(unsigned pid, const std::string& command) {
    const auto folder = folder_ / "proc" / std::to_string(pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "comm") << command << '\n';
  }
  void add_user(unsigned number, const std::string& name) {
    std::ofstream(folder_ / "etc/passwd", std::ios::app)
        << name << ":x:" << number << ":100::/home:/bin/sh\n";
  }

  DriverPlaces places;

 private:
  FakeNvml* state_ = nullptr;
  std::filesystem::path folder_;
};

/// Reads the device until it has been told what is between it and other boards.
inline Board board_with_paths(DriverDevice& device, double now_s) {
  for (int tries = 0; tries < 1000; ++tries) {
    Board board = device.read(now_s + tries * 1e-3).board;
    if (!board.paths.empty()) return board;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  throw std::runtime_error("expected paths");
}

}  // namespace drover::agents
