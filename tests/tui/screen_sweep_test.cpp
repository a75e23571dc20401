// Any size, and any text that messages carry: drawn without harm.
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "fleet/text/toml.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tests/tui/terminal/small_terminal.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

void press_keys(Dashboard& dashboard, const std::vector<const char*>& keys) {
  for (const char* key : keys) dashboard.press(SampleFleet::after_2s, {key});
}

void expect_drawn(Dashboard& dashboard, Size size) {
  dashboard.resize(SampleFleet::after_2s, size);
  const Canvas& canvas = dashboard.draw(SampleFleet::after_2s);
  ASSERT_EQ(canvas.size(), size);
  expect_whole_rows(canvas);
}

TEST(Screen, EverySizeIsDrawnSafely) {
  struct Sight {
    std::string view;
    std::vector<const char*> keys;
  };
  std::vector<Sight> sights;
  for (const std::string& view : view_names()) sights.push_back({view, {"j", "Enter", "J"}});
  // The page by itself, and with the last figure open, which scrolls it.
  sights.push_back({"device", {"j", "J"}});
  sights.push_back({"device", {"l", "h", "Enter"}});
  for (const auto& [view, keys] : sights) {
    SCOPED_TRACE(view);
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {80, 24}, view, false, 2);
    press_keys(*dashboard, keys);
    // Every width and every height once, so that each threshold of a layout is met; beside them the
    // corners, from the smallest terminal to one that fills a wall.
    for (int columns = 1; columns <= 210; columns += columns < 56 ? 11 : columns < 126 ? 1 : 5) {
      ASSERT_NO_FATAL_FAILURE(expect_drawn(*dashboard, {columns, 16 + columns % 7}));
    }
    for (int rows = 1; rows <= 64; rows += rows < 30 ? 1 : 3) {
      ASSERT_NO_FATAL_FAILURE(expect_drawn(*dashboard, {60 + rows * 17 % 61, rows}));
    }
    for (const int columns : {1, 2, 59, 60, 400}) {
      for (const int rows : {1, 2, 15, 16, 120}) {
        ASSERT_NO_FATAL_FAILURE(expect_drawn(*dashboard, {columns, rows}));
      }
    }
  }
}

/// Puts a text into every field of a message that is shown or may be one day.
void poison(SampleFleet& fleet, const std::string& evil) {
  const auto each = [&](auto& fields, auto&& put) {
    for (auto& field : fields) put(field);
  };
  each(fleet.hosts, [&](HostChanged& host) {
    host.registration.rack = host.registration.site = host.registration.software = evil;
    host.registration.labels = {{evil, evil}};
    for (Group& group : host.registration.groups) group.device = group.topology = evil;
    for (SpecText& spec : host.registration.specs) {
      spec.id = evil;
      const std::string quoted = toml_file::quoted(evil);
      spec.text = fmt::format(
          "source = {0}\n[sensor]\nactivity_s = {{ value = 1, assumed = {0} }}\n"
          "utilization_step = 1\n[power]\nidle_w = 1\n",
          quoted);
    }
    for (std::string& pool : host.pools) pool = evil;
  });
  each(fleet.replicas, [&](ReplicaChanged& replica) {
    replica.pool = replica.replica.model = replica.replica.detail = evil;
    for (TenantShare& share : replica.replica.tenants) share.tenant = evil;
  });
  each(fleet.jobs, [&](JobChanged& job) {
    job.job.work.model = job.job.tenant = job.target = job.pool = job.detail = evil;
  });
  each(fleet.decisions, [&](Decision& decision) {
    decision.model = decision.rule = decision.preferred_pool = decision.pool = decision.target =
        decision.change = evil;
    for (Candidate& candidate : decision.top) {
      candidate.target = candidate.pool = evil;
      for (ScorePart& part : candidate.parts) part.scorer = evil;
    }
    for (Rejection& rejection : decision.rejections) rejection.device_class = evil;
  });
  each(fleet.events, [&](Event& event) { event.subject = event.text = evil; });
  each(fleet.alerts, [&](Alert& alert) { alert.rule = alert.text = evil; });
  each(fleet.audits, [&](Audit& audit) {
    audit.who = audit.action = audit.detail = evil;
    if (!audit.applied) audit.target = evil;
  });
  each(fleet.conditions, [&](DeviceChanged& condition) {
    condition.detail = evil;
    condition.injected = {evil, evil};
  });
  each(fleet.policy.pools, [&](PoolLimits& pool) { pool.name = evil; });
  fleet.policy.name = evil;
  fleet.summary.undecodable_by_sender = {{evil, 3}};
  each(fleet.summary.classes, [&](ClassReport& report) { report.name = evil; });
  each(fleet.summary.pools, [&](PoolReport& pool) { pool.name = evil; });
}

/// What the terminal is sent acts on no more than the screen, which then shows the canvas.
void expect_harmless(const Canvas& canvas) {
  static const auto screen = CursesScreen::open("xterm", {.colours = Colours::none});
  expect_whole_rows(canvas);
  SmallTerminal terminal(canvas.size());
  (*screen)->forget();
  terminal.receive((*screen)->paint(canvas));
  for (int row = 0; row < canvas.size().rows; ++row) {
    for (int column = 0; column < canvas.size().columns; ++column) {
      const std::string_view wanted = text_shown(canvas.at(column, row), false);
      // Of the accents of one character ncurses keeps four.
      ASSERT_TRUE(wanted.starts_with(terminal.at(column, row).text)) << terminal.text();
    }
  }
}

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {
      "\x1b[31m\x1b]0;title\x07\x1b[2J\r\n\t\b",                   // acts on terminals of any kind
      "\302\23331m\302\2350;x\302\234",                            // the same in C1 controls
      "a\342\200\256b\342\201\246c\342\200\217",                   // turns the direction of text
      "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb\xef\xb8\x8f",  // joined by ZWJ
      "漢字" + repeated("e\xcc\x81\xcc\xa3", 60),                  // wide and combining
      repeated("\xcc\x81", 300),                                   // nothing but accents
      "\xff\xfe\x80\xc0\xaf\xed\xa0\x80",                          // no UTF-8 at all
      repeated("long \xe6\xbc\xa2 ", 10'000),
  };
  return texts;
}

TEST(Screen, HostileTextNeitherControlsTheTerminalNorMovesOtherCells) {
  for (std::size_t i = 0; i < hostile_texts().size(); ++i) {
    const std::string& evil = hostile_texts()[i];
    SampleFleet fleet;
    poison(fleet, evil);
    // As published messages, which no codec has looked at: the dashboard itself must be safe.
    Dashboard dashboard({}, {120, 40}, SampleFleet::start);
    for (const Envelope& reported : fleet.state())
      dashboard.receive(SampleFleet::after_2s, publish_peer, reported);
    for (const Envelope& batch : fleet.samples(1))
      dashboard.receive(SampleFleet::after_2s, publish_peer, batch);
    const Caption caption{evil, evil, 1, 2, false};
    dashboard.receive(SampleFleet::after_2s, publish_peer, fleet.published(caption));
    for (std::size_t view = 0; view < view_names().size(); ++view) {
      SCOPED_TRACE(testing::Message() << "text " << i << " in view " << view_names()[view]);
      dashboard.resize(SampleFleet::after_2s, (i + view) % 2 == 0 ? Size{111, 30} : Size{60, 16});
      dashboard.press(SampleFleet::after_2s, {std::to_string(view + 1)});
      // On the map and in the table Enter leads to another view, which has its turn.
      if (view > 1) {
        dashboard.press(SampleFleet::after_2s, {"j"});
        dashboard.press(SampleFleet::after_2s, {"Enter"});
      }
      ASSERT_NO_FATAL_FAILURE(expect_harmless(dashboard.draw(SampleFleet::after_2s)));
    }
  }
}

}  // namespace
}  // namespace drover::tui
