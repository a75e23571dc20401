// How the fake of NVML answers a call: handles, refusals, and values read under its lock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/agents/drivers/fake_nvml.h"

namespace drover::agents::fake_nvml {

using namespace nvml;

inline FakeNvml state;

// A handle is the number of a board plus one; of a partition, also its row plus one in thousands.
inline std::uintptr_t number_of(Device device) { return reinterpret_cast<std::uintptr_t>(device); }
inline Device handle_of(std::uintptr_t number) { return reinterpret_cast<Device>(number); }

/// The board of a handle. REQUIRES the lock.
inline FakeBoard* board_of(Device device) {
  const std::size_t index = number_of(device) % 1000 - 1;
  return index < state.boards.size() ? &state.boards[index] : nullptr;
}
inline FakePartition* partition_of(Device device) {
  FakeBoard* board = board_of(device);
  const std::size_t row = number_of(device) / 1000 - 1;
  return board && row < board->partitions.size() ? &board->partitions[row] : nullptr;
}

/// Begins a call: counts it, takes its time, and tells what it must answer instead of a value.
inline std::optional<Answer> refusal(const char* symbol, Device device = nullptr) {
  std::chrono::microseconds pause{};
  {
    const std::lock_guard lock(state.mutex);
    ++state.calls[symbol];
    pause = state.each_call;
    if (const FakeBoard* board = device ? board_of(device) : nullptr) {
      const auto hang = board->hangs.find(symbol);
      if (hang != board->hangs.end()) pause += hang->second;
    }
  }
  if (pause.count() > 0) std::this_thread::sleep_for(pause);
  const std::lock_guard lock(state.mutex);
  if (state.users == 0) return Answer::uninitialized;
  if (!device) return std::nullopt;
  const FakeBoard* board = board_of(device);
  if (!board) return Answer::gpu_not_found;
  if (board->lost) return Answer::gpu_is_lost;
  const auto answer = board->answers.find(symbol);
  if (answer != board->answers.end()) return static_cast<Answer>(answer->second);
  return std::nullopt;
}

/// A call about a board: `read` gets the board under the lock.
template <typename Read>
Answer about(const char* symbol, Device device, Read read) {
  if (const auto refused = refusal(symbol, device)) return *refused;
  const std::lock_guard lock(state.mutex);
  return read(*board_of(device));
}

template <typename Value, typename Member>
Answer give(const char* symbol, Device device, Value* out, Member member) {
  return about(symbol, device, [&](FakeBoard& board) {
    *out = board.*member;
    return Answer::ok;
  });
}

inline Answer give_text(const std::string& text, char* out, unsigned size) {
  if (size < text.size() + 1) return Answer::insufficient_size;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return Answer::ok;
}

/// As NVML: too little room is an answer of its own, with the room that is needed.
template <typename Row>
Answer give_rows(const std::vector<Row>& rows, Row* out, unsigned* count) {
  const unsigned room = *count;
  *count = static_cast<unsigned>(rows.size());
  if (room < rows.size()) return Answer::insufficient_size;
  std::copy(rows.begin(), rows.end(), out);
  return Answer::ok;
}

}  // namespace drover::agents::fake_nvml
