#include "tests/commands/consistency/watch.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "commands/query/job_listing.h"
#include "commands/query/reports.h"

namespace drover::commands {
namespace {

/// In no step with heartbeats and samples, which come once a second: else what is under way at one
/// look is under way at the next.
constexpr Duration ask_every = std::chrono::milliseconds(2900);
/// Long after the last fault little happens. What looks wrong then is looked at again soon.
constexpr Duration ask_every_later = std::chrono::seconds(60);
constexpr Duration later = std::chrono::seconds(30);
constexpr std::uint32_t ended_asked = 20;
/// Of many that wait, the oldest and the youngest.
constexpr std::size_t whys_asked = 2;

constexpr void (*comparisons[])(const InterfaceAnswers&, Inconsistencies&) = {
    compare_devices, compare_hosts, compare_filters, compare_jobs,      compare_places,
    compare_whys,    compare_sums,  compare_pools,   compare_decisions, compare_alerts,
    compare_rules,   compare_views, judge_alerts};

}  // namespace

std::vector<DeviceAnswer> devices_of(const InterfaceAnswers& at) {
  std::vector<DeviceAnswer> answers;
  for (const tui::DeviceTable::Row row : tui::devices_by_name(at.fleet, {})) {
    answers.push_back({row, at.fleet.id_of(row), tui::standing_of(at.fleet, at.now, row)});
  }
  return answers;
}

std::vector<Alert> alerts_of(const InterfaceAnswers& at) {
  std::vector<Alert> alerts;
  for (const auto& [key, row] : at.fleet.alerts()) alerts.push_back(row.alert);
  return alerts;
}

tui::TableRows table_of(const InterfaceAnswers& at, std::string_view name) {
  return tui::table_rows({at.fleet, at.now, {}, {}, {}}, name);
}

void ConsistencyWatch::begin(simulator::Simulation& world, const simulator::FaultStorm& storm) {
  world_ = &world;
  policy_ = &storm.scenario.policy;
  calm_ = world.now() + storm.calm;
  tui::DashboardOptions options;
  options.connected_to = "the storm";
  dashboard_ = std::make_unique<tui::Dashboard>(options, tui::Size{120, 40}, world.now());
  heard_ = std::make_unique<PublishedStreamView>(*policy_, world.now());
  lived_ = {};
  growth_ = {};
  asked_.reset();
  asked_at_ = Instant::min();
  life_ = world.router_incarnation();
  transients_ = {};
  broken_.clear();
}

void ConsistencyWatch::hear(Peer from, const Envelope& envelope) {
  if (life_ != world_->router_incarnation()) {
    life_ = world_->router_incarnation();
    heard_->begin_life(world_->now());
    asked_.reset();
    transients_ = {};  // it begins to look anew, and has the same time for it
  }
  if (std::holds_alternative<SampleBatch>(envelope.body)) lived_.note(*world_);
  if (const auto* device = std::get_if<DeviceChanged>(&envelope.body)) {
    lived_.hear(world_->now(), *device);
  }
  const auto* part = std::get_if<SnapshotPart>(&envelope.body);
  // Whoever watches hears no answers to others.
  if (from == publish_peer || part) dashboard_->receive(world_->now(), from, envelope);
  if (from == publish_peer) return heard_->hear(world_->now(), envelope);
  if (!asked_) return;
  if (part && !asked_->subscriber.has_snapshot()) {
    asked_->subscriber.receive(world_->now(), from, envelope, asked_->fleet);
  }
  if (const auto* jobs = std::get_if<JobsReply>(&envelope.body)) take_page(*jobs);
  if (const auto* summary = std::get_if<Summary>(&envelope.body)) asked_->summary = *summary;
  if (const auto* policy = std::get_if<PolicyReply>(&envelope.body)) asked_->policy = *policy;
  // At once: the answers are some milliseconds old, and so is what the dashboard has heard.
  if (!asked_->whole() || !world_->has_router()) return;
  compare();
  asked_.reset();
}

void ConsistencyWatch::take_page(const JobsReply& page) {
  std::vector<JobChanged> jobs = std::move(asked_->pages);
  jobs.insert(jobs.end(), page.jobs.begin(), page.jobs.end());
  if (const auto next = next_page(asked_->page, page)) {
    asked_->page = *next;
    asked_->pages = std::move(jobs);
    return world_->client_send(asked_->page);
  }
  asked_->jobs = page;
  asked_->jobs->jobs = once_each(std::move(jobs));
}

void ConsistencyWatch::pass_on() {
  dashboard_->tick(world_->now());
  for (tui::Effect& effect : dashboard_->take_effects()) {
    if (auto* send = std::get_if<Send>(&effect)) {
      world_->client_send(std::move(send->envelope.body));
    }
  }
}

void ConsistencyWatch::ask() {
  asked_.emplace();
  asked_at_ = world_->now();
  if (auto request = asked_->subscriber.take_snapshot_request(world_->now())) {
    world_->client_send(std::move(request->body));
  }
  asked_->page.ended_max = ended_asked;
  world_->client_send(asked_->page);
  world_->client_send(SummaryRequest{});
  world_->client_send(PolicyRequest{});
}

std::vector<WhyReply> ConsistencyWatch::ask_why() {
  std::vector<JobId> waiting;
  for (const JobChanged& job : asked_->jobs->jobs) {
    if (job.state == JobState::queued) waiting.push_back(job.job.id);
  }
  if (waiting.size() > whys_asked) {
    waiting.erase(waiting.begin() + 1, waiting.end() - (whys_asked - 1));
  }
  std::vector<WhyReply> whys;
  for (const JobId& job : waiting) whys.push_back(world_->why(job));
  asked_why_ += whys.size();
  return whys;
}

void ConsistencyWatch::hold_counters() {
  growth_.hold_status(to_json(*asked_->summary), broken_);
  const auto hold = [&](const std::string& host, const char* what, std::uint64_t count) {
    growth_.hold(fmt::format("{} {}", host, what), static_cast<double>(count), broken_);
  };
  for (const tui::HostRow& host : asked_->fleet.hosts()) {
    const std::string& name = host.reported.registration.host;
    hold(name, "router_sample_gaps", host.reported.sample_gaps);
    hold(name, "samples_skipped", host.reported.samples_thinned);
    hold(name, "undecodable", host.reported.undecodable);
  }
}

void ConsistencyWatch::compare() {
  const Instant now = world_->now();
  const std::vector<WhyReply> whys = ask_why();
  const Tables tables(*dashboard_, now);
  const InterfaceAnswers at{asked_->fleet, *asked_->jobs, *asked_->summary, *asked_->policy,
                            whys,          *heard_,       *dashboard_,      tables,
                            *policy_,      now,           compared_};
  Inconsistencies wrong;
  for (const auto comparison : comparisons) comparison(at, wrong);
  lived_.note(*world_);
  judge_by_truth(at, *world_, lived_, wrong);
  hold_counters();
  heard_->end_look();
  transients_.match(now, wrong, broken_);
  ++compared_;
}

void ConsistencyWatch::look(std::vector<std::string>& broken) {
  pass_on();
  lived_.note(*world_);
  if (!world_->has_router()) return asked_.reset();
  broken.insert(broken.end(), broken_.begin(), broken_.end());
  broken_.clear();
  const Instant now = world_->now();
  const bool seldom = now >= calm_ + later && !transients_.any_within(ask_every_later);
  const Duration every = seldom ? ask_every_later : ask_every;
  if (asked_at_ == Instant::min() || now - asked_at_ >= every) ask();
}

}  // namespace drover::commands
