#include "fleet/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "fleet/text.h"

namespace drover {
namespace {

// No trace met has rows of more than 100 bytes or prompts of more than 200,000 tokens.
constexpr std::size_t line_bytes_max = 4096;
constexpr std::uint32_t tokens_max = 1'000'000;
constexpr std::int8_t request_priority = 10;

constexpr std::string_view timestamp_column = "TIMESTAMP";
constexpr std::string_view input_column = "ContextTokens";
constexpr std::string_view output_column = "GeneratedTokens";
constexpr std::array azure_columns{timestamp_column, input_column, output_column};

constexpr std::array<std::string_view, 1> format_names{"azure"};

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", excerpt(text)); }

// The fields of one row of CSV whose values hold neither commas nor quotes of their own.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields = split(line, ',');
  for (std::string& field : fields) {
    std::string_view value = trimmed(field);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    field = std::string(value);
  }
  return fields;
}

Result<std::uint32_t> parse_tokens(std::string_view text) {
  std::uint32_t tokens = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, tokens);
  if (problem == std::errc{} && stop == end && tokens >= 1 && tokens <= tokens_max) return tokens;
  return error("found {}, expected a whole number 1..{}", quoted(text), tokens_max);
}

// Reads parts of a text from its front; each call answers whether the part stood there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool digits(std::size_t count, int& value) {
    if (text_.size() < count) return false;
    value = 0;
    for (std::size_t index = 0; index < count; ++index) {
      const char character = text_[index];
      if (character < '0' || character > '9') return false;
      value = value * 10 + (character - '0');
    }
    text_.remove_prefix(count);
    return true;
  }

  bool one_of(std::string_view characters, char* found = nullptr) {
    if (text_.empty() || characters.find(text_.front()) == std::string_view::npos) return false;
    if (found != nullptr) *found = text_.front();
    text_.remove_prefix(1);
    return true;
  }

  /// 1 to 9 digits as nanoseconds.
  bool fraction(std::int64_t& nanoseconds) {
    std::size_t count = 0;
    nanoseconds = 0;
    for (int digit = 0; count < 9 && digits(1, digit); ++count) {
      nanoseconds = nanoseconds * 10 + digit;
    }
    for (std::size_t padded = count; padded < 9; ++padded) nanoseconds *= 10;
    return count > 0;
  }

  bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

struct Timestamp {
  int year = 0, month = 0, day = 0;
  int hour = 0, minute = 0, second = 0;
  std::int64_t nanoseconds = 0;
  int zone_minutes = 0;
};

bool scan_zone(Scanner& scanner, int& minutes) {
  if (scanner.done() || scanner.one_of("Z")) return scanner.done();
  char sign = '+';
  int hour = 0;
  int minute = 0;
  if (!scanner.one_of("+-", &sign) || !scanner.digits(2, hour)) return false;
  if (!scanner.one_of(":") || !scanner.digits(2, minute)) return false;
  minutes = (hour * 60 + minute) * (sign == '-' ? -1 : 1);
  return hour < 24 && minute < 60 && scanner.done();
}

bool scan(std::string_view text, Timestamp& stamp) {
  Scanner scanner(text);
  const bool date = scanner.digits(4, stamp.year) && scanner.one_of("-") &&
                    scanner.digits(2, stamp.month) && scanner.one_of("-") &&
                    scanner.digits(2, stamp.day);
  if (!date || !scanner.one_of(" T")) return false;
  const bool time = scanner.digits(2, stamp.hour) && scanner.one_of(":") &&
                    scanner.digits(2, stamp.minute) && scanner.one_of(":") &&
                    scanner.digits(2, stamp.second);
  if (!time) return false;
  if (scanner.one_of(".") && !scanner.fraction(stamp.nanoseconds)) return false;
  return scan_zone(scanner, stamp.zone_minutes);
}

}  // namespace

Result<TraceFormat> parse_trace_format(std::string_view name) {
  for (std::size_t index = 0; index < format_names.size(); ++index) {
    if (format_names[index] == name) return static_cast<TraceFormat>(index);
  }
  const std::vector<std::string> known(format_names.begin(), format_names.end());
  return error("trace format: found {}, expected a known one{}", quoted(name),
               suggestion(name, known));
}

Result<Instant> parse_timestamp(std::string_view text) {
  Timestamp stamp;
  if (scan(text, stamp)) {
    const std::chrono::year_month_day date{std::chrono::year{stamp.year},
                                           std::chrono::month{static_cast<unsigned>(stamp.month)},
                                           std::chrono::day{static_cast<unsigned>(stamp.day)}};
    // Within these years nanoseconds fit 64 bits, and so does every difference.
    const bool in_range = stamp.year >= 1970 && stamp.year < 2200;
    if (in_range && date.ok() && stamp.hour < 24 && stamp.minute < 60 && stamp.second < 60) {
      const Duration since_epoch = std::chrono::sys_days{date}.time_since_epoch();
      return Instant{since_epoch + std::chrono::hours{stamp.hour} +
                     std::chrono::minutes{stamp.minute - stamp.zone_minutes} +
                     std::chrono::seconds{stamp.second} +
                     std::chrono::nanoseconds{stamp.nanoseconds}};
    }
  }
  return error("found {}, expected a time such as \"2023-11-16 18:17:03.9799600\"", quoted(text));
}

TraceReader::TraceReader(TraceFormat format, std::string file, std::string model, Dice dice)
    : format_(format), file_(std::move(file)), model_(std::move(model)), dice_(dice) {}

Result<std::optional<TraceJob>> TraceReader::read_line(std::string_view line) {
  ++line_;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (line_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  line = trimmed(line);
  if (line.size() > line_bytes_max) {
    return error("{}:{}: found {} bytes in one line, expected at most {}", file_, line_,
                 line.size(), line_bytes_max);
  }
  if (line.empty()) return std::optional<TraceJob>{};
  switch (format_) {
    case TraceFormat::azure:
      return read_azure(line);
  }
  return error("{}:{}: unknown trace format", file_, line_);
}

Status TraceReader::read_azure_header(std::string_view line) {
  std::vector<std::string> columns = fields_of(line);
  for (const std::string_view wanted : azure_columns) {
    const auto times = std::count(columns.begin(), columns.end(), wanted);
    if (times == 1) continue;
    header_refused_ = true;
    return error("{}:{}: header: found {} {} in {}, expected one each of {}", file_, line_,
                 times == 0 ? "no column" : "several columns", wanted, quoted(line),
                 fmt::join(azure_columns, ", "));
  }
  columns_ = std::move(columns);
  return {};
}

Result<std::optional<TraceJob>> TraceReader::read_azure(std::string_view line) {
  if (header_refused_) return error("{}:{}: the file has no good header", file_, line_);
  if (columns_.empty()) {
    if (Status status = read_azure_header(line); !status) return status.error();
    return std::optional<TraceJob>{};
  }
  const std::vector<std::string> fields = fields_of(line);
  if (fields.size() != columns_.size()) {
    return error("{}:{}: found {} fields, expected {} ({})", file_, line_, fields.size(),
                 columns_.size(), printable(fmt::format("{}", fmt::join(columns_, ","))));
  }
  const auto field = [&](std::string_view name) -> std::string_view {
    const auto column = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
    return fields[static_cast<std::size_t>(column)];
  };
  const auto problem = [&](std::string_view name, const Error& what) {
    return error("{}:{}: {}: {}", file_, line_, name, what.message);
  };
  const Result<Instant> at = parse_timestamp(field(timestamp_column));
  if (!at) return problem(timestamp_column, at.error());
  const Result<std::uint32_t> input = parse_tokens(field(input_column));
  if (!input) return problem(input_column, input.error());
  const Result<std::uint32_t> output = parse_tokens(field(output_column));
  if (!output) return problem(output_column, output.error());
  if (!first_) first_ = *at;
  if (*at < *first_) {
    return problem(timestamp_column, error("found {}, expected none before the first row's {}",
                                           quoted(field(timestamp_column)), to_iso8601(*first_)));
  }
  TraceJob row;
  row.arrival = *at - *first_;
  Dice dice = dice_.child(line_);
  row.job.id = draw_job_id(dice);
  row.job.work.kind = WorkKind::serve;
  row.job.work.model = model_;
  row.job.work.input_tokens = *input;
  row.job.work.output_tokens = *output;
  row.job.priority = request_priority;
  return std::optional<TraceJob>{std::move(row)};
}

}  // namespace drover
