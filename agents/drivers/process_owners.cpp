#include "agents/drivers/process_owners.h"

#include <fstream>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <fmt/format.h>

#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {

namespace {

constexpr std::size_t name_bytes_max = 64;
constexpr int passwd_lines_max = 100'000;

}  // namespace

void ProcessOwners::describe(std::vector<DeviceProcess>& processes) {
  std::map<std::uint64_t, Owned> described;
  for (DeviceProcess& process : processes) {
    const Owned* known = find_in(processes_, process.pid);
    const Owned& owned =
        described.try_emplace(process.pid, known ? *known : look_up(process.pid)).first->second;
    process.user = owned.user;
    process.name = owned.name;
    process.tenant = owned.user;
  }
  processes_ = std::move(described);
}

ProcessOwners::Owned ProcessOwners::look_up(std::uint64_t process) {
  Owned owned;
  const std::string folder = fmt::format("{}/proc/{}", root_, process);
  struct stat facts {};
  if (stat(folder.c_str(), &facts) == 0) owned.user = user_name(facts.st_uid);
  std::ifstream file(folder + "/comm");
  std::string name(name_bytes_max, '\0');
  file.read(name.data(), static_cast<std::streamsize>(name.size()));
  name.resize(static_cast<std::size_t>(file.gcount()));
  owned.name = printable(trimmed(name));
  return owned;
}

std::string ProcessOwners::user_name(unsigned user) {
  const auto [entry, is_new] = users_.try_emplace(user, std::to_string(user));
  if (!is_new) return entry->second;
  std::ifstream file(root_ + "/etc/passwd");
  std::string line;
  for (int lines = 0; lines < passwd_lines_max && std::getline(file, line); ++lines) {
    const std::vector<std::string> fields = split(line, ':');  // name:password:number:..
    if (fields.size() > 2 && fields[2] == entry->second) {
      entry->second = excerpt(fields[0], name_bytes_max);
      break;
    }
  }
  return entry->second;
}

}  // namespace drover::agents
