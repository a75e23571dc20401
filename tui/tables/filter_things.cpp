#include "tui/tables/filter_things.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string>

#include <fmt/format.h>

#include "fleet/filter/filter_device.h"
#include "fleet/job_facts.h"
#include "tui/model/device_state.h"
#include "tui/tables/columns.h"
#include "tui/tables/device_facts.h"
#include "tui/tables/subjects.h"

namespace drover::tui {
namespace {

using filter::Field;
using filter::TextTest;

constexpr std::size_t values_max = 200;  // known ones; more are not offered

std::optional<DeviceTable::Row> row_named(const Model& model, std::string_view subject) {
  const auto device = device_named(model, subject);
  return device ? model.find(*device) : std::nullopt;
}

/// Where a job or a decision is, by the device's own answers; false: not such a field.
bool place_texts(const Judged& judged, std::optional<DeviceTable::Row> place, Field field,
                 TextTest& test) {
  const bool of_place =
      field == Field::host || field == Field::rack || field == Field::site || field == Field::kind;
  if (of_place && place) DeviceThing(judged, *place).texts(field, test);
  return of_place;
}

}  // namespace

JobsByDevice::JobsByDevice(const Model& model) {
  for (const auto& [id, row] : model.jobs()) {
    const JobState state = row.said.state;
    if (state != JobState::running && state != JobState::leased) continue;
    for (const DeviceTable::Row device : rows_of_target(model, row.said.target)) {
      jobs_[device].push_back(&row.said);
    }
  }
}

const std::vector<const JobChanged*>& JobsByDevice::on(DeviceTable::Row row) const {
  static const std::vector<const JobChanged*> none;
  const auto known = jobs_.find(row);
  return known == jobs_.end() ? none : known->second;
}

double DeviceThing::number(Field field) const {
  const Model& model = judged_.model;
  filter::DeviceFacts facts;
  facts.index = model.devices().index(row_);
  facts.group = model.devices().group(row_);
  facts.standing = standing_of(model, judged_.now, row_);
  facts.slowdown_c = model.spec_of(row_).slowdown_c;
  if (const Group* const group = model.group_of(row_)) facts.group_cap_w = group->power_cap_w;
  facts.price_usd_per_h = model.price_usd_per_h(row_);
  return filter::number_of(field, facts,
                           [&](Metric metric) { return model.reading(row_, metric); });
}

void DeviceThing::job_texts(Field field, TextTest& test) const {
  for (const JobChanged* const job : judged_.jobs.on(row_)) {
    if (field == Field::tenant) {
      test.see(job->job.tenant);
    } else {
      test.see(to_text(job->job.id));
      test.see(job->job.work.model);
    }
  }
}

void DeviceThing::pause_texts(TextTest& test) const {
  const Model& model = judged_.model;
  if (model.is_gone(row_)) return;
  const Pause pause = pause_on(model, model.id_of(row_), judged_.jobs.on(row_));
  test.see(pause == Pause::none ? "no" : to_text(pause));
}

/// Of what is loaded or runs there.
void DeviceThing::model_texts(TextTest& test) const {
  const Model& model = judged_.model;
  if (model.is_gone(row_)) return;
  for (const ReplicaRow* const replica : replicas_on(model, model.id_of(row_))) {
    test.see(replica->said.replica.model);
  }
  for (const JobChanged* const job : judged_.jobs.on(row_)) test.see(job->job.work.model);
}

void DeviceThing::texts(Field field, TextTest& test) const {
  const Model& model = judged_.model;
  const Hello& hello = model.host_of(row_).said.hello;
  const auto see_unless_empty = [&](std::string_view text) {
    if (!text.empty()) test.see(text);
  };
  switch (field) {
    case Field::id:
      test.see(to_text(model.id_of(row_)));
      return;
    case Field::host:
      test.see(hello.host);
      return;
    case Field::rack:
      return see_unless_empty(hello.rack);
    case Field::site:
      return see_unless_empty(hello.site);
    case Field::kind:
      test.see(model.spec_of(row_).device_class == DeviceClass::tpu ? "tpu" : "gpu");
      test.see(model.spec_of(row_).id);
      return;
    case Field::pool:
      for (const std::uint16_t pool : model.pool_numbers_of(row_)) test.see(model.pools()[pool]);
      return;
    case Field::label:
      for (const auto& [key, value] : hello.labels) test.see(fmt::format("{}={}", key, value));
      return;
    case Field::state:
      return filter::show_states(standing_of(model, judged_.now, row_), test);
    case Field::slowed:
      return filter::show_slowed(model.reading(row_, Metric::throttle), test);
    case Field::model:
      return model_texts(test);
    case Field::pause:
      return pause_texts(test);
    case Field::job:
    case Field::tenant:
      return job_texts(field, test);
    case Field::alert: {
      const std::string id = to_text(model.id_of(row_));
      for (const auto& [key, alert] : model.alerts()) {
        if (filter::is_about_device(key.subject, id, hello.host)) test.see(key.rule);
      }
      return;
    }
    default:
      return;
  }
}

JobThing::JobThing(const Judged& judged, const JobChanged& job)
    : judged_(judged), job_(job), place_(row_named(judged.model, job.target)) {}

double JobThing::number(Field field) const {
  switch (field) {
    case Field::priority:
      return job_.job.priority;
    case Field::progress:
      return known_progress(job_);
    case Field::remaining:
      return known_remaining_s(job_);
    case Field::waited:
      return job_.state == JobState::queued ? to_seconds(judged_.now - job_.since) : absent;
    case Field::cost:
      return is_usage_known(job_) ? job_.usage.cost_usd : absent;
    case Field::energy:
      return is_usage_known(job_) ? job_.usage.energy_j : absent;
    default:
      return absent;
  }
}

void JobThing::texts(Field field, TextTest& test) const {
  if (place_texts(judged_, place_, field, test)) return;
  switch (field) {
    case Field::id:
      test.see(to_text(job_.job.id));
      return;
    case Field::job:
      test.see(to_text(job_.job.id));
      test.see(job_.job.work.model);
      return;
    case Field::model:
      test.see(job_.job.work.model);
      return;
    case Field::pool:
      if (!job_.pool.empty()) test.see(job_.pool);
      return;
    case Field::tenant:
      test.see(job_.job.tenant);
      return;
    case Field::work:
      test.see(to_text(job_.job.work.kind));
      return;
    case Field::work_class:
      if (!job_.work_class.empty()) test.see(job_.work_class);
      return;
    case Field::job_state:
      test.see(to_text(job_.state));
      return;
    case Field::reason:
      if (job_.reason) test.see(to_text(*job_.reason));
      return;
    case Field::pause: {
      const Pause pause = pause_of(judged_.model, job_);
      test.see(pause == Pause::none ? "no" : to_text(pause));
      return;
    }
    default:
      return;
  }
}

DecisionThing::DecisionThing(const Judged& judged, const Decision& decision)
    : judged_(judged), decision_(decision), place_(row_named(judged.model, decision.target)) {}

double DecisionThing::number(Field) const { return absent; }

void DecisionThing::texts(Field field, TextTest& test) const {
  if (place_texts(judged_, place_, field, test)) return;
  switch (field) {
    case Field::id:
    case Field::job:
      if (!decision_.job.empty()) test.see(to_text(decision_.job));
      if (field == Field::job) test.see(decision_.model);
      return;
    case Field::model:
      test.see(decision_.model);
      return;
    case Field::pool:
      for (const std::string* const pool : {&decision_.pool, &decision_.wanted_pool}) {
        if (!pool->empty()) test.see(*pool);
      }
      return;
    case Field::work:
      test.see(to_text(decision_.kind));
      return;
    case Field::work_class:
      if (!decision_.rule.empty()) test.see(decision_.rule);
      return;
    case Field::reason:
      if (decision_.fallback_reason) test.see(to_text(*decision_.fallback_reason));
      return;
    default:
      return;
  }
}

NewsThing::NewsThing(const Judged& judged, const News& news)
    : judged_(judged), news_(news), place_(row_named(judged.model, news.subject)) {}

double NewsThing::number(Field field) const {
  return place_ ? DeviceThing(judged_, *place_).number(field) : absent;
}

void NewsThing::texts(Field field, TextTest& test) const {
  switch (field) {
    case Field::id:
      test.see(news_.subject);
      return;
    case Field::severity:
      test.see(to_text(news_.severity));
      return;
    case Field::alert:
      if (!news_.rule.empty()) test.see(news_.rule);
      return;
    default:
      if (place_) DeviceThing(judged_, *place_).texts(field, test);
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
      const Hello& hello = host.said.hello;
      add(field == Field::host ? hello.host : field == Field::rack ? hello.rack : hello.site);
    }
  } else if (field == Field::model) {
    for (const auto& [id, replica] : model.replicas()) add(replica.said.replica.model);
    for (const auto& [id, job] : model.jobs()) add(job.said.job.work.model);
  } else if (field == Field::tenant) {
    for (const auto& [id, job] : model.jobs()) add(job.said.job.tenant);
  } else if (field == Field::alert) {
    for (const auto& [key, alert] : model.alerts()) add(key.rule);
  }
  return {values.begin(), values.end()};
}

}  // namespace drover::tui
