#include "commands/dashboard/frame_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/connection/router_address.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/shell/output.h"
#include "fleet/base/text.h"
#include "fleet/text/csv.h"

namespace drover::commands {

namespace {

constexpr Wall patience = std::chrono::seconds(5);
constexpr tui::Size usual_size{120, 40};
/// Enough for every integer and decimal that a cell can hold, and no digit of binary rounding.
constexpr int digits = 15;

std::string digits_of(double number) { return fmt::format("{:.{}g}", number, digits); }

struct JsonCell {
  Json operator()(std::monostate) const { return {}; }
  Json operator()(double number) const {
    const auto parsed = Json::parse(digits_of(number));
    return parsed ? *parsed : Json();
  }
  Json operator()(const std::string& text) const { return text; }
};

struct CsvCell {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(double number) const { return digits_of(number); }
  std::string operator()(const std::string& text) const { return csv_cell(printable(text)); }
};

}  // namespace

Json to_json(const tui::TableRows& table) {
  Json array = Json::array();
  for (const auto& cells : table.rows) {
    Json row = Json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      row.set(table.names[i], std::visit(JsonCell{}, cells[i]));
    }
    array.add(std::move(row));
  }
  return array;
}

std::string to_csv(const tui::TableRows& table) {
  std::string lines;
  const auto add = [&](const auto& cells, auto&& text_of) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      lines += (i == 0 ? "" : ",") + text_of(cells[i]);
    }
    lines += '\n';
  };
  add(table.names, csv_cell);
  for (const auto& row : table.rows) {
    add(row, [](const tui::TableCell& cell) { return std::visit(CsvCell{}, cell); });
  }
  return lines;
}

Option json_table_option() {
  return {"json", "", "the view's table instead, whole, as a JSON array: missing is null"};
}

Option csv_table_option() { return {"csv", "", "the same as CSV: missing is empty"}; }

Option table_option() {
  return {"table", "NAME",
          fmt::format("with --json or --csv: {}", fmt::join(tui::table_names(), " "))};
}

namespace {

/// The table that is wanted: the one named, else the view's.
std::string read_table(Arguments& arguments, const std::string& view, const char* wants) {
  if (!arguments.has("table")) {
    const std::string table(tui::table_of_view(view));
    if (table.empty()) {
      arguments.complain(
          error("{}: the view {} has no table of its own; give --table with one of: {}", wants,
                view, fmt::join(tui::table_names(), " ")));
    }
    return table;
  }
  const std::string table = arguments.text("table");
  const auto& known = tui::table_names();
  if (std::find(known.begin(), known.end(), table) == known.end()) {
    arguments.complain(
        error("--table: found '{}', expected one of: {}", excerpt(table), fmt::join(known, " ")));
    return {};
  }
  for (const char* name : {"filter", "device"}) {
    if (!arguments.has(name) || tui::table_narrows(table)) continue;
    arguments.complain(
        error("--{} does not go with --table {}, which is of the whole fleet", name, table));
  }
  return table;
}

}  // namespace

FrameForm read_form(Arguments& arguments, const DashboardView& view, const std::string& verb) {
  const bool json = arguments.has("json"), csv = arguments.has("csv");
  const char* const wants = json ? "--json" : "--csv";
  std::string table;
  if (json && csv) arguments.complain(error("--json and --csv: give one of them"));
  if (json || csv) {
    for (const char* name : {"ansi", "size"}) {
      if (arguments.has(name)) arguments.complain(error("--{} does not go with {}", name, wants));
    }
    table = read_table(arguments, view.settings.start.view, wants);
  } else if (arguments.has("table")) {
    arguments.complain(error("--table goes with --json or --csv"));
  }
  const FrameFormat format = json                    ? FrameFormat::json
                             : csv                   ? FrameFormat::csv
                             : arguments.has("ansi") ? FrameFormat::ansi
                                                     : FrameFormat::text;
  return {format, read_size(arguments, usual_size), verb, table};
}

Status put_frame(tui::Dashboard& core, Instant now, const FrameForm& form,
                 const DashboardView& view) {
  const tui::Canvas& frame = core.draw(now);
  if (!core.knows_device()) {
    return error("--device: {} is not known, or not at that time: `drover devices` lists all",
                 printable(view.device));
  }
  switch (form.format) {
    case FrameFormat::text:
    case FrameFormat::ansi:
      put_text(frame_text(frame, view.settings, form.format == FrameFormat::ansi));
      break;
    case FrameFormat::json:
      put("{}\n", to_json(core.table(now, form.table)).dump());
      break;
    case FrameFormat::csv:
      put_text(to_csv(core.table(now, form.table)));
      break;
  }
  return {};
}

CommandOutcome print_live(Arguments& arguments, const DashboardView& view, const FrameForm& form) {
  const RouterAddress endpoint = endpoint_of(arguments);
  auto session = Session::open({endpoint, Role::viewer, form.verb});
  if (!session) return CommandOutcome::failed(session.error());
  auto loop = DashboardLoop::open(**session, view, endpoint, form.size);
  if (!loop) return CommandOutcome::failed(loop.error());
  const Wall end = wall_now() + patience;
  while (!(*loop)->core().settled() && wall_now() < end) {
    (*loop)->turn(std::chrono::milliseconds(50));
  }
  const Status shown = put_frame((*loop)->core(), (*session)->clock().now(), form, view);
  if (!shown) return CommandOutcome::failed(shown.error());
  if ((*loop)->core().settled()) return CommandOutcome::done();
  return CommandOutcome::partly("not every host had reported after 5 s");
}

}  // namespace drover::commands
