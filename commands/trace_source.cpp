#include "commands/trace_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "fleet/text.h"

namespace drover::commands {

namespace {

/// Longer lines are cut, and then do not parse: no trace has such rows.
constexpr std::size_t line_bytes_max = 64 * 1024;

/// Two traces are told apart by the names of their files, wherever these lie: their rows get ids of
/// their own, and the same trace fed again is recognised.
std::string trace_name(const std::string& file) {
  return "trace " + std::filesystem::path(file).filename().string();
}

}  // namespace

Result<std::unique_ptr<TraceSource>> TraceSource::open(
    const TraceOptions& options, std::function<void(const std::string&)> tell) {
  const auto format = parse_trace_format(options.format);
  if (!format) return format.error();
  std::error_code problem;
  if (std::filesystem::is_directory(options.file, problem)) {
    return error("--trace {}: is a folder, expected a file", printable(options.file));
  }
  std::ifstream file(options.file, std::ios::binary);
  if (!file) return error("--trace {}: {}", printable(options.file), std::strerror(errno));
  TraceReader reader(*format, printable(options.file), options.model,
                     Dice(options.seed).child(trace_name(options.file)));
  std::unique_ptr<TraceSource> source(
      new TraceSource(options, std::move(reader), std::move(file), std::move(tell)));
  if (const Status headed = source->read_header(); !headed) return headed.error();
  return source;
}

TraceSource::TraceSource(const TraceOptions& options, TraceReader reader, std::ifstream file,
                         std::function<void(const std::string&)> tell)
    : load_(options.load),
      reader_(std::move(reader)),
      file_(std::move(file)),
      tell_(std::move(tell)),
      buffer_(line_bytes_max) {}

std::optional<std::string> TraceSource::line() {
  file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const std::streamsize count = file_.gcount();
  if (count == 0 && !file_) return std::nullopt;
  std::string text(buffer_.data());
  if (file_.fail() && !file_.eof()) {
    file_.clear();
    file_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return text;
}

/// Without a header that names the columns there are no rows, good or bad.
Status TraceSource::read_header() {
  while (!reader_.headed()) {
    const auto text = line();
    if (!text) return {};
    if (const auto row = reader_.read_line(*text); !row) return row.error();
  }
  return {};
}

std::optional<Arrival> TraceSource::next() {
  while (const auto text = line()) {
    auto row = reader_.read_line(*text);
    if (!row) {
      ++skipped_;
      if (skipped_ <= bad_rows_told_max) tell_(row.error().message);
      if (skipped_ == bad_rows_told_max + 1) tell_("more bad rows are only counted from here on");
      continue;
    }
    if (!*row) continue;
    ++rows_;
    // Rows that are out of order go at once: time does not run back.
    latest_ = std::max(latest_, from_seconds(to_seconds((*row)->arrival) / load_));
    return Arrival{latest_, std::move((*row)->job)};
  }
  return std::nullopt;
}

}  // namespace drover::commands
