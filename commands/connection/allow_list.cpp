#include "commands/connection/allow_list.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <map>
#include <utility>

#include <fmt/format.h>

#include "commands/connection/key_files.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr const char* key_ending = ".pub";

/// Adds the key in the file to the list, or the problem with it.
void add_key(const std::string& name, const std::string& path, const std::string& text,
             std::map<std::string, std::string>& seen, AllowList& list) {
  const auto key = parse_public_key(text, path);
  if (!key) {
    list.problems.push_back(key.error().message);
  } else if (key->name != name || key->role == KeyRole::router) {
    list.problems.push_back(
        fmt::format("{}: found key {} with role {}, expected a key with the name of the file and "
                    "a role other than router",
                    printable(path), key->name, to_text(key->role)));
  } else if (const auto [known, fresh] = seen.emplace(key->key, name); !fresh) {
    list.problems.push_back(
        fmt::format("{}: the same key as {}.pub", printable(path), known->second));
  } else {
    list.keys.push_back(*key);
  }
}

}  // namespace

Result<AllowList> read_allow_list(const std::string& folder) {
  DROVER_ASSIGN(const auto opened, open_allow_folder(folder));
  AllowList list;
  list.unsafe = opened.unsafe;
  if (!list.unsafe.empty()) return list;
  DROVER_ASSIGN(const auto names, names_in(opened, key_ending));
  std::map<std::string, std::string> seen;  // names by key
  for (const std::string& name : names) {
    const std::string file = name + key_ending;
    AllowText read = read_allow_text(opened, file);
    switch (read.state) {
      case AllowText::State::absent:
        break;  // revoked just now
      case AllowText::State::unreadable:
        return error(ErrorKind::io, "{}", read.text);
      case AllowText::State::bad:
        list.problems.push_back(std::move(read.text));
        break;
      case AllowText::State::good:
        add_key(name, opened.path + "/" + file, read.text, seen, list);
    }
  }
  return list;
}

Result<std::string> allow_list_state(const std::string& folder) {
  DROVER_ASSIGN(const auto opened, open_allow_folder(folder));
  DROVER_ASSIGN(const auto names, names_in(opened, key_ending));
  std::string state = opened.marks;
  for (const std::string& name : names) {
    struct stat found {};
    if (fstatat(opened.files.get(), (name + key_ending).c_str(), &found, 0) != 0) continue;
    // The ctime also changes with the owner or mode, and cannot be set back.
    state += fmt::format("{} {} {}.{} {}\n", name, found.st_ino, found.st_ctim.tv_sec,
                         found.st_ctim.tv_nsec, found.st_size);
  }
  return state;
}

}  // namespace drover::commands
