#include "commands/submit/trace_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "commands/shell/files.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

/// One byte more than the longest valid line, so that a line that is cut here is still too long.
constexpr std::size_t buffer_bytes = trace_line_bytes_max + 2;

/// Identifies a trace by its file name, without the folder. Rows of different traces get different
/// ids, and the same trace submitted again is recognised.
std::string trace_name(const std::string& file) {
  return "trace " + std::filesystem::path(file).filename().string();
}

/// Reported for each row, so it does not list all known models.
Error unknown_model(std::string_view name, const devices::Catalogue& catalogue) {
  std::vector<std::string> known;
  for (const auto& [id, entry] : catalogue.models()) known.push_back(id);
  if (!nearest(name, known).empty()) {
    return error("unknown model \"{}\"{}", excerpt(name), suggestion(name, known));
  }
  return error(
      "unknown model \"{}\", expected one that `drover catalogue models` lists; --model "
      "replaces the models of all rows",
      excerpt(name));
}

FindName model_finder(devices::SpecNameResolver& names, const devices::Catalogue& catalogue) {
  return [&names, &catalogue](std::string_view name) -> Result<std::string> {
    const auto model = names.model(name);
    if (!model) return unknown_model(name, catalogue);
    return (*model)->id;
  };
}

FindName device_finder(devices::SpecNameResolver& names) {
  return [&names](std::string_view name) -> Result<std::string> {
    DROVER_ASSIGN(const auto device, names.device(name));
    return device.spec->id;
  };
}

/// Reads --measured-on and --throughputs.
Status read_measurements(const TraceOptions& options, devices::SpecNameResolver& names,
                         TraceReaderOptions& reading) {
  if (!options.measured_on.empty()) {
    Result<std::string> device = device_finder(names)(options.measured_on);
    if (!device) return error("--measured-on: {}", device.error().message);
    reading.measured_on = *std::move(device);
  }
  if (options.throughputs.empty()) return {};
  const Result<std::string> text = read_file(options.throughputs);
  if (!text) return error(text.error().kind, "--throughputs {}", text.error().message);
  DROVER_ASSIGN(reading.throughputs,
                Throughputs::parse(*text, printable(options.throughputs), device_finder(names)));
  return {};
}

}  // namespace

Result<std::unique_ptr<TraceSource>> TraceSource::open(
    const TraceOptions& options, const devices::Catalogue& catalogue,
    std::function<void(const std::string&)> report) {
  DROVER_ASSIGN(auto reading, trace_reading(options));
  std::unique_ptr<devices::SpecNameResolver> names;
  // The resolver reads all specs, so it is made only if needed.
  if (names_models(reading)) {
    names = std::make_unique<devices::SpecNameResolver>(catalogue);
    reading.find_model = model_finder(*names, catalogue);
    const Status read = read_measurements(options, *names, reading);
    if (!read) return read.error();
  }
  std::error_code problem;
  if (std::filesystem::is_directory(options.file, problem)) {
    return error("--trace {}: is a folder, expected a file", printable(options.file));
  }
  std::ifstream file(options.file, std::ios::binary);
  if (!file)
    return error(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io, "--trace {}: {}",
                 printable(options.file), std::strerror(errno));
  TraceReader reader(std::move(reading),
                     RandomStream(options.seed).child(trace_name(options.file)));
  std::unique_ptr<TraceSource> source(new TraceSource(
      options.load, std::move(names), std::move(reader), std::move(file), std::move(report)));
  DROVER_TRY(source->read_header());
  return source;
}

TraceSource::TraceSource(double load, std::unique_ptr<devices::SpecNameResolver> names,
                         TraceReader reader, std::ifstream file,
                         std::function<void(const std::string&)> report)
    : load_(load),
      names_(std::move(names)),
      reader_(std::move(reader)),
      file_(std::move(file)),
      report_(std::move(report)),
      buffer_(buffer_bytes) {}

std::optional<std::string> TraceSource::line() {
  file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const std::streamsize count = file_.gcount();
  if (count == 0 && !file_) return std::nullopt;
  // gcount() includes the line end, which is not stored. The text may contain NUL bytes.
  const bool ended = file_.good();
  std::string text(buffer_.data(), static_cast<std::size_t>(count - (ended ? 1 : 0)));
  if (file_.fail() && !file_.eof()) {
    file_.clear();
    file_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return text;
}

/// Without a header that names the columns, no row can be read.
Status TraceSource::read_header() {
  while (!reader_.headed()) {
    const auto text = line();
    if (!text) return {};
    DROVER_TRY(reader_.read_line(*text));
  }
  return {};
}

void TraceSource::skip(const Error& problem) {
  ++skipped_;
  if (skipped_ <= bad_rows_reported_max) report_(problem.message);
  if (skipped_ == bad_rows_reported_max + 1) report_("further bad rows are only counted");
}

std::optional<Arrival> TraceSource::next() {
  while (const auto text = line()) {
    auto row = reader_.read_line(*text);
    if (!row) skip(row.error());
    for (const std::string& remark : reader_.take_remarks()) report_(remark);
    if (!row || !*row) continue;
    ++rows_;
    // Rows that are out of order arrive at once, because time does not go back.
    latest_ = std::max(latest_, from_seconds(to_seconds((*row)->arrival) / load_));
    return Arrival{latest_, std::move((*row)->job)};
  }
  if (const Status whole = reader_.finish(); !whole) skip(whole.error());
  return std::nullopt;
}

std::string all_bad_text(std::uint64_t rows) {
  return rows == 1 ? "its only row is bad" : fmt::format("all {} rows are bad", rows);
}

}  // namespace drover::commands
