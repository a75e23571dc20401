#include "commands/dashboard/replay_timeline.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"

namespace drover::commands {

namespace {

using recording::SurveyedKeyframe;
using std::chrono::seconds;
using tui::Heard;

// Positions: message `place` stands at 2 * place, a state anew behind it at 2 * place + 1.
std::uint64_t position_of(std::uint64_t place) { return 2 * place; }
std::uint64_t position_behind(std::uint64_t place) { return 2 * place + 1; }

// A dashboard's curves reach back four minutes of the wall.
constexpr int preroll_wall_s = 300;
constexpr double preroll_rows_max = 2e5;   // and other messages: tenths of a second
constexpr double reach_rows_max = 5e5;     // and other messages: a second or two
constexpr double history_rows_max = 20e6;  // of one device's past, all its neighbours read as well
constexpr int turns_per_preroll = 2;       // who plays goes over to a later keyframe so often
constexpr Duration turn_least = seconds(10);
constexpr int slice_wall_s = 30;           // is read at once
constexpr double slice_messages = 10'000;  // at most, of jobs and all else that is no sample
constexpr std::size_t places_max = 256;
constexpr std::size_t marks_max = 5'000;

double rows_per_s(const RecordingReader& reader) {
  const double span_s = to_seconds(reader.last() - reader.first());
  const double rows = static_cast<double>(reader.info().sample_values) / metric_count;
  return rows / std::max(span_s, 1.0);
}

/// Of jobs, decisions and all else that is no sample.
double messages_per_s(const RecordingReader& reader) {
  std::uint64_t messages = 0;
  for (const ChannelFacts& channel : reader.info().channels) messages += channel.messages;
  return static_cast<double>(messages) / std::max(to_seconds(reader.last() - reader.first()), 1.0);
}

Duration limited(Duration span, double rows, double rate) {
  return std::min(span, from_seconds(rows / std::max(rate, 1.0)));
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

/// Mostly it stands before all messages. What came before it has no state to stand on.
void ReplayTimeline::find_first_state() {
  const std::vector<SurveyedKeyframe>& keyframes = reader_.keyframes();
  if (keyframes.empty()) return;
  auto first = keyframes.begin();
  while (std::next(first) != keyframes.end() && std::next(first)->at <= reader_.first()) ++first;
  first_keyframe_ = read(*first);
}

void ReplayTimeline::find_gaps() {
  // Without any whole state nothing of what was heard has one to stand on.
  if (reader_.keyframes().empty() && reader_.info().has_messages()) {
    // A gap begins with what was heard: the first moment lies inside of it.
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
      if (inside && keyframe.place > first_keyframe_.place) repairs_.push_back(keyframe);
    }
  }
}

Keyframe ReplayTimeline::read(const SurveyedKeyframe& keyframe) const {
  auto found = reader_.read(keyframe);
  if (found) return std::move(*found);
  problem_ = found.error();
  return {keyframe.at, keyframe.place, {}};
}

const Keyframe& ReplayTimeline::start_for(Instant at) const {
  // All moments of a turn start from the same one: the work to go over to the next is little beside
  // what it took to play so long.
  const Duration turn = std::max(turn_least, preroll_ / turns_per_preroll);
  const Duration since = std::max(Duration{}, at - preroll_ - first_);
  const Instant target = first_ + since / turn * turn;
  if (target == found_for_) return found_;
  auto keyframe = reader_.keyframe_before(target);
  if (!keyframe) problem_ = keyframe.error();
  found_ = first_keyframe_;
  if (keyframe && *keyframe && (*keyframe)->place >= found_.place) found_ = std::move(**keyframe);
  found_for_ = target;
  return found_;
}

Instant ReplayTimeline::keyframe_before(Instant at) const { return start_for(at).at; }

tui::Moment ReplayTimeline::keyframe(Instant at) const {
  const Keyframe& keyframe = start_for(at);
  tui::Moment moment{keyframe.at, 0, tui::Model(wall_), keyframe.at};
  moment.position = show(keyframe, [&](const Heard& heard) { tui::apply(moment.model, heard); });
  places_[moment.position] = {keyframe.at, 0};
  return moment;
}

std::uint64_t ReplayTimeline::show(const Keyframe& keyframe, const Visit& visit) const {
  visit({Heard::Kind::snapshot_begins, keyframe.at, {}, false});
  for (const std::string& bytes : keyframe.messages) {
    auto envelope = decode(bytes);
    if (envelope) visit({Heard::Kind::news, keyframe.at, std::move(*envelope), true});
  }
  visit({Heard::Kind::snapshot_ends, keyframe.at, {}, false});
  return position_of(keyframe.place + 1);
}

ReplayTimeline::Place ReplayTimeline::place_of(std::uint64_t position) const {
  const auto behind = places_.upper_bound(position);
  return behind == places_.begin() ? Place{reader_.first(), 0} : std::prev(behind)->second;
}

std::vector<Recorded> ReplayTimeline::found(Result<std::vector<Recorded>> messages) const {
  if (messages) return std::move(*messages);
  problem_ = messages.error();
  return {};
}

std::uint64_t ReplayTimeline::visit(std::uint64_t position, Instant to, const Visit& visit) const {
  Place place = place_of(position);
  auto repair =
      std::find_if(repairs_.begin(), repairs_.end(), [&](const SurveyedKeyframe& keyframe) {
        return position_behind(keyframe.place) >= position;
      });
  const auto repair_up_to = [&](std::uint64_t limit) {
    for (; repair != repairs_.end() && position_behind(repair->place) < limit && repair->at <= to;
         ++repair) {
      position = show(read(*repair), visit);
    }
  };
  // What came at `to` itself is to be seen as well.
  const Instant end = saturating_add(to, Duration(1));
  while (place.from < end) {
    const Instant until = std::min(saturating_add(place.from, slice_), end);
    for (Recorded& recorded : found(reader_.read(place.from, until))) {
      const bool before = position_of(recorded.place) < position;
      if (!before) repair_up_to(position_of(recorded.place));
      const std::uint64_t sequence = recorded.envelope.sequence;
      if (!std::holds_alternative<SampleBatch>(recorded.envelope.body)) {
        if (!before && sequence < place.sequence) {
          visit({Heard::Kind::router_restarts, recorded.arrived, {}, false});
        }
        place.sequence = sequence;
      }
      if (before) continue;
      position = position_behind(recorded.place);
      visit({Heard::Kind::news, recorded.arrived, std::move(recorded.envelope), false});
    }
    place.from = until;
  }
  repair_up_to(UINT64_MAX);
  // More may have come at the same instant: whoever goes on looks there again.
  place.from = to;
  // Every other one goes, so that wherever one goes on a place near by is known.
  if (places_.size() >= places_max) {
    for (auto one = places_.begin(); one != places_.end();) {
      one = places_.erase(one);
      if (one != places_.end()) ++one;
    }
  }
  places_[position] = place;
  return position;
}

void ReplayTimeline::visit_batches(const std::string& host, Instant from, Instant to,
                                   const VisitBatch& visit) const {
  const Duration reach = limited(Duration::max(), history_rows_max, rows_per_s(reader_));
  from = std::max({from, first_ - Duration(1), to - std::min(reach, to - first_)});
  const Instant end = saturating_add(to, Duration(1));
  for (Instant at = from + Duration(1); at < end;) {
    const Instant until = std::min(saturating_add(at, slice_wall_s * wall_), end);
    for (const Recorded& recorded : found(reader_.read_samples(at, until))) {
      const auto* batch = std::get_if<SampleBatch>(&recorded.envelope.body);
      if (batch == nullptr || (!host.empty() && batch->host != host)) continue;
      visit(recorded.arrived, *batch);
    }
    at = until;
  }
}

const std::vector<tui::Mark>& ReplayTimeline::marks() const {
  if (marks_) return *marks_;
  marks_.emplace();
  // What is bad comes first where there is more than anyone can look at.
  const auto add = [&](const Result<std::vector<Recorded>>& found) {
    if (!found) problem_ = found.error();
    if (!found) return;
    for (const Recorded& recorded : *found) {
      tui::Mark mark;
      const Heard heard{Heard::Kind::news, recorded.arrived, recorded.envelope, false};
      if (marks_->size() < marks_max && tui::is_mark(heard, mark)) marks_->push_back(mark);
    }
  };
  add(reader_.alerts());
  add(reader_.events());
  std::stable_sort(marks_->begin(), marks_->end(),
                   [](const tui::Mark& a, const tui::Mark& b) { return a.at < b.at; });
  return *marks_;
}

}  // namespace drover::commands
