#include "commands/shell/user_name.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

namespace drover::commands {

std::string user_name(const std::string& otherwise) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> texts{};
  const int failed = getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found);
  const bool named = failed == 0 && found != nullptr && entry.pw_name[0] != '\0';
  return named ? entry.pw_name : otherwise;
}

}  // namespace drover::commands
