#include "tui/history/timeline.h"
#include "fleet/base/overloaded.h"

namespace drover::tui {
namespace {

// A seek further ahead than this starts from a keyframe on the way, if there is one.
constexpr Duration long_seek = std::chrono::minutes(1);

}  // namespace

void apply(Model& model, const StreamRecord& record) {
  switch (record.kind) {
    case StreamRecord::Kind::message:
      model.apply(record.at, record.envelope);
      return;
    case StreamRecord::Kind::snapshot_begins:
      return model.begin_snapshot();
    case StreamRecord::Kind::snapshot_ends:
      return model.end_snapshot(record.at);
    case StreamRecord::Kind::router_restarts:
      return model.forget_decision_numbers();
  }
}

std::optional<TimelineMarker> timeline_marker_of(const StreamRecord& record) {
  using Kind = TimelineMarker::Kind;
  if (record.kind != StreamRecord::Kind::message || record.snapshot_part) return std::nullopt;
  const Instant at = record.at;
  using Found = std::optional<TimelineMarker>;
  return std::visit(
      Overloaded{[&](const Alert& alert) -> Found {
                   // An acknowledged alert was raised earlier.
                   if (!alert.raised || alert.text_only || !alert.acknowledged_by.empty())
                     return {};
                   return {{at, Kind::alert, alert.severity, alert.subject, alert.text}};
                 },
                 [&](const Event& event) -> Found {
                   if (event.severity == Severity::info) return {};
                   return {{at, Kind::event, event.severity, event.subject, event.text}};
                 },
                 [&](const Caption& caption) -> Found {
                   if (caption.text.empty()) return {};
                   return {{at, Kind::caption, Severity::info, "", caption.text}};
                 },
                 [](const auto&) { return Found(); }},
      record.envelope.body);
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

bool seek(const Timeline& timeline, ModelSnapshot& moment, Instant to) {
  const bool other = to < moment.at || !timeline.can_advance_to(moment, to) ||
                     timeline.keyframe_before(to) > saturating_add(moment.at, long_seek);
  if (other) moment = timeline.keyframe(to);
  moment.position = timeline.visit(
      moment.position, to, [&](const StreamRecord& record) { apply(moment.model, record); });
  moment.at = std::max(moment.at, to);
  moment.model.tick(moment.at);
  return other;
}

ModelSnapshot model_snapshot_at(const Timeline& timeline, Instant at) {
  ModelSnapshot moment = timeline.keyframe(at);
  seek(timeline, moment, std::max(at, moment.at));
  return moment;
}

}  // namespace drover::tui
