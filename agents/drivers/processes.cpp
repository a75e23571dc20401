#include "agents/drivers/processes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <string_view>

#include "agents/drivers/sysfs.h"
#include "fleet/base/mutex.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr double look_every_s = 10;
// Files in /dev that drivers of the kernel serve.
constexpr std::array<std::string_view, 4> device_file_paths = {"/dev/dri/", "/dev/kfd",
                                                               "/dev/accel", "/dev/vfio/"};

bool is_device_file(const std::string& target) {
  return std::ranges::any_of(device_file_paths,
                             [&](std::string_view start) { return target.starts_with(start); });
}

std::string link_of(const OpenFile& file) { return file.folder + "/fd/" + file.number; }

/// A container has a PID namespace of its own, and sees no others. The number of the first one is
/// PROC_PID_INIT_INO in Linux, include/linux/proc_ns.h.
bool is_in_container(const std::string& root) {
  const std::string space = link_target(root + "/proc/self/ns/pid");
  return !space.empty() && space != "pid:[4026531836]";
}

/// All processes with device files. A machine has thousands of processes, and several devices whose
/// threads ask for them: one look serves all.
class ProcessList {
 public:
  struct Look {
    double at_s = 0;
    bool some_hidden = false;
    std::vector<OpenFile> files;  // in the order of pids
  };

  Look look(const std::string& root, double now_s) {
    const MutexLock lock(mutex_);
    const auto [known, is_new] = looks_.try_emplace(root);
    Look& look = known->second;
    const double age_s = now_s - look.at_s;
    if (is_new || age_s < 0 || age_s >= look_every_s) {
      look = Look{now_s, is_in_container(root), {}};
      const std::string processes = root + "/proc/";
      for (const std::string& pid : folder_names(processes)) {
        if (is_digit(pid[0])) add_process(processes + pid, pid, look);
      }
    }
    return look;
  }

 private:
  static void add_process(const std::string& folder, const std::string& pid, Look& look) {
    const int code = for_each_name(folder + "/fd", [&](const char* number) {
      OpenFile file{0, folder, number, link_target(folder + "/fd/" + number)};
      if (!is_device_file(file.target)) return;
      std::from_chars(pid.data(), pid.data() + pid.size(), file.pid);
      look.files.push_back(std::move(file));
    });
    if (code == EACCES || code == EPERM) look.some_hidden = true;
  }

  Mutex mutex_;
  std::map<std::string, Look> looks_ DROVER_GUARDED_BY(mutex_);  // by root
};

ProcessList& process_list() {
  // Never destroyed: a thread that hangs in a driver may outlive main().
  static auto* const list = new ProcessList;
  return *list;
}

}  // namespace

const std::vector<OpenFile>& OpenFiles::find(double now_s) {
  if (now_s >= next_look_s_) {
    ProcessList::Look look = process_list().look(root_, now_s);
    next_look_s_ = look.at_s + look_every_s;
    some_hidden_ = look.some_hidden;
    files_ = std::move(look.files);
    std::erase_if(files_, [&](const OpenFile& file) { return !contains(targets_, file.target); });
  }
  std::erase_if(files_,
                [](const OpenFile& file) { return link_target(link_of(file)) != file.target; });
  return files_;
}

}  // namespace drover::agents
