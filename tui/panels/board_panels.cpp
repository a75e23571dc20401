#include "tui/panels/board_panels.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

std::string dash_if_empty(const std::string& text) { return text.empty() ? "-" : printable(text); }

std::string optional_text(std::optional<double> value, std::string (*text)(double)) {
  return known_text(value.value_or(absent), text);
}

void draw_cell(DrawRegion& region, int column, int row, int width, const std::string& text,
               Align align = Align::left) {
  region.field(column, row, width, text, text == not_known ? CellStyle::faint : CellStyle::plain,
               align);
}

}  // namespace

std::vector<DetailLine> cause_lines(const std::vector<LikelyCause>& causes, int columns) {
  DetailLines lines(columns);
  for (const LikelyCause& cause : causes) {
    const bool fault = cause.severity != Severity::info;
    lines.add(fault ? to_text(cause.severity) : "note",
              fmt::format("{}: {}", to_text(cause.cause), cause.what),
              fault ? severity_style(cause.severity) : CellStyle::plain);
    lines.add("", "signal: " + printable(cause.signal), CellStyle::faint);
  }
  return lines.take();
}

bool is_fault(const std::vector<LikelyCause>& causes) {
  return std::ranges::any_of(
      causes, [](const LikelyCause& cause) { return cause.severity != Severity::info; });
}

void draw_causes(DrawRegion region, const std::vector<DetailLine>& lines, bool fault) {
  region.heading(0, fault ? "Why is it slow?" : "What limits it", "most likely first");
  DrawRegion body = region.part({0, 1, region.columns(), region.rows() - 1});
  draw_detail_lines(body, lines);
}

int process_rows(const Board* board) {
  return board == nullptr || board->processes.empty()
             ? 2
             : 2 + static_cast<int>(board->processes.size());
}

void draw_processes(DrawRegion region, const Board* board) {
  const bool known = board != nullptr && (board->processes_known || !board->processes.empty());
  const std::size_t listed = board == nullptr ? 0 : board->processes.size();
  const std::uint32_t left_out = board == nullptr ? 0 : board->processes_left_out;
  region.heading(0, known ? fmt::format("Processes {}", listed + left_out) : "Processes",
                 left_out > 0 ? fmt::format("{} with less memory left out", left_out)
                              : (listed > 0 ? "most memory first" : ""));
  if (listed == 0) {
    region.text(0, 1, known ? "no process uses it" : "not known: its source lists no processes",
                CellStyle::faint);
    return;
  }
  constexpr int pid = 8, user = 10, memory = 7, share = 6;
  const int name = std::max(4, region.columns() - pid - user - memory - share - 4);
  const int at_user = pid + 1, at_name = at_user + user + 1, at_memory = at_name + name + 1;
  const auto draw = [&](int row, const std::array<std::string, 5>& cells, bool title) {
    const auto cell = [&](int column, int width, std::size_t number, Align align) {
      if (title) return region.field(column, row, width, cells[number], CellStyle::faint, align);
      draw_cell(region, column, row, width, cells[number], align);
    };
    cell(0, pid, 0, Align::right);
    cell(at_user, user, 1, Align::left);
    cell(at_name, name, 2, Align::left);
    cell(at_memory, memory, 3, Align::right);
    cell(at_memory + memory + 1, share, 4, Align::right);
  };
  draw(1, {"PID", "USER", "NAME", "MEMORY", "SHARE"}, true);
  int row = 2;
  for (const DeviceProcess& process : board->processes) {
    draw(row++,
         {process.pid == 0 ? "-" : std::to_string(process.pid),
          dash_if_empty(process.user.empty() ? process.tenant : process.user),
          dash_if_empty(process.name), optional_text(process.memory_bytes, bytes_text),
          optional_text(process.share, percent_text)},
         false);
  }
}

int partition_rows(const Board* board) {
  return board == nullptr || board->partitions.empty()
             ? 0
             : 2 + static_cast<int>(board->partitions.size());
}

void draw_partitions(DrawRegion region, const Board* board) {
  if (partition_rows(board) == 0) return;
  region.heading(0, fmt::format("Partitions {}", board->partitions.size()), "MIG instances");
  constexpr int number = 3, profile = 12, load = 5, memory = 13;
  constexpr int at_profile = number + 1, at_load = at_profile + profile + 1;
  constexpr int at_memory = at_load + load + 1, at_uuid = at_memory + memory + 1;
  region.field(0, 1, number, "ID", CellStyle::faint, Align::right);
  region.field(at_profile, 1, profile, "PROFILE", CellStyle::faint);
  region.field(at_load, 1, load, "UTIL", CellStyle::faint, Align::right);
  region.field(at_memory, 1, memory, "MEMORY", CellStyle::faint, Align::right);
  region.field(at_uuid, 1, region.columns() - at_uuid, "UUID", CellStyle::faint);
  int row = 2;
  for (const DevicePartition& part : board->partitions) {
    draw_cell(region, 0, row, number, std::to_string(part.number), Align::right);
    draw_cell(region, at_profile, row, profile, dash_if_empty(part.profile));
    draw_cell(region, at_load, row, load, optional_text(part.utilization, percent_text),
              Align::right);
    const std::string used = optional_text(part.memory_used_bytes, bytes_text);
    draw_cell(region, at_memory, row, memory,
              part.memory_total_bytes
                  ? fmt::format("{} of {}", used, bytes_text(*part.memory_total_bytes))
                  : used,
              Align::right);
    draw_cell(region, at_uuid, row, region.columns() - at_uuid, dash_if_empty(part.uuid));
    ++row;
  }
}

}  // namespace drover::tui
