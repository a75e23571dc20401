#include "commands/estimate/catalogue_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "commands/shell/files.h"
#include "commands/shell/output.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

/// Reports replaced specs: they change every estimate.
template <typename Entries>
void report_replaced(const char* what, const Entries& embedded, const Entries& all) {
  for (const auto& [id, entry] : all) {
    const auto known = embedded.find(id);
    if (known == embedded.end() || known->second.origin == entry.origin) continue;
    write_stderr("drover: {} replaces the built-in {} {}\n", printable(entry.origin), what, id);
  }
}

}  // namespace

Result<devices::Catalogue> load_catalogue(const std::string& folder) {
  devices::Catalogue catalogue = devices::Catalogue::embedded();
  if (folder.empty()) return catalogue;
  std::error_code problem;
  std::vector<std::string> paths;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().extension() == ".toml") paths.push_back(entry->path().string());
  }
  if (problem)
    return error(ErrorKind::io, "--catalogue {}: {}", printable(folder), problem.message());
  if (paths.empty()) {
    return error("--catalogue {}: has no *.toml, expected device or model specs",
                 printable(folder));
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    DROVER_ASSIGN(const auto text, read_file(path));
    DROVER_TRY(catalogue.add(text, path));
  }
  const devices::Catalogue& embedded = devices::Catalogue::embedded();
  report_replaced("device", embedded.devices(), catalogue.devices());
  report_replaced("model", embedded.models(), catalogue.models());
  return catalogue;
}

Option setting_option() {
  Option set{"set", "ID.SECTION.KEY=VALUE", "change a number of a device or a generation"};
  set.repeatable = true;
  return set;
}

Status apply_settings(devices::Catalogue& catalogue, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return error("--set: found \"{}\", expected ID.SECTION.KEY=VALUE", excerpt(setting));
    }
    DROVER_ASSIGN(const auto value, parse_number(setting.substr(equals + 1), "--set"));
    const Status changed = catalogue.set(setting.substr(0, equals), value);
    if (!changed) return error("--set: {}", changed.error().message);
  }
  return {};
}

}  // namespace drover::commands
