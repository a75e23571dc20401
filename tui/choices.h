// What a person has chosen: view, selection, order, scroll. Selections name things (a device, a
// job, a decision), never rows, so that they stay with their thing when the table moves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/identity.h"
#include "fleet/time.h"
#include "tui/device_table.h"
#include "tui/heat_map.h"
#include "tui/keymap.h"

namespace drover::tui {

/// Which part of a list is on the screen.
struct ListPlace {
  int top = 0;      // first item shown
  int row = -1;     // screen row of the selected item; -1: not fixed
  int visible = 1;  // rows of the screen that it has
  int count = 0;    // items

  /// Puts the selected item (-1: none) where it was on the screen, or, after a move, into sight.
  void settle(int selected, int items, int rows);
};

enum class JobFilter : std::uint8_t { all, running, waiting, failed, finished };
inline constexpr int job_filter_count = 5;
std::string_view to_text(JobFilter filter);

/// A line of the jobs view: a heading or a job.
struct JobLine {
  enum class Kind : std::uint8_t { heading, job };
  Kind kind = Kind::heading;
  JobFilter section = JobFilter::running;
  JobId job;                // of a job
  std::uint64_t count = 0;  // of a heading: all of them
  std::uint64_t shown = 0;  // of a heading: those below it
};

/// A line that is being typed at the bottom, and what was wrong with it.
struct Prompt {
  std::string text;
  std::string problem;
};

struct Choices {
  View view = View::fleet;
  View before_help = View::fleet;
  View before_device = View::devices;
  std::optional<Prompt> prompt;  // for a time

  std::optional<DeviceId> device;  // shared by fleet, devices and device
  Shade shade = Shade::utilization;
  HeatMap map;

  int sort_column = 0;  // index in device_columns()
  bool descending = false;
  std::vector<int> columns;             // shown now
  std::vector<DeviceTable::Row> order;  // of the devices view
  std::uint64_t order_structure = 0;    // Model::structure() that it was made from
  Instant ordered_at = Instant::min();
  Instant moved_at = Instant::min();  // when the selection was last moved by hand
  ListPlace devices;

  JobFilter filter = JobFilter::all;
  std::optional<JobId> job;
  bool job_open = false;
  std::vector<JobLine> job_lines;
  ListPlace jobs;

  std::optional<std::uint64_t> decision;  // none: the newest is followed
  bool decision_open = false;
  ListPlace decisions;

  int details_top = 0;   // first row shown of the open job or decision, of device and power
  int details_seen = 1;  // rows of it that the screen has
  ListPlace help;
  bool quit = false;

  /// Nothing is laid out, so there is nothing to move in: rows and places are of a model that may
  /// have changed when the next screen is laid out.
  void forget_layout();
};

}  // namespace drover::tui
