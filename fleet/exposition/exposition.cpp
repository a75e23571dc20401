#include "fleet/exposition/exposition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "fleet/base/text.h"

namespace drover {
namespace {

// What a character may be part of, for one look-up per character.
enum : std::uint8_t { name_letter = 1, blank_letter = 2 };
constexpr std::array<std::uint8_t, 256> letter_kinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (int letter = 'a'; letter <= 'z'; ++letter) kinds[static_cast<std::size_t>(letter)] = 1;
  for (int letter = 'A'; letter <= 'Z'; ++letter) kinds[static_cast<std::size_t>(letter)] = 1;
  for (int letter = '0'; letter <= '9'; ++letter) kinds[static_cast<std::size_t>(letter)] = 1;
  kinds['_'] = kinds[':'] = name_letter;
  kinds[' '] = kinds['\t'] = blank_letter;
  return kinds;
}();

bool is_letter(char letter, std::uint8_t kind) {
  return letter_kinds[static_cast<unsigned char>(letter)] == kind;
}

/// A number as Prometheus writes it: "1", "-2.5e3", "+Inf", "NaN".
std::optional<double> parse_value(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('+')) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  // from_chars leaves the value of what is too large or too small for a double; no device has one.
  if (problem != std::errc{}) return std::nullopt;
  return value;
}

/// Prometheus has whole milliseconds, OpenMetrics has seconds.
std::optional<std::int64_t> parse_timestamp(std::string_view text, bool open_metrics) {
  constexpr double most_ms = 9e15;
  const auto value = parse_value(text);
  if (!value) return std::nullopt;
  const double ms = open_metrics ? *value * 1e3 : *value;
  if (!(std::abs(ms) < most_ms)) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(ms));
}

/// Reads one line after another; keeps its memory between them.
class LineReader {
 public:
  LineReader(const PageLimits& limits, bool open_metrics)
      : labels_max_(limits.labels), open_metrics_(open_metrics) {
    labels_.reserve(std::min<std::size_t>(limits.labels, 64));
  }

  enum class Outcome : std::uint8_t { series, blank, nothing, malformed };
  Outcome read(std::string_view line);

  SeriesView series() const { return {name_, labels_, value_, timestamp_ms_}; }
  /// Of a malformed line.
  const char* problem() const { return problem_; }

 private:
  bool read_labels();
  bool read_label();
  bool read_quoted(std::string_view& text);
  std::string_view unescaped(std::string_view text);
  std::string_view take_name();
  std::string_view take_word();
  void skip_blanks();
  bool at(char letter) const { return at_ != end_ && *at_ == letter; }
  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }

  std::size_t labels_max_;
  bool open_metrics_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* problem_ = "";
  std::string_view name_;
  std::vector<SeriesLabel> labels_;
  std::string texts_;  // of labels that have escapes; large enough for a whole line
  double value_ = 0;
  std::optional<std::int64_t> timestamp_ms_;
};

void LineReader::skip_blanks() {
  while (at_ != end_ && is_letter(*at_, blank_letter)) ++at_;
}

std::string_view LineReader::take_name() {
  const char* const start = at_;
  while (at_ != end_ && is_letter(*at_, name_letter)) ++at_;
  return {start, static_cast<std::size_t>(at_ - start)};
}

std::string_view LineReader::take_word() {
  const char* const start = at_;
  while (at_ != end_ && !is_letter(*at_, blank_letter)) ++at_;
  return {start, static_cast<std::size_t>(at_ - start)};
}

std::string_view LineReader::unescaped(std::string_view text) {
  const std::size_t start = texts_.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      texts_ += text[i];
      continue;
    }
    const char escaped = text[++i];
    if (escaped == 'n') {
      texts_ += '\n';
    } else {
      // Others than \\ and \" are not defined; Prometheus keeps both characters.
      if (escaped != '\\' && escaped != '"') texts_ += '\\';
      texts_ += escaped;
    }
  }
  return std::string_view(texts_).substr(start);
}

bool LineReader::read_quoted(std::string_view& text) {
  if (!at('"')) return fail("a quote is missing");
  const char* const start = ++at_;
  bool escapes = false;
  while (true) {
    const auto* const quote = static_cast<const char*>(
        at_ == end_ ? nullptr : std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
    if (quote == nullptr) return fail("a quote is not closed");
    // An odd number of backslashes before it escapes the quote.
    const char* before = quote;
    while (before != at_ && before[-1] == '\\') --before;
    at_ = quote + 1;
    if ((quote - before) % 2 == 0) break;
  }
  text = {start, static_cast<std::size_t>(at_ - 1 - start)};
  escapes = !text.empty() && std::memchr(text.data(), '\\', text.size()) != nullptr;
  if (escapes) {
    // The views of earlier labels stay valid: no line has more text than this.
    if (texts_.empty()) texts_.reserve(static_cast<std::size_t>(end_ - start));
    text = unescaped(text);
  }
  return true;
}

bool LineReader::read_label() {
  SeriesLabel label;
  const bool quoted = at('"');
  if (quoted) {
    if (!read_quoted(label.name)) return false;
  } else {
    label.name = take_name();
  }
  skip_blanks();
  if (quoted && (at(',') || at('}'))) {
    if (!name_.empty()) return fail("a series has two names");
    name_ = label.name;
    return true;
  }
  if (label.name.empty()) return fail("a label has no name");
  if (!at('=')) return fail("a label has no value");
  ++at_;
  skip_blanks();
  if (!read_quoted(label.value)) return false;
  if (labels_.size() == labels_max_) return fail("too many labels");
  labels_.push_back(label);
  return true;
}

bool LineReader::read_labels() {
  ++at_;
  while (true) {
    skip_blanks();
    if (at('}')) break;
    if (!read_label()) return false;
    skip_blanks();
    if (at('}')) break;
    if (!at(',')) return fail("a comma or } is missing after a label");
    ++at_;
  }
  ++at_;
  return true;
}

LineReader::Outcome LineReader::read(std::string_view line) {
  at_ = line.data();
  end_ = at_ + line.size();
  if (line.ends_with('\r')) --end_;
  skip_blanks();
  if (at_ == end_ || *at_ == '#') return Outcome::nothing;
  const auto malformed = [&](const char* problem) {
    problem_ = problem;
    return Outcome::malformed;
  };
  labels_.clear();
  texts_.clear();
  timestamp_ms_.reset();
  if (is_digit(*at_)) return malformed("a name begins with a digit");
  name_ = take_name();
  const char* const after_name = at_;
  skip_blanks();
  if (at('{')) {
    if (!read_labels()) return Outcome::malformed;
  } else if (at_ != end_ && at_ == after_name) {
    return malformed(name_.empty() ? "not a series" : "a name has a letter that none may have");
  }
  if (name_.empty()) return malformed("a series has no name");
  skip_blanks();
  if (at_ == end_ || *at_ == '#') return Outcome::blank;
  const auto value = parse_value(take_word());
  if (!value) return malformed("a value is not a number");
  value_ = *value;
  skip_blanks();
  if (at_ == end_ || *at_ == '#') return Outcome::series;  // what follows # is an exemplar
  timestamp_ms_ = parse_timestamp(take_word(), open_metrics_);
  if (!timestamp_ms_) return malformed("a timestamp is not a number");
  skip_blanks();
  return at_ == end_ || *at_ == '#' ? Outcome::series : malformed("text follows the timestamp");
}

/// Whether the page ends as OpenMetrics demands.
bool ends_as_open_metrics(std::string_view page) {
  constexpr std::size_t tail_bytes = 16;  // the line and some blanks
  return trimmed(page.substr(page.size() - std::min(page.size(), tail_bytes))).ends_with("# EOF");
}

/// What a page without series is: "an HTML page", "nothing".
std::string described(std::string_view page) {
  const std::string_view text = trimmed(page.substr(0, 1000));
  if (text.empty()) return "the page is empty";
  if (text.starts_with("\x1f\x8b")) return "the page is compressed";
  const std::string shown = excerpt(text.substr(0, text.find('\n')), 60);
  if (text.starts_with('<')) return fmt::format("it is an HTML or XML page: '{}'", shown);
  if (text.starts_with('{') || text.starts_with('[')) return fmt::format("it is JSON: '{}'", shown);
  if (text.starts_with('#')) return "it has only comments";
  return fmt::format("it begins with '{}'", shown);
}

Error without_series(std::string_view page, const PageSummary& summary) {
  std::string found = described(page);
  if (summary.blank > 0) {
    found = fmt::format("{} without a value", counted(summary.blank, "series", "series"));
  }
  const std::string problem =
      summary.malformed > 0 ? fmt::format(" ({})", summary.first_malformed) : "";
  return error("no metrics: {}{}; expected lines like NAME{{LABEL=\"TEXT\"}} NUMBER", found,
               problem);
}

}  // namespace

Result<PageSummary> read_page(std::string_view page, const TakeSeries& take, PageEnd end,
                              const PageLimits& limits) {
  if (page.size() > limits.page_bytes) {
    return error("the page has {} bytes; expected at most {}", page.size(), limits.page_bytes);
  }
  PageSummary summary;
  LineReader reader(limits, ends_as_open_metrics(page));
  std::uint64_t line_number = 0;
  const auto skip = [&](const char* problem) {
    if (summary.malformed++ == 0) {
      summary.first_malformed = fmt::format("line {}: {}", line_number, problem);
    }
  };
  std::size_t start = 0;
  while (start < page.size()) {
    ++line_number;
    const std::size_t stop = page.find('\n', start);
    const bool last = stop == std::string_view::npos;
    if (last && end == PageEnd::may_be_cut && !page.substr(start).starts_with('#')) {
      skip("the page ends within the line");
      break;
    }
    const std::string_view line = page.substr(start, last ? stop : stop - start);
    start = last ? page.size() : stop + 1;
    if (line.size() > limits.line_bytes) {
      skip("the line is too long");
      continue;
    }
    switch (reader.read(line)) {
      case LineReader::Outcome::series:
        ++summary.series;
        take(reader.series());
        break;
      case LineReader::Outcome::blank:
        ++summary.blank;
        break;
      case LineReader::Outcome::malformed:
        skip(reader.problem());
        break;
      case LineReader::Outcome::nothing:
        break;
    }
  }
  if (summary.series == 0) return without_series(page, summary);
  return summary;
}

}  // namespace drover
