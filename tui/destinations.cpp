#include "tui/destinations.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/dashboard_state.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

constexpr std::size_t words_max = 200;

Status to_view(DashboardState& state, const std::string& name) {
  const auto& names = view_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) state.show(static_cast<ViewId>(found - names.begin()));
  return {};
}

Status to_saved_view(DashboardState& state, const std::string& name) {
  return run_command_line(state, "view " + name);
}

/// Commands with an argument are begun, the others run.
Status to_command(DashboardState& state, const std::string& name) {
  const auto commands = line_commands();
  const auto found = std::ranges::find(commands, name, &LineCommand::name);
  if (found == commands.end()) return {};
  if (found->argument.empty()) return run_command_line(state, name);
  state.start_prompt(PromptKind::command, name + " ");
  return {};
}

Status to_devices_of(DashboardState& state, std::string_view field, const std::string& name) {
  TrailStep from = state.step_here();
  // From the devices of one host to those of another: what Enter added for the first goes.
  UiState& ui = state.ui();
  if (!ui.narrowed_to.empty() && !ui.trail.empty()) ui.fleet_filter.set(ui.trail.front().filter);
  narrow(ui, field, name);
  state.go_deeper(std::move(from), ViewId::devices);
  return {};
}

Status to_pool(DashboardState& state, const std::string& name) {
  return to_devices_of(state, "pool", name);
}

Status to_host(DashboardState& state, const std::string& name) {
  return to_devices_of(state, "host", name);
}

Status to_device(DashboardState& state, const std::string& name) {
  DROVER_ASSIGN(const auto id, parse_device_id(name));
  if (!state.model().find(id)) return error("no device {}", excerpt(name));
  TrailStep from = state.step_here();
  state.ui().device = id;
  state.go_deeper(std::move(from), ViewId::device);
  return {};
}

Status to_job(DashboardState& state, const std::string& name) {
  const auto job = find_job(state.model(), name);
  if (!job) return error("no job {}", excerpt(name));
  TrailStep from = state.step_here();
  JobList& list = state.ui().jobs;
  list.filter = JobFilter::all;
  list.chosen = job;
  list.open = true;
  state.go_deeper(std::move(from), ViewId::jobs);
  return {};
}

Status to_rule(DashboardState& state, const std::string& name) {
  TrailStep from = state.step_here();
  LogList& list = state.ui().log;
  list.filter = LogFilter::rules;
  for (const LogEntry& rule : alert_rules(state.model())) {
    if (rule.rule == name) list.chosen = rule;
  }
  state.go_deeper(std::move(from), ViewId::events);
  return {};
}

struct KindRow {
  DestinationKind kind;
  std::string_view text;
  Status (*go)(DashboardState& state, const std::string& name);
};

constexpr std::array<KindRow, 8> kinds = {{
    {DestinationKind::view, "view", to_view},
    {DestinationKind::saved_view, "saved view", to_saved_view},
    {DestinationKind::command, "command", to_command},
    {DestinationKind::pool, "pool", to_pool},
    {DestinationKind::host, "host", to_host},
    {DestinationKind::device, "device", to_device},
    {DestinationKind::job, "job", to_job},
    {DestinationKind::rule, "alert rule", to_rule},
}};
static_assert(is_in_order(kinds, &KindRow::kind));

void add_fleet(const Model& model, std::vector<Destination>& all) {
  for (const std::string& pool : model.pools()) all.push_back({DestinationKind::pool, pool});
  for (const HostRow& host : model.hosts()) {
    all.push_back({DestinationKind::host, host.reported.registration.host});
  }
  for (const DeviceTable::Row row : model.device_order()) {
    all.push_back({DestinationKind::device, to_text(model.id_of(row))});
  }
  for (const auto& [id, row] : model.jobs()) {
    const JobChanged& job = row.reported;
    all.push_back({DestinationKind::job, to_short_text(id),
                   fmt::format("{} {} {}", to_short_text(id), job.job.work.model, job.job.tenant)});
  }
}

}  // namespace

std::string_view to_text(DestinationKind kind) { return row_at(kinds, kind).text; }

std::vector<Destination> destinations_of(const DashboardState& state) {
  std::vector<Destination> all;
  for (const ViewFacts& view : view_facts) {
    all.push_back({DestinationKind::view, std::string(view.name)});
  }
  for (const auto& [name, view] : state.options.settings.views) {
    all.push_back({DestinationKind::saved_view, name});
  }
  for (const LineCommand& command : line_commands()) {
    const auto& views = view_names();
    if (std::ranges::find(views, command.name) != views.end()) continue;
    all.push_back({DestinationKind::command, std::string(command.name)});
  }
  add_fleet(state.model(), all);
  for (const LogEntry& rule : alert_rules(state.model())) {
    all.push_back({DestinationKind::rule, rule.rule});
  }
  return all;
}

std::vector<std::string> destination_words(const DashboardState& state, std::string_view prefix) {
  std::vector<std::string> words;
  const auto offer = [&](std::string word) {
    if (words.size() < words_max && word.starts_with(prefix)) words.push_back(std::move(word));
  };
  for (const auto& [name, view] : state.options.settings.views) offer(name);
  const Model& model = state.model();
  for (const std::string& pool : model.pools()) offer("pool:" + pool);
  for (const HostRow& host : model.hosts()) offer("host:" + host.reported.registration.host);
  for (const DeviceTable::Row row : model.device_order()) {
    if (words.size() >= words_max) break;
    offer(to_text(model.id_of(row)));
  }
  for (const auto& [id, row] : model.jobs()) {
    if (words.size() >= words_max) break;
    offer(to_short_text(id));
  }
  return words;
}

Status go_to(DashboardState& state, const Destination& destination) {
  return row_at(kinds, destination.kind).go(state, destination.name);
}

bool go_to_named(DashboardState& state, std::string_view name) {
  const Model& model = state.model();
  const auto after = [&](std::string_view prefix) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
  };
  const std::string text(name);
  if (state.options.settings.views.contains(text)) return to_saved_view(state, text).ok();
  if (const std::string pool(after("pool:")); std::ranges::count(model.pools(), pool) > 0) {
    return to_pool(state, pool).ok();
  }
  const std::string host(after("host:"));
  for (const HostRow& row : model.hosts()) {
    const std::string& known = row.reported.registration.host;
    if (known == host || known == text) return to_host(state, known).ok();
  }
  if (const auto id = parse_device_id(name); id && model.find(*id)) {
    return to_device(state, text).ok();
  }
  return find_job(model, name) && to_job(state, text).ok();
}

}  // namespace drover::tui
