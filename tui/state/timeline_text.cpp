#include "tui/state/timeline_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Duration day = std::chrono::hours(24);
constexpr Duration offset_max = 36'525 * day;

std::optional<int> number(std::string_view digits, int least, int most) {
  int value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = 10 * value + (digit - '0');
  }
  if (digits.empty() || value < least || value > most) return std::nullopt;
  return value;
}

/// "12:03", "12:03:07", "12:03:07.250": since midnight.
std::optional<Duration> parse_clock(std::string_view text) {
  Duration fraction{};
  if (const auto point = text.find('.'); point != std::string_view::npos) {
    const std::string_view digits = text.substr(point + 1);
    if (digits.size() > 9) return std::nullopt;
    const auto value = number(digits, 0, 999'999'999);
    if (!value || text.size() < 8) return std::nullopt;
    fraction = Duration(*value);
    for (std::size_t i = digits.size(); i < 9; ++i) fraction *= 10;
    text = text.substr(0, point);
  }
  if ((text.size() != 5 && text.size() != 8) || text[2] != ':') return std::nullopt;
  if (text.size() == 8 && text[5] != ':') return std::nullopt;
  const auto hours = number(text.substr(0, 2), 0, 23);
  const auto minutes = number(text.substr(3, 2), 0, 59);
  const auto rest = text.size() == 8 ? number(text.substr(6, 2), 0, 59) : std::optional<int>(0);
  if (!hours || !minutes || !rest) return std::nullopt;
  return seconds(*hours * 3600 + *minutes * 60 + *rest) + fraction;
}

/// "2026-11-21": midnight UTC.
std::optional<Instant> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number(text.substr(0, 4), 1971, 2200);
  const auto month = number(text.substr(5, 2), 1, 12);
  const auto of_month = number(text.substr(8, 2), 1, 31);
  if (!year || !month || !of_month) return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(*year), std::chrono::month(unsigned(*month)),
                            std::chrono::day(unsigned(*of_month))};
  if (!date.ok()) return std::nullopt;
  return Instant(sys_days(date).time_since_epoch());
}

Instant midnight_before(Instant at) {
  const Duration since = at.time_since_epoch();
  return at - ((since % day) + day) % day;
}

/// The moment nearest to `shown` at which a clock shows this time, on the same or an adjacent day.
/// Moments that can be shown take precedence.
Instant nearest_of(Duration clock, Instant shown, const TimeRange& covered) {
  const Instant today = midnight_before(shown) + clock;
  const auto rank = [&](Instant at) {
    const bool there = at >= covered.first && at <= covered.last;
    return std::pair(!there, at < shown ? shown - at : at - shown);
  };
  const std::array<Instant, 3> days = {today, saturating_add(today, -day),
                                       saturating_add(today, day)};
  return *std::min_element(days.begin(), days.end(),
                           [&](Instant a, Instant b) { return rank(a) < rank(b); });
}

}  // namespace

Result<Instant> parse_moment(std::string_view text, Instant shown, const TimeRange& covered) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    DROVER_ASSIGN(const auto span, parse_duration(text.substr(1), "time"));
    if (span > offset_max) return error("found '{}', expected at most 100 years", excerpt(text));
    return text[0] == '-' ? Instant(shown - span) : saturating_add(shown, span);
  }
  if (const auto span = parse_duration(text, "time")) return saturating_add(covered.first, *span);
  if (const auto clock = parse_clock(text)) return nearest_of(*clock, shown, covered);
  if (text.size() > 11 && (text[10] == 'T' || text[10] == ' ')) {
    const auto date = parse_date(text.substr(0, 10));
    std::string_view rest = text.substr(11);
    if (rest.ends_with('Z')) rest.remove_suffix(1);
    const auto clock = parse_clock(rest);
    if (date && clock) return *date + *clock;
  }
  return error("found '{}', expected {}", excerpt(text), accepted_time_formats);
}

std::string gap_text(const Gap& gap) {
  if (gap.end == never) return fmt::format("{} to the end", to_clock_text(gap.from));
  return fmt::format("{} to {}", to_clock_text(gap.from), to_clock_text(gap.end));
}

namespace {

/// "00:42", "1:02:03".
std::string span_text(Duration span) {
  const auto whole = std::chrono::duration_cast<seconds>(span).count();
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

/// The gap that contains the shown moment, if any.
std::string unknown_text(const FrameContext& frame) {
  const Gap* gap = gap_at(frame.cursor.timeline(), frame.now);
  return gap == nullptr ? "" : "DATA GAP: messages missing from " + gap_text(*gap);
}

/// The gaps of the whole recording.
std::string gaps_text(const std::vector<Gap>& gaps) {
  if (gaps.empty()) return "";
  if (gaps.size() == 1) return ", messages are missing from " + gap_text(gaps.front());
  return fmt::format(", messages are missing from {} and {}", gap_text(gaps.front()),
                     counted(gaps.size() - 1, "other gap"));
}

}  // namespace

std::string cursor_banner(const FrameContext& frame) {
  const PlaybackCursor& cursor = frame.cursor;
  if (cursor.live()) return cursor.note();
  const bool playing = cursor.playing();
  const std::string clock = frame.clock_words();
  std::string text;
  std::string hints;
  std::string title;
  if (cursor.replay()) {
    const Timeline& timeline = cursor.timeline();
    text = "REPLAY " + clock;
    if (const std::string unknown = unknown_text(frame); !unknown.empty()) {
      text += " " + unknown;
    } else {
      text += fmt::format("  {} of {}  x{:g} {}", span_text(frame.now - timeline.first()),
                          span_text(timeline.last() - timeline.first()), cursor.rate(),
                          playing ? "playing" : "paused");
    }
    hints = playing ? "Space pause  + - speed" : "[ ] step  Space resume";
    // At the end, where text that does not fit is cut, because a file name may be long.
    title = " | " + printable(frame.options.replay.title) + gaps_text(timeline.gaps());
  } else {
    const double behind_s = to_seconds(frame.live_now - frame.now);
    text = fmt::format("{} {}, {} behind live  x{:g}", playing ? "PAST" : "PAUSED at", clock,
                       duration_text(behind_s), cursor.rate());
    hints = playing ? "Space pause  + - speed  L live" : "[ ] step  Space resume  L live";
  }
  const auto& loop = cursor.loop();
  if (loop && loop->end != never) text += ", looping from " + to_clock_text(loop->begin);
  return text + " | " + (cursor.note().empty() ? hints : cursor.note()) + title;
}

}  // namespace drover::tui
