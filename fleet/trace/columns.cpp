#include "fleet/trace/columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/base/time.h"
#include "fleet/base/whole_text.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, 5> unit_names{"s", "ms", "us", "ns", "iso"};
constexpr std::array<std::int64_t, 4> unit_ns{1'000'000'000, 1'000'000, 1'000, 1};

// 2200-01-01: up to here nanoseconds fit in 64 bits, and so do all differences.
constexpr std::int64_t seconds_max = 7'258'118'400;

constexpr unsigned bit(WorkKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned serve = bit(WorkKind::serve);
constexpr unsigned train = bit(WorkKind::train);
constexpr unsigned batch_only = bit(WorkKind::batch);
constexpr unsigned every = serve | train | batch_only;

struct Field {
  std::string_view name;
  unsigned kinds;   // kinds of job that have it
  unsigned needed;  // kinds of job that require it
};

// In the order of TraceField. Every row needs an arrival; a model may be given elsewhere.
constexpr std::array<Field, 17> trace_fields{{{"arrival", every, every},
                                              {"kind", every, 0},
                                              {"model", every, 0},
                                              {"input", serve | batch_only, serve | batch_only},
                                              {"output", serve | batch_only, serve | batch_only},
                                              {"items", batch_only, 0},
                                              {"steps", train, train},
                                              {"batch", train, 0},
                                              {"seq", train, 0},
                                              {"devices", train, 0},
                                              {"precision", every, 0},
                                              {"tenant", every, 0},
                                              {"priority", every, 0},
                                              {"deadline", every, 0},
                                              {"class", every, 0},
                                              {"stage", every, 0},
                                              {"data", every, 0}}};

const Field& row_of(TraceField field) { return trace_fields[static_cast<std::size_t>(field)]; }

Result<TraceField> parse_field(std::string_view text) {
  std::vector<std::string> known;
  for (std::size_t index = 0; index < trace_fields.size(); ++index) {
    if (trace_fields[index].name == text) return static_cast<TraceField>(index);
    known.emplace_back(trace_fields[index].name);
  }
  return error("unknown field \"{}\"{}", excerpt(text), suggestion(text, known));
}

bool has_unit(TraceField field) {
  return field == TraceField::arrival || field == TraceField::deadline;
}

/// Removes the text up to the next comma outside quotes, and returns it without the comma.
std::string_view take_pair(std::string_view& text) {
  char quote = 0;
  std::size_t at = 0;
  for (; at < text.size() && (text[at] != ',' || quote != 0); ++at) {
    if (text[at] == quote) {
      quote = 0;
    } else if (quote == 0 && (text[at] == '\'' || text[at] == '"')) {
      quote = text[at];
    }
  }
  const std::string_view pair = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + 1));
  return trimmed(pair);
}

bool is_quoted(std::string_view text, char quote) {
  return text.size() >= 2 && text.front() == quote && text.back() == quote;
}

Status read_unit(TraceColumn& column, std::string_view& name) {
  const std::size_t colon = name.rfind(':');
  // A colon in quotes belongs to the column's name.
  if (!has_unit(column.field) || colon == std::string_view::npos || is_quoted(name, '"')) return {};
  const std::string_view text = name.substr(colon + 1);
  const std::optional<TimeUnit> unit = parse_time_unit(text);
  const bool date = unit == TimeUnit::iso;
  if (!unit || (date && column.field == TraceField::deadline)) {
    return error("{}: found unit \"{}\", expected s, ms, us{}", to_text(column.field),
                 excerpt(text), column.field == TraceField::arrival ? ", ns or iso" : " or ns");
  }
  column.unit = *unit;
  name = name.substr(0, colon);
  return {};
}

Result<TraceColumn> parse_pair(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) {
    return error("found \"{}\", expected FIELD=COLUMN", excerpt(pair));
  }
  DROVER_ASSIGN(const auto field, parse_field(trimmed(pair.substr(0, equals))));
  TraceColumn column;
  column.field = field;
  std::string_view name = trimmed(pair.substr(equals + 1));
  if (is_quoted(name, '\'')) {
    column.constant = std::string(name.substr(1, name.size() - 2));
    Job scratch;
    const Status fits =
        field == TraceField::arrival
            ? error("needs a column: with a constant, all jobs would arrive at once")
            : set_field(column, column.constant, scratch);
    if (!fits) return error("{}: {}", to_text(field), fits.error().message);
    return column;
  }
  DROVER_TRY(read_unit(column, name));
  if (is_quoted(name, '"')) name = name.substr(1, name.size() - 2);
  if (name.empty()) return error("{}: the column name is missing", to_text(field));
  column.column = std::string(name);
  return column;
}

}  // namespace

std::string_view to_text(TimeUnit unit) { return unit_names[static_cast<std::size_t>(unit)]; }

std::optional<TimeUnit> parse_time_unit(std::string_view text) {
  return enumerator_named<TimeUnit>(unit_names, text);
}

std::uint64_t trace_time_max(TimeUnit unit) {
  return static_cast<std::uint64_t>(seconds_max) *
         static_cast<std::uint64_t>(unit_ns[0] / unit_ns[static_cast<std::size_t>(unit)]);
}

Result<Instant> parse_trace_time(std::string_view text, TimeUnit unit) {
  if (unit == TimeUnit::iso) return parse_timestamp(text);
  // Its mantissa of 64 bits represents every nanosecond of these years.
  const auto number = parse_whole_text<long double>(text);
  const std::uint64_t max = trace_time_max(unit);
  // A comparison with NaN is false.
  if (number && *number >= 0 && *number <= static_cast<long double>(max)) {
    return Instant{Duration{std::llround(*number * unit_ns[static_cast<std::size_t>(unit)])}};
  }
  return error("found \"{}\", expected a number of {} from 0 to {}", excerpt(text), to_text(unit),
               max);
}

std::string_view to_text(TraceField field) { return row_of(field).name; }

bool applies(TraceField field, WorkKind kind) { return (row_of(field).kinds & bit(kind)) != 0; }

bool needs(TraceField field, WorkKind kind) { return (row_of(field).needed & bit(kind)) != 0; }

std::string_view missing_field(const TraceColumns& columns, WorkKind kind) {
  for (std::size_t index = 0; index < trace_fields.size(); ++index) {
    const auto field = static_cast<TraceField>(index);
    if (needs(field, kind) && !columns.maps(field)) return to_text(field);
  }
  return "";
}

const TraceColumn* TraceColumns::find(TraceField field) const {
  for (const TraceColumn& column : columns_) {
    if (column.field == field) return &column;
  }
  return nullptr;
}

Status TraceColumns::add(TraceColumn column) {
  if (maps(column.field)) return error("{}: mapped twice", to_text(column.field));
  columns_.push_back(std::move(column));
  return {};
}

Result<TraceColumns> TraceColumns::parse(std::string_view text) {
  TraceColumns columns;
  for (std::string_view rest = text; !rest.empty();) {
    DROVER_ASSIGN(auto column, parse_pair(take_pair(rest)));
    DROVER_TRY(columns.add(std::move(column)));
  }
  if (!columns.maps(TraceField::arrival)) return error("arrival: no column is mapped to it");
  const TraceColumn* kind = columns.find(TraceField::kind);
  if (kind != nullptr && !kind->column.empty()) return columns;  // each row has its own
  const WorkKind all = kind == nullptr ? WorkKind::serve : *parse_work_kind(kind->constant);
  if (const std::string_view missing = missing_field(columns, all); !missing.empty()) {
    return error("{}: no column is mapped to it, but jobs of kind {} need it", missing,
                 to_text(all));
  }
  return columns;
}

}  // namespace drover
