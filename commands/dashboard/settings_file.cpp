#include "commands/dashboard/settings_file.h"

#include <filesystem>
#include <system_error>

#include "commands/shell/files.h"
#include "fleet/base/text.h"
#include "fleet/text/toml.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

constexpr WallSpan check_every = std::chrono::seconds(1);

}  // namespace

std::string SettingsFile::default_path() {
  const auto folder = user_folder("XDG_CONFIG_HOME", ".config");
  return folder ? (fs::path(*folder) / "top.toml").string() : std::string();
}

bool SettingsFile::exists() const {
  std::error_code unknown;
  return !path_.empty() && fs::exists(path_, unknown);
}

Result<std::set<std::string>> SettingsFile::keys() const {
  if (!exists()) return std::set<std::string>();
  DROVER_ASSIGN(const auto text, read_file(path_, toml_file::bytes_max));
  DROVER_ASSIGN(auto table, toml_file::Table::parse(text, printable(path_)));
  const std::vector<std::string> keys = table.keys();
  return std::set<std::string>(keys.begin(), keys.end());
}

std::optional<SettingsFile::Mark> SettingsFile::mark() const {
  struct stat found {};
  if (path_.empty() || ::stat(path_.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return Mark{found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
              found.st_mtim.tv_nsec};
}

Result<tui::Settings> SettingsFile::read() {
  read_ = mark();  // before reading, so that a change meanwhile is detected
  if (!exists()) return tui::Settings();
  DROVER_ASSIGN(const auto text, read_file(path_, toml_file::bytes_max));
  return tui::read_settings(text, printable(path_));
}

std::optional<Result<tui::Settings>> SettingsFile::read_if_changed(WallTime now) {
  if (now - checked_ < check_every) return {};
  checked_ = now;
  const auto found = mark();
  if (!found || found == read_) return {};
  return read();
}

Status SettingsFile::write(const tui::Settings& settings) {
  return write_text(tui::saved(settings));
}

Status SettingsFile::write_text(const std::string& text) {
  if (path_.empty())
    return error(ErrorKind::not_found, "no settings file to write: name one with --config");
  std::error_code unknown;
  const fs::path resolved = fs::weakly_canonical(path_, unknown);
  const fs::path target = unknown ? fs::path(path_) : resolved;
  DROVER_TRY(make_private_folder(target.parent_path().string()));
  DROVER_TRY(replace_file(target.string(), text, WrittenTo::disk));
  read_ = mark();  // this change need not be read again
  return {};
}

}  // namespace drover::commands
