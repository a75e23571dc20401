// Filters: `drover devices --filter` and the dashboard's line behind "/", of the same expression.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

constexpr std::array<const char*, 44> filters = {"state==ok",
                                                 "state==lost",
                                                 "state==unusable",
                                                 "state==suspect",
                                                 "state==faulty",
                                                 "state==stale",
                                                 "state==drained",
                                                 "state==left",
                                                 "state!=ok",
                                                 "kind==gpu",
                                                 "kind==tpu",
                                                 "kind~h100",
                                                 "rack==rack-1",
                                                 "site==local",
                                                 "label~price",
                                                 "group==0",
                                                 "host==h100-1 & index<4",
                                                 "pool==none",
                                                 "util>50%",
                                                 "!(util>10%)",
                                                 "tensor>20%",
                                                 "membw>20%",
                                                 "mem>50%",
                                                 "temp>50",
                                                 "temp==none",
                                                 "power>200W",
                                                 "powershare>90%",
                                                 "headroom<30C",
                                                 "memtemp>60",
                                                 "clock<1000",
                                                 "running>0",
                                                 "queue>0",
                                                 "energy>1000",
                                                 "cap<500W",
                                                 "price>1",
                                                 "throttle!=no",
                                                 "pause!=no",
                                                 "model~llama",
                                                 "job~bert",
                                                 "job~llama",
                                                 "tenant==other",
                                                 "alert~host | alert~device",
                                                 "age>3s",
                                                 "age<2s | kind==tpu & job~llama"};

/// A subset for some looks on end: what differs must be seen to differ for longer than it takes.
constexpr std::uint64_t looks_on_end = 4;
constexpr std::size_t asked_at_once = 11;

struct JobFilter {
  const char* text;
  bool (*holds)(const JobChanged& job, Instant now);
};
/// Of jobs there is no filter but the dashboard's: held against what `drover jobs` says.
constexpr std::array<JobFilter, 6> job_filters = {{
    {"jobstate==queued",
     [](const JobChanged& job, Instant) { return job.state == JobState::queued; }},
    {"tenant==other", [](const JobChanged& job, Instant) { return job.job.tenant == "other"; }},
    {"work==train",
     [](const JobChanged& job, Instant) { return job.job.work.kind == WorkKind::train; }},
    {"reason==capacity",
     [](const JobChanged& job, Instant) { return job.reason == Reason::capacity; }},
    {"model~llama", [](const JobChanged& job,
                       Instant) { return job.job.work.model.find("llama") != std::string::npos; }},
    {"waited>20s",
     [](const JobChanged& job, Instant now) {
       return job.state == JobState::queued && now - job.since > std::chrono::seconds(20);
     }},
}};

/// As a person types it.
void narrow(const InterfaceAnswers& at, const std::string& filter) {
  at.dashboard.press(at.now, {"/"});
  at.dashboard.press(at.now, {"Ctrl-U"});
  at.dashboard.press(at.now, {.name = "Paste", .text = filter});
  at.dashboard.press(at.now, {"Enter"});
}

/// The fleet's devices and how old what each says is.
using Ages = std::map<std::string, double>;

Ages ages_of(const Table& table) {
  Ages ages;
  for (std::size_t row = 0; row < table.size(); ++row) {
    ages[table.text(row, "id")] = table.number(row, "age_s");
  }
  return ages;
}

void compare_filter(const InterfaceAnswers& at, const std::string& text, const Ages& ages,
                    const Comparison& compared) {
  Ages told_ages;
  for (const DeviceAnswer& device : devices_of(at)) {
    told_ages[to_text(device.id)] = device.standing.age_s;
  }
  Ids told = devices_with(at, text);
  narrow(at, text);
  Ids shown = Table(at.dashboard.table(at.now, "devices")).column("id");
  // Of devices that another sample has told of since the question, or before this router began,
  // the numbers are others.
  for (const auto& [id, age_s] : ages) {
    const auto other = told_ages.find(id);
    if (other == told_ages.end()) continue;
    if (!std::isnan(age_s) && !(std::abs(age_s - other->second) <= 0.05)) {
      told.erase(id);
      shown.erase(id);
    }
  }
  compared.same(text, told, shown);
}

void compare_job_filter(const InterfaceAnswers& at, const JobFilter& filter,
                        Inconsistencies& wrong) {
  narrow(at, filter.text);
  const Table table(at.dashboard.table(at.now, "jobs"));
  Ids told, shown;
  std::map<std::string, const JobChanged*> jobs;
  for (const JobChanged& job : at.jobs.jobs) {
    jobs[to_text(job.job.id)] = &job;
    if (filter.holds(job, at.now)) told.insert(to_text(job.job.id));
  }
  // Of ended jobs the dashboard knows others.
  for (const std::string& id : table.column("id")) {
    if (jobs.contains(id)) shown.insert(id);
  }
  std::erase_if(told, [&](const std::string& id) {
    return is_terminal(jobs.at(id)->state) && !at.tables["jobs"].find("id", id);
  });
  Comparison("jobs", "the dashboard's filter", wrong).same(filter.text, told, shown);
}

filter::Filter filter_of(const std::string& text) {
  auto filter = filter::Filter::parse(text, filter::devices);
  DROVER_REQUIRE(std::holds_alternative<filter::Filter>(filter));
  return std::get<filter::Filter>(std::move(filter));
}

/// A device with another sample than its last one.
class ResampledDevice : public tui::ModelDevice {
 public:
  ResampledDevice(const tui::EvaluationContext& at, tui::DeviceTable::Row row, const Sample& sample)
      : ModelDevice(at, row), sample_(sample) {}
  double reading(Metric metric) const override { return sample_[metric]; }

 private:
  const Sample& sample_;
};

}  // namespace

Ids devices_with(const InterfaceAnswers& at, const std::string& filter) {
  tui::FleetFilter fleet_filter;
  fleet_filter.use(filter_of(filter));
  fleet_filter.evaluate(at.fleet, at.now);
  Ids ids;
  for (const DeviceAnswer& device : devices_of(at)) {
    if (fleet_filter.shows(device.row)) ids.insert(to_text(device.id));
  }
  return ids;
}

bool holds_between_looks(const InterfaceAnswers& at, const std::string& filter,
                         const std::string& device) {
  const auto id = parse_device_id(device);
  const auto row = id ? at.fleet.find(*id) : std::nullopt;
  if (!row) return true;
  const tui::JobsByDevice jobs(at.fleet);
  const tui::EvaluationContext context{at.fleet, at.now, jobs};
  const filter::Filter asked = filter_of(filter);
  const auto& samples = at.heard.samples_of(*id);
  return std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
    return asked.matches(ResampledDevice(context, *row, sample));
  });
}

void compare_filters(const InterfaceAnswers& at, Inconsistencies& wrong) {
  std::vector<std::string> all(filters.begin(), filters.end());
  for (const std::string& pool : at.tables["pools"].column("pool")) {
    if (!pool.empty()) all.push_back("pool==" + pool);
  }
  const Ages ages = ages_of(at.tables["devices"]);
  const Comparison compared("devices --filter", "the dashboard's filter", wrong);
  const std::size_t first = at.number / looks_on_end * asked_at_once;
  for (std::size_t i = 0; i < asked_at_once; ++i) {
    compare_filter(at, all[(first + i) % all.size()], ages, compared);
  }
  for (const JobFilter& filter : job_filters) compare_job_filter(at, filter, wrong);
  narrow(at, "");
}

}  // namespace drover::commands
