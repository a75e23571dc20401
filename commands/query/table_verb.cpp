#include "commands/query/table_verb.h"

#include <unistd.h>

#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/query/fleet_client.h"
#include "commands/query/repeated_output.h"
#include "commands/query/table_output.h"
#include "commands/shell/output.h"

namespace drover::commands {
namespace {

constexpr std::int64_t rows_max = 10'000'000;

const std::vector<std::string> colour_words = {"auto", "always", "never"};

/// A new copy of the fleet: hosts and pools need each host's last sample.
Result<tui::TableRows> snapshot_rows(Session& session, const TableVerb& verb,
                                     tui::FleetFilter& shown) {
  FleetClient fleet(session);
  DROVER_TRY(fleet.sync());
  shown.evaluate(fleet.model(), fleet.now());
  const tui::DeviceList by_name;
  return tui::table_rows({fleet.model(), fleet.now(), shown, by_name, {}}, verb.table);
}

}  // namespace

Option colour_option() {
  return Option::choice("colour", "WHEN",
                        "auto (default: on a terminal, unless NO_COLOR is set), always or never",
                        colour_words);
}

TableStyle read_table_style(Arguments& arguments) {
  const std::string colour = arguments.one_of("colour", colour_words, "auto");
  return table_style(colour, output_facts(STDOUT_FILENO));
}

std::vector<Option> table_verb_options() {
  return {connect_option(),
          filter_option(),
          {"limit", "N", "at most N rows"},
          {"json", "", "a JSON array on stdout; with --watch one array per line"},
          {"csv", "", "CSV on stdout, with a line of names"},
          watch_option(),
          colour_option()};
}

TableFormat read_table_format(Arguments& arguments) {
  const bool json = arguments.has("json"), csv = arguments.has("csv");
  if (json && csv) arguments.add_problem(error("--json and --csv exclude each other"));
  return json ? TableFormat::json : csv ? TableFormat::csv : TableFormat::text;
}

std::size_t read_limit(Arguments& arguments) {
  return static_cast<std::size_t>(arguments.integer("limit", 1, rows_max, 0));
}

void limit_rows(tui::TableRows& table, std::size_t limit) {
  if (limit > 0 && table.rows.size() > limit) table.rows.resize(limit);
}

std::string table_output(const TableVerb& verb, const tui::TableRows& table, TableFormat format,
                         const TableStyle& style) {
  switch (format) {
    case TableFormat::json:
      return to_json(table).dump() + "\n";
    case TableFormat::csv:
      return to_csv(table);
    case TableFormat::text:
      break;
  }
  return table.rows.empty() ? "no " + verb.name + "\n" : shown_text(table, verb.columns, style);
}

CommandOutcome print_table(Arguments& arguments, const TableVerb& verb) {
  tui::FleetFilter shown;
  shown.use(read_filter(arguments, filter::devices));
  const std::size_t limit = read_limit(arguments);
  const TableFormat format = read_table_format(arguments);
  const TableStyle style = read_table_style(arguments);
  const auto every = read_watch(arguments);
  DROVER_TRY(arguments.status());
  RepeatedOutput output(every);
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, verb.name}));
  return output.print(*session, [&]() -> Result<std::string> {
    DROVER_ASSIGN(auto table, snapshot_rows(*session, verb, shown));
    limit_rows(table, limit);
    return table_output(verb, table, format, style);
  });
}

}  // namespace drover::commands
