#include "commands/dashboard/choices_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "commands/shell/clock.h"
#include "commands/shell/file_descriptor.h"
#include "commands/shell/files.h"
#include "fleet/base/text.h"
#include "fleet/text/toml.h"

namespace drover::commands {

namespace fs = std::filesystem;

std::string ChoicesFile::default_path() {
  const auto folder = user_folder("XDG_STATE_HOME", ".local/state");
  return folder ? (fs::path(*folder) / "top.toml").string() : std::string();
}

/// No choices if there is no file.
Result<tui::Choices> ChoicesFile::read_whole() const {
  std::error_code unknown;
  if (!fs::exists(path_, unknown)) return tui::Choices();
  DROVER_ASSIGN(const auto text, read_file(path_, toml_file::bytes_max));
  return tui::read_choices(text, printable(path_));
}

ChoicesFile::Found ChoicesFile::read() {
  if (path_.empty()) return {};
  auto found = read_whole();
  if (found) return {std::move(*found), {}};
  const std::string broken = path_ + ".broken";
  const bool aside = std::rename(path_.c_str(), broken.c_str()) == 0;
  return {{},
          fmt::format("what was chosen before is lost: {}{}", found.error().message,
                      aside ? "; set aside as " + printable(broken) : std::string())};
}

void ChoicesFile::keep(tui::Choices choices) {
  if (!path_.empty()) waiting_ = std::move(choices);
}

std::string ChoicesFile::go_on() {
  if (!waiting_ || failed_) return {};
  const auto written = write(*waiting_);
  if (written && *written == Written::locked) return {};
  if (written) {
    base_ = *std::exchange(waiting_, std::nullopt);
    return {};
  }
  failed_ = true;  // a disk that is full or read-only is told once
  return "what you chose is not kept: " + written.error().message;
}

std::string ChoicesFile::finish(tui::Choices choices) {
  constexpr int tries_max = 20;  // another dashboard holds the lock for about a millisecond
  constexpr std::chrono::milliseconds between_tries{10};
  if (!waiting_ && choices == base_) return {};
  keep(std::move(choices));
  failed_ = false;  // the disk may have room again
  for (int tries = 0; waiting_ && tries < tries_max; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(between_tries);
    if (std::string problem = go_on(); !problem.empty()) return problem;
  }
  if (!waiting_) return {};
  return fmt::format("what you chose is not kept: another dashboard locks {}", printable(path_));
}

Result<ChoicesFile::Written> ChoicesFile::write(const tui::Choices& mine) {
  DROVER_TRY(make_private_folder(fs::path(path_).parent_path().string()));
  const std::string lock_path = path_ + ".lock";
  const FileDescriptor lock(
      ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!lock.is_open()) return file_error(lock_path);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) return Written::locked;
    return file_error(lock_path);
  }
  // Another dashboard sets a broken file aside when it starts; until then nothing is overwritten.
  DROVER_ASSIGN(auto theirs, read_whole());
  const tui::Choices all = tui::merged(theirs, base_, mine, system_now());
  if (all == theirs) return Written::done;
  DROVER_TRY(replace_file(path_, tui::to_toml(all), WrittenTo::system));
  return Written::done;
}

}  // namespace drover::commands
