// The keys of one view by what they are for, as the help page shows them first. A key that the
// table of bindings has in a view is in one of these lines.
#include <array>

#include "fleet/base/text.h"
#include "tui/keymap.h"

namespace drover::tui {
namespace {

struct KeyGroup {
  std::string_view title;
  std::span<const KeyLine> lines;
};

// At most key_line_columns each, so that two columns fit on 80.
constexpr ViewSet of_help = only(ViewId::help);
constexpr ViewSet of_devices_only =
    only(ViewId::fleet) | only(ViewId::devices) | only(ViewId::device);

constexpr KeyLine go_keys[] = {
    {"1 2 3 4 5 6 7 8 9 Tab Shift-Tab", "1..9 Tab", "a view; the next view"},
    {"Enter", "Enter", ""},
    {"Esc", "Esc", "back, one level at a time"},
    {"Ctrl-P", "Ctrl-P", "find anything by letters"},
    {":", ":", "command; Tab completes it"},
    {"/", "/", "filter, such as temp>70", in_every_view & ~of_help},
    {"/", "/", "find a text in all keys", of_help},
    {"n N", "n N", "find text: next, previous"},
    {"? F1 q Ctrl-C", "? q", "all keys and signs; quit"},
};
constexpr KeyLine move_keys[] = {
    {"h Left l Right", "h l arrows", "in the map, to group names", only(ViewId::fleet)},
    {"h Left l Right", "h l arrows", "previous, next figure", only(ViewId::device)},
    {"h Left l Right", "h l arrows", "choose a column", only(ViewId::devices)},
    {"h Left l Right", "h l arrows", "histogram of a class", only(ViewId::jobs)},
    {"h Left l Right", "h l arrows", "choose a pool", only(ViewId::power) | only(ViewId::routing)},
    {"k Up j Down", "j k arrows", "next, previous device", only(ViewId::device)},
    {"k Up j Down WheelUp WheelDown", "j k arrows", "down, up; the wheel too",
     in_every_view & ~only(ViewId::device)},
    {"WheelUp WheelDown", "wheel", "scroll", only(ViewId::device)},
    {"g Home G End", "g G", "top, end"},
    {"Ctrl-D Ctrl-U PgUp Ctrl-B PgDn Ctrl-F", "Ctrl-D -U", "half a screen; PgDn: whole"},
    {"J K", "J K", "scroll the details or top"},
    {"Space", "Space", "next screen", of_help},
};
constexpr KeyLine look_keys[] = {
    {"c C", "c C", "another metric as colour"},
    {"b", "b", "group by host, rack, pool"},
    {"s > <", "s <", "sort by next, previous"},
    {"o", "o", "sort by the chosen column"},
    {"S r", "S r", "second column; reverse", only(ViewId::devices)},
    {"r", "r", "reverse the order", only(ViewId::users)},
    {"t + = - *", "t + - *", "tree; unfold, fold, all", only(ViewId::devices)},
    {"f", "f", "jobs of another state", only(ViewId::jobs)},
    {"f", "f", "alerts, events or rules", only(ViewId::events)},
    {"z Z", "z Z", "more, less time in charts"},
    {"v", "v", "compare tagged devices"},
    {"H W", "H W", "host's topology; why idle", of_devices_only},
    {"H", "H", "topology of the host", in_every_view & ~of_devices_only},
    {"W", "W", "why this job runs or waits", in_every_view & ~of_devices_only},
    {"Ctrl-L", "", ""},
};
constexpr KeyLine act_keys[] = {
    {"y Y", "y Y", "copy selection; as JSON"},
    {"e", "e", "export the table as CSV"},
    {"T U", "T U", "tag the selection; untag"},
    {"d u", "d u", "drain, resume"},
    {"w", "w", "cap power of pool or site"},
    {"i", "i", "inject a fault"},
    {"x", "x", "cancel the job"},
    {"a A", "a A", "acknowledge; all alerts"},
};
constexpr KeyLine time_keys[] = {
    {"Space [ ]", "Space [ ]", "pause; a second back, on", in_every_view & ~of_help},
    {"[ ]", "[ ]", "one second back, forward", of_help},
    {"{ }", "{ }", "previous, next alert"},
    {"@ L", "@ L", "go to a time; to now"},
    {"m ( )", "m ( )", "mark this; loop from, to"},
    {"M", "M", "changes since the mark", in_every_view & ~of_help},
    {"+ = -", "+ -", "play faster, slower", in_every_view & ~only(ViewId::devices)},
    {"p P", "p P", "story: pause; follow it"},
};
constexpr KeyGroup key_groups[] = {
    {"Go", go_keys},   {"Move", move_keys}, {"Look", look_keys},
    {"Act", act_keys}, {"Time", time_keys},
};

constexpr ViewSet of_devices = only(ViewId::fleet) | only(ViewId::devices) | only(ViewId::device);
constexpr ViewSet of_bars = of_devices | only(ViewId::power);
constexpr ViewSet of_times = only(ViewId::jobs) | only(ViewId::events) | only(ViewId::routing);

constexpr LegendSign legend_signs[] = {
    {"N/A", "unknown, not 0", CellStyle::faint},
    {"x", "host lost", CellStyle::critical, of_devices},
    {"!", "not usable", CellStyle::critical, of_devices},
    {"*", "fault", CellStyle::fault, of_devices},
    {"d", "drained", CellStyle::warm, of_devices},
    {"?", "stale", CellStyle::stale, of_devices | only(ViewId::telemetry)},
    {">", "more, some unknown", CellStyle::plain, only(ViewId::users)},
    {"-", "none", CellStyle::faint, only(ViewId::users)},
    {"=", "real", CellStyle::faint, of_devices},
    {"~", "estimate", CellStyle::faint, of_devices | only(ViewId::jobs)},
    {"||", "normal", CellStyle::fill_good, of_bars},
    {"||", "near a limit", CellStyle::fill_warm, of_bars},
    {"||", "at the limit", CellStyle::fill_hot, of_bars},
    {"\"", "as above", CellStyle::faint, only(ViewId::devices)},
    {"!!", "critical", CellStyle::critical, only(ViewId::events)},
    {"!", "warning", CellStyle::warm, only(ViewId::events)},
    {">", "an action", CellStyle::accent, only(ViewId::events)},
    {"=", "cleared", CellStyle::faint, only(ViewId::events)},
    {"+", "acknowledged", CellStyle::faint, only(ViewId::events)},
    {"late", "longer than expected", CellStyle::warm, only(ViewId::jobs)},
    {"text", "as preferred", CellStyle::good, only(ViewId::routing)},
    {"text", "waits or fell back", CellStyle::warm, of_times},
    {"text", "failed or lost", CellStyle::critical, of_times | only(ViewId::telemetry)},
};

/// The first of the line's keys that does something in the view; null if none does.
const Binding* first_binding(const KeyLine& line, ViewId view) {
  if ((line.views & only(view)) == 0) return nullptr;
  for (const std::string& key : split(line.keys, ' ')) {
    if (const Binding* const binding = binding_of({key}, view)) return binding;
  }
  return nullptr;
}

}  // namespace

std::vector<KeyLine> key_lines() {
  std::vector<KeyLine> lines;
  for (const KeyGroup& group : key_groups) {
    lines.insert(lines.end(), group.lines.begin(), group.lines.end());
  }
  return lines;
}

ViewHelp view_help(ViewId view) {
  ViewHelp help;
  help.purpose = facts(view).purpose;
  for (const KeyGroup& group : key_groups) {
    std::vector<HelpLine> lines = {{std::string(group.title), "", CellStyle::header}};
    for (const KeyLine& line : group.lines) {
      const Binding* const binding = first_binding(line, view);
      if (binding == nullptr || line.shown.empty()) continue;
      lines.push_back(
          {std::string(line.shown), std::string(line.text.empty() ? binding->hint : line.text)});
    }
    if (lines.size() > 1) help.groups.push_back(std::move(lines));
  }
  for (const LegendSign& sign : legend_signs) {
    if ((sign.views & only(view)) != 0) help.legend.push_back(sign);
  }
  return help;
}

}  // namespace drover::tui
