#include "commands/dashboard/user_effects.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "commands/query/table_output.h"
#include "commands/shell/file_descriptor.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

/// The file with its folder, so that the user finds it.
std::string whole_path(const std::string& file) {
  std::error_code problem;
  const std::filesystem::path path = std::filesystem::absolute(file, problem);
  return printable(problem ? file : path.string());
}

void copy_rows(const tui::TableRows& rows, tui::Dashboard& core, tui::Terminal& terminal) {
  const std::string text =
      printable((rows.rows.size() == 1 ? row_to_json(rows, 0) : commands::to_json(rows)).dump());
  if (text.size() > tui::copy_bytes_max) {
    return core.say(fmt::format("nothing was copied: found {} bytes of JSON, expected at most {}",
                                text.size(), tui::copy_bytes_max));
  }
  terminal.copy(text);
}

}  // namespace

Status export_csv(const tui::TableRows& table, const std::string& file) {
  constexpr mode_t readable_to_all = 0644;
  const FileDescriptor created(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_to_all));
  if (!created.is_open()) {
    if (errno != EEXIST) return file_error(whole_path(file));
    return error("{} already exists: :export FILE takes another name", whole_path(file));
  }
  if (write_all(created.get(), to_spreadsheet_csv(table))) return {};
  const Status failed = file_error(whole_path(file));
  ::unlink(file.c_str());  // a part of a table is of no use
  return failed;
}

void perform_for_user(const tui::Effect& effect, tui::Dashboard& core, tui::Terminal& terminal) {
  std::visit(Overloaded{[&](const tui::CopyText& copy) { terminal.copy(copy.text); },
                        [&](const tui::CopyRows& copy) { copy_rows(copy.rows, core, terminal); },
                        [&](const tui::ExportTable& table) {
                          const Status written = export_csv(table.rows, table.file);
                          core.say(written ? fmt::format("exported {} to {}",
                                                         counted(table.rows.rows.size(), "row"),
                                                         whole_path(table.file))
                                           : written.error().message);
                        },
                        [](const auto&) {}},
             effect);
}

}  // namespace drover::commands
