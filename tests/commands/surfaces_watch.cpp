#include "tests/commands/surfaces_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/device_filter.h"
#include "commands/device_rows.h"
#include "fleet/text.h"
#include "tui/table_rows.h"

namespace drover::commands {
namespace {

constexpr Duration ask_every = std::chrono::seconds(2);
/// Long after the last fault little happens.
constexpr Duration ask_every_later = std::chrono::seconds(20);
constexpr Duration later = std::chrono::seconds(30);
/// A message and two commits are under way for less, and samples come once a second.
constexpr Duration settles_within = std::chrono::seconds(4);
constexpr std::uint32_t ended_asked = 20;

using Ids = std::set<std::string>;

/// A table of the dashboard, by the names of its columns.
class Table {
 public:
  Table(tui::Dashboard& dashboard, Instant now, std::string_view name)
      : rows_(dashboard.table(now, name)) {}

  std::size_t size() const { return rows_.rows.size(); }
  const tui::TableCell& cell(std::size_t row, std::string_view column) const {
    const auto found = std::find(rows_.names.begin(), rows_.names.end(), column);
    DROVER_REQUIRE(found != rows_.names.end());
    return rows_.rows[row][static_cast<std::size_t>(found - rows_.names.begin())];
  }
  std::string text(std::size_t row, std::string_view column) const {
    const tui::TableCell& at = cell(row, column);
    if (const auto* text = std::get_if<std::string>(&at)) return *text;
    if (const auto* number = std::get_if<double>(&at)) return fmt::format("{}", *number);
    return "";
  }
  /// Absent where the cell is empty.
  double number(std::size_t row, std::string_view column) const {
    const auto* number = std::get_if<double>(&cell(row, column));
    return number ? *number : absent;
  }

 private:
  tui::TableRows rows_;
};

class Comparison {
 public:
  Comparison(const Surfaces& at, Differences& wrong) : at_(at), wrong_(wrong) {}

  void same(const std::string& what, std::string_view one_surface, const std::string& one,
            std::string_view other_surface, const std::string& other) {
    if (one == other) return;
    doubt(what, one_surface, one, other_surface, other);
  }

  void devices() {
    const Table table(at_.dashboard, at_.now, "devices");
    std::map<std::string, DeviceRow> rows;
    for (DeviceRow& row : rows_of(at_.fleet, {at_.now})) {
      std::string id = to_text(row.id);
      rows.emplace(std::move(id), std::move(row));
    }
    same("devices", "devices", std::to_string(rows.size()), "the dashboard",
         std::to_string(table.size()));
    for (std::size_t at = 0; at < table.size(); ++at) {
      const std::string id = table.text(at, "id");
      const auto row = rows.find(id);
      if (row == rows.end()) {
        same(id, "devices", "nothing", "the dashboard", "a device");
        continue;
      }
      device(id, row->second, table, at);
    }
    states(table);
  }

  void jobs() {
    const Table table(at_.dashboard, at_.now, "jobs");
    std::map<std::string, const JobChanged*> told;
    for (const JobChanged& job : at_.jobs.jobs) told[to_text(job.job.id)] = &job;
    Ids shown;
    for (std::size_t at = 0; at < table.size(); ++at) {
      const std::string id = table.text(at, "id");
      shown.insert(id);
      const auto job = told.find(id);
      // Of ended ones both show the last few, not the same ones.
      if (job != told.end()) same_job(*job->second, table, at);
      if (job == told.end()) ended("the dashboard", id, table.text(at, "state"), "jobs");
    }
    for (const auto& [id, job] : told) {
      if (!shown.contains(id)) ended("jobs", id, std::string(to_text(job->state)), "the dashboard");
    }
  }

  /// Which job each device is said to run, and what the job says.
  void places() {
    const Table table(at_.dashboard, at_.now, "devices");
    Ids on_devices, running, placed_somewhere;
    for (std::size_t at = 0; at < table.size(); ++at) {
      for (const std::string& job : split(table.text(at, "jobs"), ' ')) {
        if (!job.empty()) on_devices.insert(job);
      }
    }
    for (const JobChanged& job : at_.jobs.jobs) {
      if (job.state == JobState::running) running.insert(to_text(job.job.id));
      if (job.state == JobState::leased) placed_somewhere.insert(to_text(job.job.id));
    }
    placed_somewhere.insert(running.begin(), running.end());
    for (const std::string& job : running) {
      if (!on_devices.contains(job)) same(job, "jobs", "running", "devices", "on no device");
    }
    for (const auto& [name, host] : at_.fleet.hosts()) {
      for (const auto& [job, placed] : host.jobs) {
        const std::string id = to_text(job);
        if (!placed_somewhere.contains(id)) same(id, "devices", "on " + name, "jobs", "nowhere");
      }
    }
  }

  void sums() {
    if (at_.jobs.left_out > 0) return;
    std::map<JobState, std::uint64_t> count;
    std::map<Reason, std::uint64_t> waiting;
    for (const JobChanged& job : at_.jobs.jobs) {
      ++count[job.state];
      if (job.state == JobState::queued && job.reason) ++waiting[*job.reason];
    }
    const Summary& sum = at_.summary;
    number("queued", sum.queued, count[JobState::queued]);
    number("running", sum.running, count[JobState::leased] + count[JobState::running]);
    number("ended", sum.finished + sum.failed + sum.cancelled, at_.jobs.ended_ever);
    for (const auto& [reason, jobs] : sum.queued_for) waiting.emplace(reason, 0);
    for (const auto& [reason, jobs] : waiting) {
      const auto found = sum.queued_for.find(reason);
      number(fmt::format("waiting for {}", to_text(reason)),
             found == sum.queued_for.end() ? 0 : found->second, jobs);
    }
  }

  void hosts() {
    const Table table(at_.dashboard, at_.now, "hosts");
    same("hosts", "devices", std::to_string(at_.fleet.hosts().size()), "the dashboard",
         std::to_string(table.size()));
    for (std::size_t at = 0; at < table.size(); ++at) {
      const auto host = at_.fleet.hosts().find(table.text(at, "host"));
      if (host == at_.fleet.hosts().end()) continue;
      same(host->first, "devices", std::string(to_text(host->second.changed.health)),
           "the dashboard", table.text(at, "state"));
    }
  }

  void replicas() {
    const Table table(at_.dashboard, at_.now, "replicas");
    std::map<std::string, std::string> shown, told;
    for (std::size_t at = 0; at < table.size(); ++at) {
      shown[table.text(at, "id")] = table.text(at, "model") + " " + table.text(at, "state");
    }
    for (const auto& [id, changed] : at_.fleet.replicas()) {
      const auto host = at_.fleet.hosts().find(id.host);
      if (host == at_.fleet.hosts().end() || is_gone(host->second.changed.health)) continue;
      told[to_text(id)] =
          fmt::format("{} {}", changed.replica.model, to_text(changed.replica.state));
    }
    for (const auto& [id, words] : told) same(id, "devices", words, "the dashboard", shown[id]);
  }

  void alerts() {
    const Table table(at_.dashboard, at_.now, "events");
    Ids shown, told;
    for (std::size_t at = 0; at < table.size(); ++at) {
      if (table.text(at, "kind") != "raised") continue;
      shown.insert(table.text(at, "rule") + " " + table.text(at, "subject"));
    }
    for (const auto& [subject, rules] : at_.fleet.alerts()) {
      for (const std::string& rule : rules) told.insert(rule + " " + subject);
    }
    for (const std::string& alert : told) {
      if (!shown.contains(alert)) same(alert, "alerts", "raised", "the dashboard", "nothing");
    }
    for (const std::string& alert : shown) {
      if (!told.contains(alert)) same(alert, "alerts", "nothing", "the dashboard", "raised");
    }
  }

 private:
  void number(const std::string& what, std::uint64_t status, std::uint64_t jobs) {
    same(what, "status", std::to_string(status), "jobs", std::to_string(jobs));
  }

  void known(const std::string& what, double one, double other, double apart) {
    const bool alike =
        std::isnan(one) == std::isnan(other) && (std::isnan(one) || std::abs(one - other) <= apart);
    if (alike) return;
    doubt(what, "devices", fmt::format("{}", one), "the dashboard", fmt::format("{}", other));
  }

  /// What the surfaces say may change while they still disagree: only `what` tells doubts apart.
  void doubt(const std::string& what, std::string_view one_surface, const std::string& one,
             std::string_view other_surface, const std::string& other) {
    wrong_[fmt::format("S: {} ({} and {})", what, one_surface, other_surface)] = {
        settles_within, fmt::format("'{}' and '{}'", one, other)};
  }

  void device(const std::string& id, const DeviceRow& row, const Table& table, std::size_t at) {
    same(id + " state", "devices", states_text(row.standing), "the dashboard",
         table.text(at, "state"));
    same(id + " models", "devices", row.models, "the dashboard", table.text(at, "models"));
    same(id + " pause", "devices", row.pause == Pause::none ? "" : std::string(to_text(row.pause)),
         "the dashboard", table.text(at, "pause"));
    known(id + " cap", row.sample[Metric::power_cap], table.number(at, "power_cap_w"), 0.5);
    // Known to both or to neither; between the questions another sample may have come.
    for (const auto& [metric, column] :
         {std::pair{Metric::power, "power_w"}, std::pair{Metric::temperature, "temperature_c"},
          std::pair{Metric::utilization, "utilization"}}) {
      known(fmt::format("{} {} is known", id, column), row.sample[metric], table.number(at, column),
            1e9);
    }
    known(id + " age", row.standing.age_s, table.number(at, "age_s"), 2);
  }

  /// The filters of commands, and what the dashboard's table says.
  void states(const Table& table) {
    for (int state = 0; state < device_state_count; ++state) {
      const std::string word(to_text(static_cast<DeviceState>(state)));
      Ids shown, told;
      for (std::size_t at = 0; at < table.size(); ++at) {
        const auto words = split(table.text(at, "state"), ' ');
        if (std::find(words.begin(), words.end(), word) == words.end()) continue;
        shown.insert(table.text(at, "id"));
      }
      std::vector<DeviceRow> rows = rows_of(at_.fleet, {at_.now});
      auto filter = filter::Filter::parse("state == " + word, filter::devices);
      DeviceFilter(std::get<filter::Filter>(std::move(filter))).narrow(rows, at_.fleet);
      for (const DeviceRow& row : rows) told.insert(to_text(row.id));
      same("state == " + word, "devices --filter", fmt::format("{}", fmt::join(told, " ")),
           "the dashboard", fmt::format("{}", fmt::join(shown, " ")));
    }
  }

  void same_job(const JobChanged& job, const Table& table, std::size_t at) {
    const std::string id = to_text(job.job.id);
    same(id, "jobs", std::string(to_text(job.state)), "the dashboard", table.text(at, "state"));
    same(id + " reason", "jobs", job.reason ? std::string(to_text(*job.reason)) : "",
         "the dashboard", table.text(at, "reason"));
    same(id + " target", "jobs", job.target, "the dashboard", table.text(at, "target"));
    same(id + " attempt", "jobs", std::to_string(job.attempt), "the dashboard",
         table.text(at, "attempt"));
  }

  void ended(std::string_view one, const std::string& id, const std::string& state,
             std::string_view other) {
    const auto known = parse_job_state(state);
    if (!known || !is_terminal(*known)) same(id, one, state, other, "nothing");
  }

  const Surfaces& at_;
  Differences& wrong_;
};

}  // namespace

void compare_surfaces(const Surfaces& at, Differences& wrong) {
  Comparison comparison(at, wrong);
  comparison.devices();
  comparison.jobs();
  comparison.places();
  comparison.sums();
  comparison.hosts();
  comparison.replicas();
  comparison.alerts();
}

void SurfacesWatch::begin(simulator::World& world, const simulator::Storm& storm) {
  world_ = &world;
  policy_ = &storm.scenario.policy;
  calm_ = world.now() + storm.calm;
  tui::DashboardOptions options;
  options.connected_to = "the storm";
  dashboard_ = std::make_unique<tui::Dashboard>(options, tui::Size{120, 40}, world.now());
  asked_.reset();
  asked_at_ = Instant::min();
  site_cap_w_ = 0;
  doubts_ = {};
}

void SurfacesWatch::hear(Peer from, const Envelope& envelope) {
  dashboard_->receive(world_->now(), from, envelope);
  if (const auto* policy = std::get_if<PolicyChanged>(&envelope.body)) {
    site_cap_w_ = policy->site_power_cap_w;
  }
  if (!asked_) return;
  if (!asked_->fleet.whole() && std::holds_alternative<SnapshotPart>(envelope.body)) {
    asked_->fleet.receive(envelope);
  }
  if (from == publish_peer) return;
  if (const auto* jobs = std::get_if<JobsReply>(&envelope.body)) asked_->jobs = *jobs;
  if (const auto* summary = std::get_if<Summary>(&envelope.body)) asked_->summary = *summary;
}

void SurfacesWatch::pass_on() {
  dashboard_->tick(world_->now());
  for (Send& send : dashboard_->take_outbox().sends) {
    world_->client_send(std::move(send.envelope.body));
  }
}

void SurfacesWatch::ask() {
  asked_.emplace();
  asked_at_ = world_->now();
  world_->client_send(SnapshotRequest{});
  JobsRequest jobs;
  jobs.ended_max = ended_asked;
  world_->client_send(jobs);
  world_->client_send(SummaryRequest{});
}

void SurfacesWatch::look(std::vector<std::string>& broken) {
  pass_on();
  if (!world_->has_router()) return asked_.reset();
  const Instant now = world_->now();
  if (asked_ && asked_->fleet.whole() && asked_->jobs && asked_->summary) {
    Differences wrong;
    const Surfaces at{
        asked_->fleet, *asked_->jobs, *asked_->summary, *dashboard_, *policy_, site_cap_w_, now};
    compare_surfaces(at, wrong);
    compare_truth(at, *world_, wrong);
    compare_alerts(at, wrong);
    doubts_.see(now, wrong, broken);
    ++compared_;
    asked_.reset();
  }
  const Duration every = now < calm_ + later ? ask_every : ask_every_later;
  if (asked_at_ == Instant::min() || now - asked_at_ >= every) ask();
}

}  // namespace drover::commands
