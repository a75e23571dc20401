// Who uses a board: its processes, and the partitions that it is divided into.
#include <algorithm>
#include <map>

#include "agents/drivers/nvml/nvidia_device.h"
#include "agents/drivers/processes.h"
#include "fleet/base/text.h"

namespace drover::agents {

namespace {

using nvml::Answer;

constexpr unsigned processes_first = 64;
constexpr unsigned processes_max = 4096;
// The driver takes samples up to once a second.
constexpr std::uint64_t share_window_us = 1'000'000;
constexpr double share_valid_s = 2;
constexpr int tries_max = 4;  // more processes may start between two tries

double bytes_of(const DeviceProcess& process) { return process.memory_bytes.value_or(-1); }

/// "1g.10gb" of "NVIDIA H100 80GB HBM3 MIG 1g.10gb".
std::string profile_of(const char* name) {
  const std::string text = excerpt(name, 96);
  const std::size_t at = text.find("MIG ");
  return at == std::string::npos ? text : text.substr(at + 4);
}

}  // namespace

std::optional<std::vector<nvml::Process>> NvidiaDevice::processes_of(
    Question question, const nvml::Function<nvml::Device, unsigned*, nvml::Process*>& function) {
  if (!questions_.worth_asking(question)) return {};
  std::vector<nvml::Process> processes;
  unsigned room = processes_first;
  for (int left = tries_max; left > 0; --left) {
    processes.resize(room);
    unsigned count = room;
    const Answer answer = function(board_.handle, &count, processes.data());
    if (answer == Answer::insufficient_size) {
      room = std::min(std::max(count, room) + processes_first, processes_max);
      continue;
    }
    if (!questions_.note(question, function.symbol(), answer)) return {};
    processes.resize(std::min(count, room));
    return processes;
  }
  return {};
}

void NvidiaDevice::read_processes(Board& board, double now_s) {
  const auto compute = processes_of(question_compute_processes, library_.compute_processes);
  const auto graphics = processes_of(question_graphics_processes, library_.graphics_processes);
  std::map<std::uint64_t, DeviceProcess> found;
  for (const auto* list : {&compute, &graphics}) {
    if (!*list) continue;
    // A process with both kinds of work is in both lists, with the same memory. In one list it has
    // a row for each partition that it uses.
    std::map<std::uint64_t, DeviceProcess> of_list;
    for (const nvml::Process& row : **list) {
      DeviceProcess& process = of_list[row.pid];
      process.pid = row.pid;
      if (row.memory_bytes != nvml::not_available)
        process.memory_bytes =
            process.memory_bytes.value_or(0) + static_cast<double>(row.memory_bytes);
    }
    for (const auto& [pid, process] : of_list) {
      DeviceProcess& known = found[pid];
      if (known.pid == 0 || bytes_of(process) > bytes_of(known)) known = process;
    }
  }
  std::vector<DeviceProcess> processes;
  for (const auto& [pid, process] : found) processes.push_back(process);
  if (!processes.empty()) read_process_shares(processes, now_s);
  set_processes(board, std::move(processes), compute.has_value());
  owners_.describe(board.processes);
}

// A process that did nothing has no samples. The driver keeps old ones until there are new ones.
void NvidiaDevice::read_process_shares(std::vector<DeviceProcess>& processes, double now_s) {
  if (!questions_.worth_asking(question_process_shares)) return;
  std::vector<nvml::ProcessShare> shares(processes_max / 4);
  auto count = static_cast<unsigned>(shares.size());
  const Answer answer =
      library_.process_shares(board_.handle, shares.data(), &count,
                              shares_taken_us_ - std::min(shares_taken_us_, share_window_us));
  // Nobody has done anything.
  const bool none = answer == Answer::not_found;
  if (!none && !questions_.note(question_process_shares, library_.process_shares.symbol(), answer))
    return;
  shares.resize(none ? 0 : std::min<std::size_t>(count, shares.size()));
  const std::uint64_t taken_us_before = shares_taken_us_;
  std::map<std::uint64_t, nvml::ProcessShare> newest;
  for (const nvml::ProcessShare& share : shares) {
    if (share.taken_us >= newest[share.pid].taken_us && share.gpu <= 100) newest[share.pid] = share;
    shares_taken_us_ = std::max(shares_taken_us_, share.taken_us);
  }
  if (shares_taken_us_ > taken_us_before) shares_came_s_ = now_s;
  if (now_s - shares_came_s_ > share_valid_s) newest.clear();
  for (DeviceProcess& process : processes) process.share = newest[process.pid].gpu / 100.0;
}

void NvidiaDevice::read_partitions(Board& board) {
  unsigned now = 0;
  unsigned after_reset = 0;
  const bool partitioned =
      questions_.ask(question_mig_mode, library_.mig_mode, board_.handle, &now, &after_reset) &&
      now == 1;
  // A board with partitions supports other metrics than one without.
  if (std::exchange(partitioned_, partitioned) != partitioned) questions_.forget();
  unsigned count = 0;
  if (!partitioned || library_.mig_count_max(board_.handle, &count) != Answer::ok) return;
  for (unsigned row = 0; row < std::min<unsigned>(count, device_partitions_max); ++row) {
    nvml::Device handle = nullptr;
    if (library_.mig_device(board_.handle, row, &handle) != Answer::ok) continue;
    DevicePartition partition;
    unsigned number = row;
    if (library_.gpu_instance(handle, &number) == Answer::ok) partition.number = number;
    char text[96] = {};
    if (library_.name(handle, text, sizeof text - 1) == Answer::ok)
      partition.profile = profile_of(text);
    char uuid[96] = {};
    if (library_.uuid(handle, uuid, sizeof uuid - 1) == Answer::ok)
      partition.uuid = excerpt(uuid, sizeof uuid);
    nvml::Memory memory{};
    if (library_.memory(handle, &memory) == Answer::ok) {
      partition.memory_used_bytes = static_cast<double>(memory.used);
      partition.memory_total_bytes = static_cast<double>(memory.total);
    }
    board.partitions.push_back(std::move(partition));
  }
}

}  // namespace drover::agents
