#include "agents/drivers/processes.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "agents/drivers/sysfs.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr double look_every_s = 10;

}  // namespace

void OpenFiles::find_in_process(const std::string& pid, std::vector<OpenFile>& found) {
  const std::string folder = root_ + "/proc/" + pid;
  const int code = for_each_name(folder + "/fd", [&](const char* number) {
    std::string target = link_target(folder + "/fd/" + number);
    if (!contains(targets_, target)) return;
    OpenFile file{0, folder, number, std::move(target)};
    std::from_chars(pid.data(), pid.data() + pid.size(), file.pid);
    found.push_back(std::move(file));
  });
  if (code == EACCES || code == EPERM) some_hidden_ = true;
}

std::vector<OpenFile> OpenFiles::find(double now_s) {
  std::vector<OpenFile> found;
  if (looked_ && now_s < next_look_s_) {
    for (const std::string& pid : pids_) find_in_process(pid, found);
    return found;
  }
  looked_ = true;
  next_look_s_ = now_s + look_every_s;
  some_hidden_ = false;
  for (const std::string& pid : folder_names(root_ + "/proc")) {
    if (is_digit(pid[0])) find_in_process(pid, found);
  }
  pids_.clear();
  for (const OpenFile& file : found) {
    const std::string pid = std::to_string(file.pid);
    if (!contains(pids_, pid)) pids_.push_back(pid);
  }
  return found;
}

void set_processes(Board& board, std::vector<DeviceProcess> processes, bool complete) {
  std::stable_sort(processes.begin(), processes.end(), [](auto& a, auto& b) {
    return a.memory_bytes.value_or(0) > b.memory_bytes.value_or(0);
  });
  const std::size_t kept = std::min(processes.size(), device_processes_max);
  board.processes_left_out = static_cast<std::uint32_t>(processes.size() - kept);
  processes.resize(kept);
  board.processes = std::move(processes);
  board.processes_known = complete;
}

}  // namespace drover::agents
