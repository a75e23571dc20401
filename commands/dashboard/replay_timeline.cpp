#include "commands/dashboard/replay_timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "tui/state/bookmark.h"

namespace drover::commands {

namespace {

using recording::SurveyedKeyframe;
using std::chrono::seconds;
using tui::StreamRecord;

// Positions: message `ordinal` is at 2 * ordinal, a keyframe after it at 2 * ordinal + 1.
std::uint64_t position_of(std::uint64_t ordinal) { return 2 * ordinal; }
std::uint64_t position_after(std::uint64_t ordinal) { return 2 * ordinal + 1; }

// A dashboard's curves reach back four minutes of wall time; one more as a margin.
constexpr int preroll_wall_s = 300;
constexpr double preroll_rows_max = 2e5;   // sample rows and messages: tenths of a second to read
constexpr double reach_rows_max = 5e5;     // sample rows and messages: a second or two to read
constexpr double history_rows_max = 20e6;  // read for the history of one device
constexpr int intervals_per_preroll = 2;   // how often playback switches to a later keyframe
constexpr Duration interval_min = seconds(10);
constexpr int slice_wall_s = 30;           // read at once
constexpr double slice_messages = 10'000;  // at most, without samples
constexpr std::size_t read_points_max = 256;
constexpr std::size_t replay_markers_max = 5'000;

double rows_per_s(const RecordingReader& reader) {
  const double span_s = to_seconds(reader.last() - reader.first());
  const double rows = static_cast<double>(reader.info().sample_values) / metric_count;
  return rows / std::max(span_s, 1.0);
}

/// Jobs, decisions and all other messages except samples.
double messages_per_s(const RecordingReader& reader) {
  std::uint64_t messages = 0;
  for (const ChannelFacts& channel : reader.info().channels) messages += channel.messages;
  return static_cast<double>(messages) / std::max(to_seconds(reader.last() - reader.first()), 1.0);
}

Duration limited(Duration span, double rows, double rate) {
  return std::min(span, from_seconds(rows / std::max(rate, 1.0)));
}

/// The last bookmark of each moment, as one whose text was changed is recorded again; of the
/// moments that were marked last.
std::map<Instant, const RecordedMessage*> bookmarks_to_show(
    const std::vector<RecordedMessage>& marks) {
  std::map<Instant, const RecordedMessage*> last;
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    if (last.size() >= tui::bookmarks_max) break;
    last.emplace(mark->envelope.at, &*mark);
  }
  return last;
}

}  // namespace

ReplayTimeline::ReplayTimeline(RecordingReader& reader)
    : reader_(reader), wall_(from_seconds(reader.info().start.speed)) {
  const double per_s = rows_per_s(reader) + messages_per_s(reader);
  preroll_ = limited(preroll_wall_s * wall_, preroll_rows_max, per_s);
  reach_ = limited(Duration::max(), reach_rows_max, per_s);
  slice_ = std::max<Duration>(
      seconds(1), limited(slice_wall_s * wall_, slice_messages, messages_per_s(reader)));
  first_keyframe_.at = reader.first();
  find_first_state();
  first_ = first_keyframe_.at;
  last_ = std::max(first_, reader.last());
  find_gaps();
}

/// Usually the first keyframe is before all messages. Messages before it cannot be shown.
void ReplayTimeline::find_first_state() {
  const std::vector<SurveyedKeyframe>& keyframes = reader_.keyframes();
  if (keyframes.empty()) return;
  auto first = keyframes.begin();
  while (std::next(first) != keyframes.end() && std::next(first)->at <= reader_.first()) ++first;
  first_keyframe_ = read(*first);
}

void ReplayTimeline::find_gaps() {
  // Without a keyframe the messages have no state to start from.
  if (reader_.keyframes().empty() && reader_.info().has_messages()) {
    // The gap begins before the first message, so that the first moment is in it.
    gaps_.push_back({first_ - Duration{1}, never});
    return;
  }
  const auto found = reader_.gaps();
  if (!found) {
    problem_ = found.error();
    return;
  }
  for (const RecordingGap& gap : *found) {
    if (gap.end <= first_) continue;
    gaps_.push_back({std::max(gap.from, first_), gap.end});
    for (const SurveyedKeyframe& keyframe : reader_.keyframes()) {
      const bool inside = keyframe.at >= gap.from && keyframe.at <= gap.end;
      if (inside && keyframe.ordinal > first_keyframe_.ordinal) repairs_.push_back(keyframe);
    }
  }
}

Keyframe ReplayTimeline::read(const SurveyedKeyframe& keyframe) const {
  auto found = reader_.read(keyframe);
  if (found) return std::move(*found);
  problem_ = found.error();
  return {keyframe.at, keyframe.ordinal, {}};
}

const Keyframe& ReplayTimeline::start_for(Instant at) const {
  // All moments of an interval start from the same keyframe: switching to the next one is cheap
  // compared with playing the interval.
  const Duration interval = std::max(interval_min, preroll_ / intervals_per_preroll);
  const Duration since = std::max(Duration{}, at - preroll_ - first_);
  const Instant target = first_ + since / interval * interval;
  if (target == found_for_) return found_;
  auto keyframe = reader_.keyframe_before(target);
  if (!keyframe) problem_ = keyframe.error();
  found_ = first_keyframe_;
  if (keyframe && *keyframe && (*keyframe)->ordinal >= found_.ordinal)
    found_ = std::move(**keyframe);
  found_for_ = target;
  return found_;
}

Instant ReplayTimeline::keyframe_before(Instant at) const { return start_for(at).at; }

tui::ModelSnapshot ReplayTimeline::keyframe(Instant at) const {
  const Keyframe& keyframe = start_for(at);
  tui::ModelSnapshot moment{keyframe.at, 0, tui::Model(wall_), keyframe.at};
  moment.position =
      show(keyframe, [&](const StreamRecord& record) { tui::apply(moment.model, record); });
  read_points_[moment.position] = {keyframe.at, 0};
  return moment;
}

std::uint64_t ReplayTimeline::show(const Keyframe& keyframe, const Visit& visit) const {
  visit({StreamRecord::Kind::snapshot_begins, keyframe.at, {}, false});
  for (const std::string& bytes : keyframe.messages) {
    auto envelope = decode(bytes);
    if (envelope) visit({StreamRecord::Kind::message, keyframe.at, std::move(*envelope), true});
  }
  visit({StreamRecord::Kind::snapshot_ends, keyframe.at, {}, false});
  return position_of(keyframe.ordinal + 1);
}

ReplayTimeline::ReadPoint ReplayTimeline::read_point_of(std::uint64_t position) const {
  const auto after = read_points_.upper_bound(position);
  return after == read_points_.begin() ? ReadPoint{reader_.first(), 0} : std::prev(after)->second;
}

std::vector<RecordedMessage> ReplayTimeline::found(
    Result<std::vector<RecordedMessage>> messages) const {
  if (messages) return std::move(*messages);
  problem_ = messages.error();
  return {};
}

std::uint64_t ReplayTimeline::visit(std::uint64_t position, Instant to, const Visit& visit) const {
  ReadPoint point = read_point_of(position);
  auto repair =
      std::find_if(repairs_.begin(), repairs_.end(), [&](const SurveyedKeyframe& keyframe) {
        return position_after(keyframe.ordinal) >= position;
      });
  const auto repair_up_to = [&](std::uint64_t limit) {
    for (; repair != repairs_.end() && position_after(repair->ordinal) < limit && repair->at <= to;
         ++repair) {
      position = show(read(*repair), visit);
    }
  };
  // Includes messages that arrived at `to`.
  const Instant end = saturating_add(to, Duration(1));
  while (point.from < end) {
    const Instant until = std::min(saturating_add(point.from, slice_), end);
    for (RecordedMessage& recorded : found(reader_.read(point.from, until))) {
      const bool before = position_of(recorded.ordinal) < position;
      if (!before) repair_up_to(position_of(recorded.ordinal));
      const std::uint64_t sequence = recorded.envelope.sequence;
      if (!std::holds_alternative<SampleBatch>(recorded.envelope.body)) {
        if (!before && sequence < point.sequence) {
          visit({StreamRecord::Kind::router_restarts, recorded.arrived, {}, false});
        }
        point.sequence = sequence;
      }
      if (before) continue;
      position = position_after(recorded.ordinal);
      visit({StreamRecord::Kind::message, recorded.arrived, std::move(recorded.envelope), false});
    }
    point.from = until;
  }
  repair_up_to(UINT64_MAX);
  // More messages may have arrived at the same instant: the next visit reads it again.
  point.from = to;
  // Removes every other point, so that a point near any position stays known.
  if (read_points_.size() >= read_points_max) {
    for (auto one = read_points_.begin(); one != read_points_.end();) {
      one = read_points_.erase(one);
      if (one != read_points_.end()) ++one;
    }
  }
  read_points_[position] = point;
  return position;
}

void ReplayTimeline::visit_batches(const std::string& host, Instant from, Instant to,
                                   const VisitBatch& visit) const {
  const Duration reach = limited(Duration::max(), history_rows_max, rows_per_s(reader_));
  from = std::max({from, first_ - Duration(1), to - std::min(reach, to - first_)});
  const Instant end = saturating_add(to, Duration(1));
  for (Instant at = from + Duration(1); at < end;) {
    const Instant until = std::min(saturating_add(at, slice_wall_s * wall_), end);
    for (const RecordedMessage& recorded : found(reader_.read_samples(at, until))) {
      const auto* batch = std::get_if<SampleBatch>(&recorded.envelope.body);
      if (batch == nullptr || (!host.empty() && batch->host != host)) continue;
      visit(recorded.arrived, *batch);
    }
    at = until;
  }
}

const std::vector<tui::TimelineMarker>& ReplayTimeline::markers() const {
  if (markers_) return *markers_;
  markers_.emplace();
  // Alerts are added first, because the number of markers is limited.
  const auto add = [&](const Result<std::vector<RecordedMessage>>& found) {
    if (!found) problem_ = found.error();
    if (!found) return;
    for (const RecordedMessage& recorded : *found) {
      const auto marker = tui::timeline_marker_of(
          {StreamRecord::Kind::message, recorded.arrived, recorded.envelope, false});
      if (marker && markers_->size() < replay_markers_max) markers_->push_back(*marker);
    }
  };
  // Few, and made by people: they come before the limit.
  if (const auto marks = reader_.bookmarks(); marks) {
    for (const auto& [moment, mark] : bookmarks_to_show(*marks)) {
      const auto* const event = std::get_if<Event>(&mark->envelope.body);
      const Instant at = std::clamp(moment, first_, last_);
      if (event == nullptr) continue;
      markers_->push_back({at, tui::TimelineMarker::Kind::bookmark, Severity::info, event->subject,
                           printable(event->text)});
    }
  } else {
    problem_ = marks.error();
  }
  add(reader_.alerts());
  add(reader_.events());
  std::stable_sort(
      markers_->begin(), markers_->end(),
      [](const tui::TimelineMarker& a, const tui::TimelineMarker& b) { return a.at < b.at; });
  return *markers_;
}

}  // namespace drover::commands
