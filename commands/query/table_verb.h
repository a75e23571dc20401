// What the verbs have in common that print one of the fleet's tables: `hosts`, `pools`, `events`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commands/query/shown_table.h"
#include "commands/shell/options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

struct TableVerb {
  std::string name;   // of the verb
  std::string table;  // of tui::table_names()
  std::span<const ShownColumn> columns;
};

/// --connect, --filter, --limit, --json, --csv, --watch and --colour.
std::vector<Option> table_verb_options();

enum class TableFormat : std::uint8_t { text, json, csv };
/// Adds a problem if both --json and --csv are given.
TableFormat read_table_format(Arguments& arguments);

/// The table in this format, at most `limit` rows of it.
std::string table_output(const TableVerb& verb, const tui::TableRows& table, TableFormat format,
                         const TableStyle& style);
/// Leaves at most the first `limit` rows; 0: all.
void limit_rows(tui::TableRows& table, std::size_t limit);

/// `--colour auto|always|never`.
Option colour_option();
/// The style for standard output. Adds a problem for a wrong --colour.
TableStyle read_table_style(Arguments& arguments);

/// The number of --limit; 0 without it.
std::size_t read_limit(Arguments& arguments);

/// Prints the table of a snapshot, once or with --watch.
CommandOutcome print_table(Arguments& arguments, const TableVerb& verb);

}  // namespace drover::commands
