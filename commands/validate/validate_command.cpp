// `drover validate`: checks the device models against published measurements.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "commands/estimate/catalogue_files.h"
#include "commands/shell/files.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "commands/validate/validate_run.h"
#include "commands/validate/validate_tables.h"
#include "commands/validate/validation_page.h"
#include "commands/validate/validation_report.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

/// The file itself, or the tables of a folder, sorted by name.
Result<std::vector<std::string>> tables_under(const std::string& path) {
  std::error_code problem;
  if (!fs::is_directory(path, problem)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(path, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().extension() == ".csv") files.push_back(entry->path().string());
  }
  if (problem) return error(ErrorKind::io, "{}: {}", printable(path), problem.message());
  std::ranges::sort(files);
  return files;
}

Result<std::optional<MeasuredRows>> read_table(const std::string& file,
                                               const devices::Catalogue& catalogue) {
  DROVER_ASSIGN(const auto text, read_file(file));
  DROVER_ASSIGN(const auto table, CsvTable::parse(text, fs::path(file).filename().string()));
  std::optional<MeasuredRows> rows = measured_rows(table);
  if (rows) return rows;
  return logged_rows(table, catalogue);
}

/// The rows read so far, and the files of a folder that have no measurements.
struct CaseRows {
  MeasuredRows rows;
  std::vector<std::string> ignored;
};

/// A file that the user names must be a table of measurements; a folder may have other files too.
Status add_path(CaseRows& reading, const std::string& path, const devices::Catalogue& catalogue) {
  DROVER_ASSIGN(const auto files, tables_under(path));
  for (const std::string& file : files) {
    Result<std::optional<MeasuredRows>> rows = read_table(file, catalogue);
    if (rows && *rows) {
      append(reading.rows, std::move(**rows));
    } else if (file != path) {
      reading.ignored.push_back(fs::path(file).filename().string());
      if (!rows) write_stderr("drover validate: {}\n", rows.error().message);
    } else if (!rows) {
      return rows.error();
    } else {
      return error("{}: not a table of measurements with known columns", printable(path));
    }
  }
  return {};
}

Result<MeasuredRows> rows_of(const std::string& path, const devices::Catalogue& catalogue) {
  CaseRows reading;
  if (!path.empty()) {
    const Status added = add_path(reading, path, catalogue);
    if (!added) return added.error();
  }
  DROVER_ASSIGN(auto own, reference_rows(catalogue));
  append(reading.rows, without_repeats(std::move(own), reading.rows));
  if (!reading.ignored.empty()) {
    write_stderr("drover validate: ignored files without measurements: {}\n",
                 printable(joined(reading.ignored, ", ")));
  }
  return std::move(reading.rows);
}

/// Writes the output of an option, if it is given.
Status write_output(const Arguments& arguments, const std::string& option,
                    std::string (*text)(const ValidationReport&), const ValidationReport& report) {
  if (!arguments.has(option)) return {};
  const std::string path = arguments.text(option);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text(report);
  file.close();
  if (!file) return error(ErrorKind::io, "--{} {}: cannot be written", option, printable(path));
  return {};
}

}  // namespace

CommandUsage validate_usage() {
  return {"usage: drover validate [TABLE.csv|FOLDER] [options]",
          "Checks the device models against published measurements: errors per class, source and "
          "device with the goals, worst cases, contradictions between measurements, and what has "
          "not been measured. Without a table it uses only the figures built into the program.",
          {{"html", "FILE", "write a page with plots for a browser"},
           {"rows", "FILE", "write every case with its measured and predicted value as CSV"},
           {"catalogue", "DIR", "more devices and models: a folder of *.toml specs"},
           setting_option(),
           {"json", "", "JSON on stdout"}},
          {"TABLE"},
          "  drover validate\n"
          "  drover validate measurements/ --html report.html\n"
          "  drover validate collective_timings.csv --json"};
}

CommandOutcome run_validate(Arguments& arguments) {
  DROVER_ASSIGN(auto catalogue, load_catalogue(arguments.text("catalogue")));
  DROVER_TRY(apply_settings(catalogue, arguments.text_list("set")));
  DROVER_ASSIGN(const auto rows, rows_of(arguments.text("TABLE"), catalogue));
  const ValidationReport report = validate(rows, catalogue);
  for (const auto& [option, text] :
       {std::pair("html", &validation_page), std::pair("rows", &validation_rows)}) {
    const Status written = write_output(arguments, option, text, report);
    if (!written) return written.error();
  }
  write_stdout_text(arguments.has("json") ? validation_json(report).dump() + "\n"
                                          : validation_text(report));
  return CommandOutcome::done();
}

}  // namespace drover::commands
