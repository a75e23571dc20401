// The lines of the help page: keys and commands (from their tables), reasons and symbols.
#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/reason.h"
#include "tui/command_line.h"
#include "tui/keymap.h"

namespace drover::tui {
namespace {

std::string where_text(const Binding& binding) {
  // The views of a key are not listed if only help, device or devices lacks it: it has no use
  // there, or another line explains it.
  for (const ViewSet left_out :
       {ViewSet{0}, only(ViewId::help), only(ViewId::device), only(ViewId::devices)}) {
    if (binding.views == (in_every_view & ~left_out)) return {};
  }
  std::string names;
  for (int view = 0; view < view_count; ++view) {
    if (!works_in(binding, static_cast<ViewId>(view))) continue;
    names += (names.empty() ? "" : ", ") + view_names()[static_cast<std::size_t>(view)];
  }
  return fmt::format(" ({})", names);
}

}  // namespace

std::vector<HelpLine> help_lines() {
  std::vector<HelpLine> lines;
  lines.push_back({"Keys", "", CellStyle::header});
  for (const Binding& binding : bindings()) {
    lines.push_back(
        {std::string(binding.shown), fmt::format("{}{}", binding.help, where_text(binding))});
  }
  lines.push_back({});
  lines.push_back({"Commands", "", CellStyle::header});
  for (const LineCommand& command : line_commands()) {
    lines.push_back({fmt::format(":{}", command.name),
                     command.argument.empty()
                         ? std::string(command.help)
                         : fmt::format("{}: {}", command.argument, command.help)});
  }
  lines.push_back({});
  lines.push_back({"Reasons", "", CellStyle::header});
  for (int i = 0; i < reason_count; ++i) {
    const ReasonFacts& reason = facts(static_cast<Reason>(i));
    lines.push_back({std::string(reason.name), std::string(reason.meaning)});
  }
  lines.push_back({});
  lines.push_back({"Symbols", "", CellStyle::header});
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"N/A", "Not reported. Never zero: an idle device shows 0."},
      {"-", "None, such as a host without a rack; on the map: no data."},
      {"!", "Not usable, as its driver or agent reports. Also: an alert."},
      {"*", "An injected fault; the device's details name it."},
      {"d", "Drained: no new work until it is resumed."},
      {"x", "Host lost: it does not answer. AGE: that of its last sample."},
      {"?", "Stale: no sample for 5 s, 3 wall s and 2.5 of its intervals."},
      {"map", "From dark (cold) to bright (hot), one scale for all kinds."},
      {"MFU", "Share of the matrix units' peak that the work achieves."},
      {"temperature", "On the map: up to the throttle limit; ~: assumed 100 C."},
      {"bars", "Green: normal. Yellow: near a limit. Orange: at the limit."},
      {"", "The bar of the load is always green."},
      {"THROTTLE", "Why the clock is reduced: power cap, thermal, or hardware."},
      {"FALLBACK", "The fallback of the rule that placed the job, counted from 1."},
      {"CANDIDATES", "The number of candidates that were considered."},
      {"SCORE", "The weighted mean of the parts below it: value x weight, 0 to 1."},
      {"~", "Estimate: progress from run time; W, C from assumptions."},
      {">", "Among events: an action of a user or program, its result."},
      {"=", "Before a kind: a real device. Among events: a cleared alert."},
      {"+", "Among events and alerts: acknowledged."},
      {"(8), x37", "So many equal entries or decisions; Enter shows each."},
      {"chart lines", "The cap or limit of the value; a gap in a chart: unknown."},
      {"late", "Runs longer than the router expected; + shows by how much."},
  };
  for (const auto& [sign, text] : signs) lines.push_back({std::string(sign), std::string(text)});
  return lines;
}

}  // namespace drover::tui
