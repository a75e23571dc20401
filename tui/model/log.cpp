// The part of the model that is set by users and rules: conditions of devices, alerts, audits and
// captions.
#include <algorithm>

#include "tui/model/model.h"

namespace drover::tui {

bool Model::handles(const Message& body) {
  return std::visit(
      []<typename Body>(const Body&) {
        using std::is_same_v;
        return is_same_v<Body, SampleBatch> || is_same_v<Body, HostChanged> ||
               is_same_v<Body, ReplicaChanged> || is_same_v<Body, JobChanged> ||
               is_same_v<Body, Decision> || is_same_v<Body, Event> || is_same_v<Body, Summary> ||
               is_same_v<Body, DeviceChanged> || is_same_v<Body, Alert> || is_same_v<Body, Audit> ||
               is_same_v<Body, Caption> || is_same_v<Body, PolicyChanged> ||
               is_same_v<Body, HostForgotten>;
      },
      body);
}

bool Model::apply_condition(const DeviceChanged& changed) {
  const DeviceId id{changed.host, changed.device};
  const auto known = conditions_.find(id);
  if (changed.usable && changed.injected.empty() && !changed.drained) {
    if (known != conditions_.end()) conditions_.erase(known);
    return true;
  }
  if (known == conditions_.end() && conditions_.size() >= conditions_max) {
    ++left_out_;
    return false;
  }
  conditions_[id] = ConditionRow{changed, snapshot_};
  return true;
}

namespace {

bool same_but_text(Alert before, const Alert& now) {
  before.text = now.text;
  before.text_only = now.text_only;
  return before == now;
}

}  // namespace

bool Model::apply_alert(Instant at, const Alert& alert) {
  const AlertKey key{alert.rule, alert.subject};
  const auto known = alerts_.find(key);
  const bool changed = alert.raised ? known == alerts_.end() || known->second.alert != alert
                                    : known != alerts_.end();
  if (alert.raised && known == alerts_.end() && alerts_.size() >= alerts_max) {
    ++left_out_;
    return false;
  }
  const bool text_only =
      changed && known != alerts_.end() && same_but_text(known->second.alert, alert);
  if (alert.raised) {
    alerts_[key] = AlertRow{at, alert, snapshot_};
  } else if (known != alerts_.end()) {
    alerts_.erase(known);
  }
  if (!changed) return false;
  if (text_only) return true;  // no entry in the history
  alert_history_.push_back(AlertRow{at, alert, snapshot_});
  if (alert_history_.size() > alert_history_max) alert_history_.pop_front();
  return true;
}

bool Model::apply_audit(Instant at, const Audit& audit) {
  const bool seen = std::any_of(audits_.begin(), audits_.end(), [&](const AuditRow& row) {
    return row.at == at && row.audit == audit;
  });
  if (seen) return false;  // repeated by a snapshot
  auto place = audits_.end();
  while (place != audits_.begin() && std::prev(place)->at > at) --place;
  audits_.insert(place, AuditRow{at, audit});
  if (audits_.size() > audits_max) audits_.pop_front();
  return true;
}

bool Model::apply_caption(const Caption& caption) {
  caption_snapshot_ = snapshot_;
  if (caption.text.empty()) {
    caption_.reset();
  } else {
    caption_ = caption;
  }
  return true;
}

const ConditionRow* Model::condition_of(DeviceTable::Row row) const {
  if (conditions_.empty()) return nullptr;
  const auto known = conditions_.find(id_of(row));
  return known == conditions_.end() ? nullptr : &known->second;
}

std::size_t Model::bytes() const {
  // Typical sizes of texts and nodes: the result sets the distance of keyframes, not a limit.
  constexpr std::size_t host_bytes = 2'000, job_bytes = 1'200, decision_bytes = 1'600;
  constexpr std::size_t row_bytes = 300, point_bytes = 250;
  const std::size_t rows = replicas_.size() + events_.size() + flows_.size() + conditions_.size() +
                           alerts_.size() + alert_history_.size() + audits_.size();
  return devices_.rows() * DeviceTable::row_bytes() + hosts_.size() * host_bytes +
         jobs_.size() * job_bytes + decisions_.size() * decision_bytes + rows * row_bytes +
         curves_.points() * point_bytes;
}

}  // namespace drover::tui
