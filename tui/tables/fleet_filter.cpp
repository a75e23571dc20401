#include "tui/tables/fleet_filter.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "fleet/job_facts.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

using filter::Field;
using filter::TextMatcher;

constexpr std::size_t values_max = 200;  // of completions

std::optional<DeviceTable::Row> row_named(const Model& model, std::string_view subject) {
  const auto device = find_device(model, subject);
  return device ? model.find(*device) : std::nullopt;
}

/// Matches the location of a job or decision, from its device; false for any other field.
bool location_texts(const EvaluationContext& context, std::optional<DeviceTable::Row> device,
                    Field field, TextMatcher& test) {
  const bool of_location =
      field == Field::host || field == Field::rack || field == Field::site || field == Field::kind;
  if (of_location && device) ModelDevice(context, *device).texts(field, test);
  return of_location;
}

class DecisionSubject final : public filter::FilterSubject {
 public:
  DecisionSubject(const EvaluationContext& context, const Decision& decision)
      : context_(context),
        decision_(decision),
        device_(row_named(context.model, decision.target)) {}
  double number(Field) const override { return absent; }
  void texts(Field field, TextMatcher& test) const override {
    if (location_texts(context_, device_, field, test)) return;
    switch (field) {
      case Field::id:
      case Field::job:
        if (!decision_.job.empty()) test.match(to_text(decision_.job));
        if (field == Field::job) test.match(decision_.model);
        return;
      case Field::model:
        test.match(decision_.model);
        return;
      case Field::pool:
        for (const std::string* const pool : {&decision_.pool, &decision_.preferred_pool}) {
          if (!pool->empty()) test.match(*pool);
        }
        return;
      case Field::work:
        test.match(to_text(decision_.kind));
        return;
      case Field::work_class:
        if (!decision_.rule.empty()) test.match(decision_.rule);
        return;
      case Field::reason:
        if (decision_.fallback_reason) test.match(to_text(*decision_.fallback_reason));
        return;
      default:
        return;
    }
  }

 private:
  const EvaluationContext& context_;
  const Decision& decision_;
  std::optional<DeviceTable::Row> device_;
};

/// Alerts and events; they also have the fields of the device that they concern.
class LogEntrySubject final : public filter::FilterSubject {
 public:
  LogEntrySubject(const EvaluationContext& context, const LogEntry& entry)
      : context_(context), entry_(entry), device_(row_named(context.model, entry.subject)) {}
  double number(Field field) const override {
    return device_ ? ModelDevice(context_, *device_).number(field) : absent;
  }
  void texts(Field field, TextMatcher& test) const override {
    switch (field) {
      case Field::id:
        test.match(entry_.subject);
        return;
      case Field::severity:
        test.match(to_text(entry_.severity));
        return;
      case Field::alert:
        if (!entry_.rule.empty()) test.match(entry_.rule);
        return;
      default:
        if (device_) ModelDevice(context_, *device_).texts(field, test);
    }
  }

 private:
  const EvaluationContext& context_;
  const LogEntry& entry_;
  std::optional<DeviceTable::Row> device_;
};

}  // namespace

JobsByDevice::JobsByDevice(const Model& model, const HostRow* only) {
  for (const auto& [id, row] : model.jobs()) {
    const std::string& target = row.reported.target;
    if (!is_placed(row.reported.state)) continue;
    if (only != nullptr && target.find(only->reported.registration.host) == std::string::npos) {
      continue;
    }
    for (const DeviceTable::Row device : rows_of_target(model, target)) {
      if (only != nullptr && (device < only->first || device >= only->end())) continue;
      jobs_[device].push_back(&row.reported);
    }
  }
}

const std::vector<const JobChanged*>& JobsByDevice::on(DeviceTable::Row row) const {
  static const std::vector<const JobChanged*> none;
  const auto known = jobs_.find(row);
  return known == jobs_.end() ? none : known->second;
}

DeviceCondition ModelDevice::condition() const {
  return standing_of(context_.model, context_.now, row_);
}

const Group& ModelDevice::group() const {
  static const Group unknown;
  const Group* const group = context_.model.group_of(row_);
  return group == nullptr ? unknown : *group;
}

void ModelDevice::each_pool(const PoolVisitor& visit) const {
  const Model& model = context_.model;
  for (const std::uint16_t pool : model.pool_numbers_of(row_)) visit(model.pools()[pool]);
}

void ModelDevice::each_replica(const ReplicaVisitor& visit) const {
  const Model& model = context_.model;
  for (const ReplicaRow* const row : replicas_on(model, model.id_of(row_))) {
    visit(row->reported.replica);
  }
}

void ModelDevice::each_job(const JobVisitor& visit) const {
  for (const JobChanged* const job : context_.jobs.on(row_)) {
    visit(job->job, pause_of(context_.model, *job));
  }
}

void ModelDevice::each_alert(const AlertVisitor& visit) const {
  for (const auto& [key, alert] : context_.model.alerts()) visit(key.subject, key.rule);
}

JobSubject::JobSubject(const EvaluationContext& context, const JobChanged& job)
    : context_(context), job_(job), device_(row_named(context.model, job.target)) {}

double JobSubject::number(Field field) const {
  switch (field) {
    case Field::priority:
      return job_.job.priority;
    case Field::progress:
      return known_progress(job_);
    case Field::remaining:
      return known_remaining_s(job_);
    case Field::waited:
      return job_.state == JobState::queued ? to_seconds(context_.now - job_.since) : absent;
    case Field::cost:
      return is_usage_known(job_) ? job_.usage.cost_usd : absent;
    case Field::energy:
      return is_usage_known(job_) ? job_.usage.energy_j : absent;
    default:
      return absent;
  }
}

void JobSubject::texts(Field field, TextMatcher& test) const {
  if (location_texts(context_, device_, field, test)) return;
  switch (field) {
    case Field::id:
      test.match(to_text(job_.job.id));
      return;
    case Field::job:
      test.match(to_text(job_.job.id));
      test.match(job_.job.work.model);
      return;
    case Field::model:
      test.match(job_.job.work.model);
      return;
    case Field::pool:
      if (!job_.pool.empty()) test.match(job_.pool);
      return;
    case Field::tenant:
      test.match(job_.job.tenant);
      return;
    case Field::work:
      test.match(to_text(job_.job.work.kind));
      return;
    case Field::work_class:
      if (!job_.work_class.empty()) test.match(job_.work_class);
      return;
    case Field::job_state:
      test.match(to_text(job_.state));
      return;
    case Field::reason:
      if (job_.reason) test.match(to_text(*job_.reason));
      return;
    case Field::pause: {
      const Pause pause = pause_of(context_.model, job_);
      test.match(pause == Pause::none ? "no" : to_text(pause));
      return;
    }
    default:
      return;
  }
}

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
}

void FleetFilter::evaluate(const Model& model, Instant now) {
  now_ = now;
  const DeviceTable::Row rows = model.devices().rows();
  devices_ = rows;
  if (!active()) return;
  jobs_ = asks_jobs_ ? JobsByDevice(model) : JobsByDevice();
  const EvaluationContext context{model, now, jobs_};
  shown_.assign(rows, 0);
  devices_ = 0;
  for (DeviceTable::Row row = 0; row < rows; ++row) {
    if (!filter_.matches(ModelDevice(context, row))) continue;
    shown_[row] = 1;
    ++devices_;
  }
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

std::vector<std::string> known_values(const Model& model, Field field) {
  std::set<std::string> values;
  const auto add = [&](std::string_view text) {
    if (!text.empty() && values.size() < values_max) values.emplace(text);
  };
  if (field == Field::kind) {
    add("gpu");
    add("tpu");
    for (const SpecRow& spec : model.specs()) add(spec.id);
  } else if (field == Field::pool) {
    for (const std::string& pool : model.pools()) add(pool);
  } else if (field == Field::host || field == Field::rack || field == Field::site) {
    for (const HostRow& host : model.hosts()) {
      const Register& registration = host.reported.registration;
      add(field == Field::host   ? registration.host
          : field == Field::rack ? registration.rack
                                 : registration.site);
    }
  } else if (field == Field::model) {
    for (const auto& [id, replica] : model.replicas()) add(replica.reported.replica.model);
    for (const auto& [id, job] : model.jobs()) add(job.reported.job.work.model);
  } else if (field == Field::tenant) {
    for (const auto& [id, job] : model.jobs()) add(job.reported.job.tenant);
  } else if (field == Field::alert) {
    for (const auto& [key, alert] : model.alerts()) add(key.rule);
  }
  return {values.begin(), values.end()};
}

}  // namespace drover::tui
