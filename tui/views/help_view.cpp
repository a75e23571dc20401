// Keys (from the key table), reasons and signs, as one page that scrolls.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/reason.h"
#include "tui/state/command_line.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int key_columns = 18;

std::string where_text(const Binding& binding) {
  // In the one view that is left out, there is nothing to do, or a line of its own says what it
  // does.
  for (const Views left_out : {Views{0}, in_help, in_device}) {
    if (binding.views == (in_every_view & ~left_out)) return {};
  }
  std::string names;
  for (int view = 0; view < view_count; ++view) {
    if (!works_in(binding, static_cast<View>(view))) continue;
    names += (names.empty() ? "" : ", ") + view_names()[static_cast<std::size_t>(view)];
  }
  return fmt::format(" ({})", names);
}

}  // namespace

std::vector<HelpLine> help_lines() {
  std::vector<HelpLine> lines;
  lines.push_back({"Keys", "", Role::header});
  for (const Binding& binding : bindings()) {
    lines.push_back(
        {std::string(binding.shown), fmt::format("{}{}", binding.help, where_text(binding))});
  }
  lines.push_back({});
  lines.push_back({"Commands", "", Role::header});
  for (const LineCommand& command : line_commands()) {
    lines.push_back({fmt::format(":{}", command.name),
                     command.argument.empty()
                         ? std::string(command.help)
                         : fmt::format("{}: {}", command.argument, command.help)});
  }
  lines.push_back({});
  lines.push_back({"Reasons", "", Role::header});
  for (int i = 0; i < reason_count; ++i) {
    const ReasonFacts& reason = facts(static_cast<Reason>(i));
    lines.push_back({std::string(reason.name), std::string(reason.meaning)});
  }
  lines.push_back({});
  lines.push_back({"Signs", "", Role::header});
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"N/A", "Not known: no value has arrived. Never a zero; an idle device shows 0."},
      {"-", "None, such as a host without a rack; on the map: not known."},
      {"!", "Not usable: the driver, or its agent, says that nothing runs there. Also: an alert."},
      {"*", "A fault was injected on purpose; the device's details name it."},
      {"d", "Drained: it gets no new work until somebody resumes it."},
      {"x", "The host is lost: no heartbeat. AGE tells how long ago its last sample was."},
      {"?", "Stale: no sample for five seconds, and for three of the wall."},
      {"map", "From dark (cold) to bright (hot), one scale for all kinds; its heading shows it."},
      {"useful load", "The share of its matrix units' peak that work gets out of a device."},
      {"temperature", "On the map: up to where heat slows the device; ~: not told, so 100 C."},
      {"bars", "Green: well. Yellow: near a limit. Orange: at it. Load never warns."},
      {"SLOWED", "What holds the clock down: power cap, heat, or the hardware itself."},
      {"STEP", "The fallback of the rule that placed the job, counted from 1."},
      {"FROM", "Candidates that were considered."},
      {"SCORE", "The weighted mean of the parts below it: value x weight, 0 to 1."},
      {"~", "Not measured: progress by expected run time; watts, degrees by assumed constants."},
      {">", "Among events: what a person or a program asked for, and what came of it."},
      {"=", "Among events: an alert that holds no more."},
      {"+", "Among events and alerts: somebody has acknowledged it."},
      {"chart lines", "The cap or limit of what the chart shows; a gap: nothing is known."},
      {"late", "It runs longer than the router expected; + says by how much."},
  };
  for (const auto& [sign, text] : signs) lines.push_back({std::string(sign), std::string(text)});
  return lines;
}

int help_rows(int rows) { return static_cast<int>(help_lines().size()) > rows ? rows - 1 : rows; }

void draw_help(const Scene& scene, const Pen& pen) {
  Pen page = pen;
  const std::vector<HelpLine> lines = help_lines();
  const int top = scene.choices.help.top;
  const int visible = help_rows(page.rows());
  if (visible < page.rows()) {
    const int below = static_cast<int>(lines.size()) - top - visible;
    page.heading(
        visible, below > 0 ? "Space: next page, PgUp: back" : "End, PgUp: back",
        below > 0 ? counted(static_cast<std::uint64_t>(below), "more line", "more lines") + " below"
                  : "");
  }
  for (int row = 0; row < visible; ++row) {
    const int item = top + row;
    if (item >= static_cast<int>(lines.size())) break;
    const HelpLine& line = lines[static_cast<std::size_t>(item)];
    if (line.role == Role::header) {
      page.heading(row, line.key);
      continue;
    }
    page.field(1, row, key_columns - 2, line.key, Role::accent);
    page.field(key_columns, row, page.columns() - key_columns, line.text);
  }
}

}  // namespace drover::tui
