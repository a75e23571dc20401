#include "tui/tables/filter_subjects.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

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

/// The tenants or users of processes on real devices.
template <typename Add>
void add_owners(const Model& model, std::string DeviceProcess::*owner, const Add& add) {
  for (DeviceTable::Row row = 0; row < model.devices().rows(); ++row) {
    const Board* const board = model.spec_of(row).real ? model.board_of(row) : nullptr;
    if (board == nullptr) continue;
    for (const DeviceProcess& process : board->processes) add(process.*owner);
  }
}

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

DecisionSubject::DecisionSubject(const EvaluationContext& context, const Decision& decision)
    : context_(context), decision_(decision), device_(row_named(context.model, decision.target)) {}

double DecisionSubject::number(Field) const { return absent; }

void DecisionSubject::texts(Field field, TextMatcher& test) const {
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

LogEntrySubject::LogEntrySubject(const EvaluationContext& context, const LogEntry& entry)
    : context_(context), entry_(entry), device_(row_named(context.model, entry.subject)) {}

double LogEntrySubject::number(Field field) const {
  return device_ ? ModelDevice(context_, *device_).number(field) : absent;
}

void LogEntrySubject::texts(Field field, TextMatcher& test) const {
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
    add_owners(model, &DeviceProcess::tenant, add);
  } else if (field == Field::user) {
    add_owners(model, &DeviceProcess::user, add);
  } else if (field == Field::alert) {
    for (const auto& [key, alert] : model.alerts()) add(key.rule);
  }
  return {values.begin(), values.end()};
}

}  // namespace drover::tui
