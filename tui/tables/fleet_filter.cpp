#include "tui/tables/fleet_filter.h"

#include <algorithm>
#include <utility>

#include "tui/tables/device_queries.h"

namespace drover::tui {

std::optional<filter::Problem> FleetFilter::set(std::string_view text) {
  auto parsed = filter::Filter::parse(text);
  if (const auto* const problem = std::get_if<filter::Problem>(&parsed)) return *problem;
  use(std::get<filter::Filter>(std::move(parsed)));
  return std::nullopt;
}

void FleetFilter::use(filter::Filter filter) {
  filter_ = std::move(filter);
  asks_devices_ = false;
  for (const filter::FieldFacts& field : filter::fields()) {
    if (filter_.asks(field.field) && (field.of & filter::jobs) == 0) asks_devices_ = true;
  }
  asks_jobs_ = false;
  for (const filter::Field field :
       {filter::Field::job, filter::Field::tenant, filter::Field::model, filter::Field::pause}) {
    asks_jobs_ |= filter_.asks(field);
  }
  ++version_;
  ++result_;
}

void FleetFilter::evaluate(const Model& model, Instant now) {
  now_ = now;
  const DeviceTable::Row rows = model.devices().rows();
  devices_ = rows;
  if (!active()) return;
  jobs_ = asks_jobs_ ? JobsByDevice(model) : JobsByDevice();
  const EvaluationContext context{model, now, jobs_};
  before_.swap(shown_);
  shown_.assign(rows, 0);
  devices_ = 0;
  for (DeviceTable::Row row = 0; row < rows; ++row) {
    if (!filter_.matches(ModelDevice(context, row))) continue;
    shown_[row] = 1;
    ++devices_;
  }
  if (shown_ != before_) ++result_;
}

bool FleetFilter::shows_target(const Model& model, std::string_view target) const {
  const std::vector<DeviceTable::Row> rows = rows_of_target(model, target);
  return std::any_of(rows.begin(), rows.end(), [&](DeviceTable::Row row) { return shows(row); });
}

bool FleetFilter::shows(const Model& model, const JobChanged& job) const {
  if (!active()) return true;
  const EvaluationContext context{model, now_, jobs_};
  return filter_.matches(JobSubject(context, job)) ||
         (asks_devices_ && shows_target(model, job.target));
}

bool FleetFilter::shows(const Model& model, const Decision& decision) const {
  if (!active()) return true;
  const EvaluationContext context{model, now_, jobs_};
  return filter_.matches(DecisionSubject(context, decision)) ||
         (asks_devices_ && shows_target(model, decision.target));
}

bool FleetFilter::shows(const Model& model, const LogEntry& entry) const {
  if (!active()) return true;
  const EvaluationContext context{model, now_, jobs_};
  return filter_.matches(LogEntrySubject(context, entry));
}

bool FleetFilter::shows(const Model& model, const Replica& replica) const {
  return !active() || shows_target(model, to_text(replica.id));
}

}  // namespace drover::tui
