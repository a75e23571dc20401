#include "tui/history/timeline.h"

namespace drover::tui {
namespace {

// A way longer than this is gone from the newest keyframe where one lies on it.
constexpr Duration long_way = std::chrono::minutes(1);

}  // namespace

bool apply(Model& model, const Heard& heard) {
  switch (heard.kind) {
    case Heard::Kind::news:
      return model.apply(heard.at, heard.envelope);
    case Heard::Kind::snapshot_begins:
      model.begin_snapshot();
      break;
    case Heard::Kind::snapshot_ends:
      model.end_snapshot(heard.at);
      break;
    case Heard::Kind::router_restarts:
      model.forget_decision_numbers();
      break;
  }
  return true;
}

bool is_mark(const Heard& heard, Mark& mark) {
  if (heard.kind != Heard::Kind::news || heard.snapshot_part) return false;
  const Message& body = heard.envelope.body;
  // One that is acknowledged was raised earlier.
  if (const auto* alert = std::get_if<Alert>(&body);
      alert != nullptr && alert->raised && !alert->retold && alert->acknowledged_by.empty()) {
    mark = {heard.at, Mark::Kind::alert, alert->severity, alert->subject, alert->text};
    return true;
  }
  if (const auto* event = std::get_if<Event>(&body);
      event != nullptr && event->severity != Severity::info) {
    mark = {heard.at, Mark::Kind::event, event->severity, event->subject, event->text};
    return true;
  }
  if (const auto* caption = std::get_if<Caption>(&body);
      caption != nullptr && !caption->text.empty()) {
    mark = {heard.at, Mark::Kind::caption, Severity::info, "", caption->text};
    return true;
  }
  return false;
}

const std::vector<Gap>& Timeline::gaps() const {
  static const std::vector<Gap> none;
  return none;
}

const Gap* gap_at(const Timeline& timeline, Instant at) {
  for (const Gap& gap : timeline.gaps()) {
    if (gap.from < at && at < gap.end) return &gap;
  }
  return nullptr;
}

bool seek(const Timeline& timeline, Moment& moment, Instant to) {
  const bool other = to < moment.at || !timeline.leads_to(moment, to) ||
                     timeline.keyframe_before(to) > saturating_add(moment.at, long_way);
  if (other) moment = timeline.keyframe(to);
  moment.position =
      timeline.visit(moment.position, to, [&](const Heard& heard) { apply(moment.model, heard); });
  moment.at = std::max(moment.at, to);
  moment.model.tick(moment.at);
  return other;
}

Moment moment_at(const Timeline& timeline, Instant at) {
  Moment moment = timeline.keyframe(at);
  seek(timeline, moment, std::max(at, moment.at));
  return moment;
}

}  // namespace drover::tui
