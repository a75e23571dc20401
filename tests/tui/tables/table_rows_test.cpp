// Tables for programs: a row for each thing, what is not known is missing, and the filter narrows
// what it can narrow.
#include "tui/tables/table_rows.h"
#include "tui/state/view_id.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/history/in_memory_timeline.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
const TableCell missing;

TableRows table_of(const char* name) {
  SampleFleet fleet;
  return dashboard_of(fleet, {80, 24}, "fleet")->table(SampleFleet::after_40s, name);
}

TableRows narrowed_table(const char* filter, const char* device, const char* name) {
  InMemoryTimeline recording(SampleFleet::start, seconds(1));
  SampleFleet fleet;
  for (const Envelope& reported : fleet.state()) recording.add(SampleFleet::start, reported);
  for (const Envelope& reported : fleet.samples(0)) recording.add(SampleFleet::start, reported);
  DashboardOptions options;
  options.settings.start.filter = filter;
  options.device = device;
  options.replay = {&recording, "x", 1, SampleFleet::start, true};
  return Dashboard(options, {80, 24}, SampleFleet::start).table(SampleFleet::start, name);
}

/// Of the row that `first` begins.
TableCell cell(const TableRows& table, const std::string& first, const std::string& name) {
  const auto at = std::find(table.names.begin(), table.names.end(), name);
  if (at == table.names.end()) return "no such column";
  for (const auto& row : table.rows) {
    if (row[0] == TableCell(first)) return row[static_cast<std::size_t>(at - table.names.begin())];
  }
  return "no such row";
}

TEST(TableRows, HaveARowPerItemAndACellPerColumn) {
  const SampleFleet fleet;
  struct Case {
    const char* table;
    std::size_t rows;
  };
  const std::vector<Case> cases = {{"devices", 36},
                                   {"replicas", fleet.replicas.size()},
                                   {"jobs", fleet.jobs.size()},
                                   {"classes", fleet.summary.classes.size()},
                                   {"decisions", fleet.decisions.size()},
                                   {"flows", 4},
                                   {"fallbacks", fleet.summary.fallbacks.size()},
                                   {"pools", fleet.policy.pools.size()},
                                   {"events", 0},  // counted elsewhere
                                   {"alerts", fleet.alerts.size()},
                                   {"rules", fleet.policy.alert_rules.size()},
                                   {"hosts", fleet.hosts.size()},
                                   {"users", 2}};
  ASSERT_EQ(cases.size(), table_names().size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].table);
    EXPECT_EQ(cases[i].table, table_names()[i]);
    const TableRows table = table_of(cases[i].table);
    if (cases[i].rows > 0) {
      EXPECT_EQ(table.rows.size(), cases[i].rows);
    }
    EXPECT_GT(table.rows.size(), 0u);
    for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.names.size());
  }
}

TEST(TableRows, EachListViewHasItsOwnTable) {
  std::vector<std::string> found;
  for (const std::string& view : view_names()) found.emplace_back(table_of_view(view));
  EXPECT_EQ(found, (std::vector<std::string>{"", "devices", "", "jobs", "decisions", "pools",
                                             "events", "hosts", "users", ""}));
}

TEST(TableRows, OfALostDeviceLeaveUnknownValuesEmpty) {
  const TableRows table = table_of("devices");
  EXPECT_EQ(cell(table, "edge-1/0", "state"), TableCell("lost"));
  EXPECT_EQ(cell(table, "edge-1/0", "power_w"), missing);
  EXPECT_EQ(cell(table, "edge-1/0", "models"), missing);
  EXPECT_TRUE(std::holds_alternative<double>(cell(table, "gpu-a/0", "power_w")));
}

TEST(TableRows, OfJobsLeaveUnreportedValuesEmpty) {
  const TableRows jobs = table_of("jobs");
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(jobs.names.begin(), jobs.names.end(), name) -
                                    jobs.names.begin());
  };
  int running = 0, finished = 0;
  for (const auto& row : jobs.rows) {
    const bool serves = row[column("kind")] == TableCell("serve");
    if (row[column("state")] == TableCell("running")) {
      EXPECT_EQ(row[column("usage.energy_j")], missing) << "told when an attempt ends";
      EXPECT_EQ(row[column("usage.cost_usd")], missing);
      EXPECT_EQ(row[column("progress")] == missing, serves) << "a request tells none";
      ++running;
    } else if (row[column("state")] == TableCell("finished")) {
      EXPECT_TRUE(std::holds_alternative<double>(row[column("usage.energy_j")]));
      ++finished;
    }
  }
  EXPECT_GT(running, 2);
  EXPECT_GT(finished, 2);
  const TableRows replicas = table_of("replicas");
  EXPECT_EQ(cell(replicas, "edge-1/r0", "state"), TableCell("lost"));
  EXPECT_EQ(cell(replicas, "edge-1/r0", "running"), missing);
  EXPECT_EQ(cell(replicas, "edge-1/r0", "kv_tokens_used"), missing);
}

TEST(TableRows, OfPoolsIncludeThoseThatJobsAwaitBeforeAnyDeviceJoins) {
  SampleFleet fleet;
  PoolReport awaited{"awaited"};
  awaited.queued = 7;
  fleet.summary.pools.push_back(awaited);
  const TableRows pools =
      dashboard_of(fleet, {80, 24}, "fleet")->table(SampleFleet::after_40s, "pools");
  EXPECT_EQ(cell(pools, "awaited", "queued"), TableCell(7.0));
  EXPECT_EQ(cell(pools, "awaited", "devices"), TableCell(0.0));
  EXPECT_EQ(cell(pools, "awaited", "power_w"), missing);
}

TEST(TableRows, OfTotalsLeaveUnknownValuesEmpty) {
  const TableRows classes = table_of("classes");
  EXPECT_EQ(cell(classes, "batch-embed", "p99"), missing) << "nothing of it has finished";
  EXPECT_EQ(cell(classes, "finetune", "within_target"), missing) << "it has no target";
  EXPECT_EQ(cell(classes, "chat-large", "target"), TableCell(0.5)) << "seconds";
  EXPECT_EQ(cell(classes, "chat-large", "burns_fast"), TableCell(true));
  EXPECT_EQ(cell(classes, "chat-small", "burns_fast"), TableCell(false));
  EXPECT_EQ(cell(classes, "finetune", "burns_fast"), missing) << "it has no target";
  const TableRows fallbacks = table_of("fallbacks");
  EXPECT_EQ(cell(fallbacks, "unhealthy", "jobs"), TableCell(12.0));
  EXPECT_EQ(cell(fallbacks, "unhealthy", "extra_cost_usd"), missing) << "with what is not told";
  EXPECT_EQ(cell(fallbacks, "queue_slo", "extra_cost_usd"), TableCell(-0.35));
}

TEST(TableRows, AreNarrowedByTheFilterAndToOneDevice) {
  const auto rows = [](const char* filter, const char* device, const char* name) {
    return narrowed_table(filter, device, name).rows.size();
  };
  EXPECT_EQ(rows("", "", "devices"), 36u);
  EXPECT_EQ(rows("host==gpu-a", "", "devices"), 8u);
  EXPECT_EQ(rows("", "gpu-a/3", "devices"), 1u);
  EXPECT_EQ(rows("host==gpu-a", "gpu-b/3", "devices"), 0u);
  EXPECT_EQ(rows("", "gpu-a/3", "hosts"), 1u);
  for (const char* table : {"jobs", "events", "replicas"}) {
    EXPECT_LT(rows("", "gpu-a/3", table), rows("", "", table)) << table;
    EXPECT_LT(rows("host==gpu-a", "", table), rows("", "", table)) << table;
    EXPECT_GT(rows("host==gpu-a", "", table), 0u) << table;
  }
}

TEST(TableRows, OfUsersSumUpWhatTheFilterShowsAndLeaveUnknownValuesEmpty) {
  const TableRows users = table_of("users");
  EXPECT_EQ(cell(users, "research", "devices"), TableCell(12.0));
  EXPECT_EQ(cell(users, "research", "hosts"), TableCell(2.0));
  EXPECT_EQ(cell(users, "research", "running"), TableCell(2.0));
  EXPECT_EQ(cell(users, "research", "waiting"), TableCell(2.0));
  EXPECT_EQ(cell(users, "research", "user"), missing) << "jobs name none";
  EXPECT_TRUE(std::holds_alternative<double>(cell(users, "chat", "power_w")));
  const TableRows part = narrowed_table("host==tpu-b", "", "users");
  EXPECT_EQ(cell(part, "research", "devices"), TableCell(8.0));
  EXPECT_EQ(cell(part, "chat", "devices"), TableCell("no such row"));
}

TEST(TableRows, ValuesOfAWholePoolAreNotShownForPartOfIt) {
  const TableRows whole = narrowed_table("", "", "pools");
  const TableRows part = narrowed_table("host==tpu-a", "", "pools");
  EXPECT_EQ(cell(whole, "tpu", "devices"), TableCell(16.0));
  EXPECT_EQ(cell(whole, "tpu", "drained"), TableCell(8.0));
  EXPECT_EQ(cell(part, "tpu", "devices"), TableCell(8.0));
  EXPECT_EQ(cell(part, "tpu", "drained"), missing);
}

TEST(TableRows, OfTheWholeFleetReportThatNoFilterApplies) {
  for (const std::string& name : table_names()) {
    const bool same = narrowed_table("host==none", "", name.c_str()).rows.size() ==
                      narrowed_table("", "", name.c_str()).rows.size();
    // Of a pool of which nothing is left the row stays, with other numbers; waiting jobs, of which
    // the host is not known, keep the rows of their tenants.
    EXPECT_EQ(same, !table_is_filtered(name) || name == "pools" || name == "users") << name;
  }
}

}  // namespace
}  // namespace drover::tui
