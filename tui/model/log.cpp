// The part of the model that is set by users and rules: conditions of devices, alerts, events,
// audits and captions.
#include <algorithm>

#include "tui/model/model.h"

namespace drover::tui {

bool Model::take(Instant, const Envelope&, const DeviceChanged& changed) {
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

bool Model::take(Instant, const Envelope&, const BoardChanged& changed) {
  if (boards_.take({changed.host, changed.board.device}, changed.board, snapshot_)) return true;
  ++left_out_;
  return false;
}

namespace {

/// Inserts a row in the order of time; false if it is there already: a snapshot repeats rows.
template <typename Row>
bool insert_once(std::deque<Row>& rows, const Row& row, std::size_t rows_max) {
  if (std::find(rows.begin(), rows.end(), row) != rows.end()) return false;
  auto place = rows.end();
  while (place != rows.begin() && std::prev(place)->at > row.at) --place;
  rows.insert(place, row);
  if (rows.size() > rows_max) rows.pop_front();
  return true;
}

bool same_but_text(Alert before, const Alert& now) {
  before.text = now.text;
  before.text_only = now.text_only;
  return before == now;
}

}  // namespace

bool Model::take(Instant, const Envelope& envelope, const Alert& alert) {
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
    alerts_[key] = AlertRow{envelope.at, alert, snapshot_};
  } else if (known != alerts_.end()) {
    alerts_.erase(known);
  }
  if (!changed) return false;
  if (text_only) return true;  // no entry in the history
  alert_history_.push_back(AlertRow{envelope.at, alert, snapshot_});
  if (alert_history_.size() > alert_history_max) alert_history_.pop_front();
  return true;
}

bool Model::take(Instant, const Envelope& envelope, const Event& event) {
  return insert_once(events_, {envelope.at, event}, events_max);
}

bool Model::take(Instant, const Envelope& envelope, const Audit& audit) {
  return insert_once(audits_, {envelope.at, audit}, audits_max);
}

bool Model::take(Instant, const Envelope&, const Caption& caption) {
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

const Board* Model::board_of(DeviceTable::Row row) const {
  return boards_.bytes() == 0 ? nullptr : boards_.find(id_of(row));
}

DeviceCondition standing_of(const Model& model, Instant now, DeviceTable::Row row) {
  DeviceCondition condition;
  condition.health = model.host_of(row).reported.health;
  condition.stale_after_s = to_seconds(model.stale_age(model.host_of(row)));
  const Instant arrived = model.devices().arrived(row);
  if (arrived != Instant::min()) condition.age_s = std::max(0.0, to_seconds(now - arrived));
  if (const ConditionRow* const known = model.condition_of(row)) {
    condition.usable = known->reported.usable;
    condition.faulty = !known->reported.injected.empty();
    condition.drained = known->reported.drained;
  }
  return condition;
}

std::size_t Model::bytes() const {
  // Typical sizes of texts and nodes: the result sets the distance of keyframes, not a limit.
  constexpr std::size_t host_bytes = 2'000, job_bytes = 1'400, decision_bytes = 1'600;
  constexpr std::size_t row_bytes = 300, point_bytes = 250;
  const std::size_t rows = replicas_.size() + events_.size() + flows_.size() + conditions_.size() +
                           alerts_.size() + alert_history_.size() + audits_.size();
  return devices_.rows() * DeviceTable::row_bytes() + hosts_.size() * host_bytes +
         jobs_.size() * job_bytes + decisions_.size() * decision_bytes + rows * row_bytes +
         curves_.points() * point_bytes + boards_.bytes();
}

}  // namespace drover::tui
