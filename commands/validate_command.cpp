// `drover validate`: the device models against published measurements.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "commands/catalogue_files.h"
#include "commands/files.h"
#include "commands/output.h"
#include "commands/validate_run.h"
#include "commands/validation_page.h"
#include "commands/verbs.h"
#include "fleet/text.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

/// The file itself, or the tables of a folder in order of their names.
Result<std::vector<std::string>> tables_under(const std::string& path) {
  std::error_code problem;
  if (!fs::is_directory(path, problem)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().extension() == ".csv") files.push_back(entry->path().string());
  }
  if (problem) return error("{}: {}", printable(path), problem.message());
  std::ranges::sort(files);
  return files;
}

void append(MeasuredRows& rows, MeasuredRows more) {
  std::ranges::move(more.measurements, std::back_inserter(rows.measurements));
  std::ranges::move(more.left_out, std::back_inserter(rows.left_out));
}

/// A folder may hold other tables too: those are named and passed over.
Status add_table(MeasuredRows& rows, const std::string& file, bool named_by_user) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  const Result<CsvTable> table = CsvTable::parse(*text, fs::path(file).filename().string());
  std::optional<MeasuredRows> more = table ? measured_rows(*table) : std::nullopt;
  if (more) {
    append(rows, std::move(*more));
    return {};
  }
  const Error problem =
      table ? error("{}: no table of measurements that is known by its columns", printable(file))
            : table.error();
  if (named_by_user) return problem;
  put_error("drover validate: {}\n", problem.message);
  return {};
}

Result<MeasuredRows> rows_of(const std::vector<std::string>& paths) {
  MeasuredRows rows;
  const Result<CsvTable> own = CsvTable::parse(reference_points(), "reference points");
  if (!own) return own.error();
  append(rows, measured_rows(*own).value_or(MeasuredRows{}));
  for (const std::string& path : paths) {
    const Result<std::vector<std::string>> files = tables_under(path);
    if (!files) return files.error();
    for (const std::string& file : *files) {
      const Status added = add_table(rows, file, file == path);
      if (!added) return added.error();
    }
  }
  return rows;
}

Status write_page(const std::string& path, const ValidationReport& report) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << validation_page(report);
  file.close();
  if (!file) return error("--html {}: cannot be written", printable(path));
  return {};
}

}  // namespace

Usage validate_usage() {
  return {"usage: drover validate [TABLE.csv|FOLDER] [options]",
          "The device models against published measurements: error per class, source and device "
          "beside the goals, worst cases, contradictions between measurements, and what nobody has "
          "measured. Without a table: the figures that the program carries.",
          {{"html", "FILE", "a page with plots, for a browser"},
           {"catalogue", "DIR", "more specs, *.toml"},
           {"json", "", "JSON on stdout"}},
          {"TABLE"},
          "  drover validate\n"
          "  drover validate measurements/ --html report.html\n"
          "  drover validate collective_timings.csv --json"};
}

Outcome run_validate(Arguments& arguments) {
  const auto catalogue = load_catalogue(arguments.text("catalogue"));
  if (!catalogue) return Outcome::failed(catalogue.error());
  std::vector<std::string> paths;
  if (const std::string path = arguments.text("TABLE"); !path.empty()) paths.push_back(path);
  const Result<MeasuredRows> rows = rows_of(paths);
  if (!rows) return Outcome::failed(rows.error());
  const ValidationReport report = validate(*rows, *catalogue);
  if (arguments.has("html")) {
    const Status written = write_page(arguments.text("html"), report);
    if (!written) return Outcome::failed(written.error());
  }
  if (arguments.has("json")) {
    put("{}\n", validation_json(report).dump());
  } else {
    put_text(validation_text(report));
  }
  return Outcome::done();
}

}  // namespace drover::commands
