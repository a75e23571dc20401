#include "commands/estimate/workload_file.h"

#include <utility>

#include "devices/catalogue/spec_name_resolver.h"
#include "fleet/text/toml.h"

namespace drover::commands {
namespace {

using devices::CaseKind;
using devices::ComparisonWorkload;
using toml_file::Table;

std::optional<double> positive(Table& table, const char* key) {
  if (!table.has(key)) return std::nullopt;
  return table.number_in(key, 1, 1e9);
}

std::optional<double> read_seconds(Table& table, const char* key) {
  if (!table.has(key)) return std::nullopt;
  return to_seconds(table.duration(key));
}

void read_kind(Table& table, ComparisonWorkload& work) {
  const std::string kind = table.text("kind");
  const auto known = devices::parse_case_kind(kind);
  if (known == CaseKind::train || known == CaseKind::serve || known == CaseKind::infer) {
    work.kind = *known;
  } else {
    table.add_problem("kind", "found \"" + kind + "\", expected train, serve or infer");
  }
}

void read_model(Table& table, devices::SpecNameResolver& names, ComparisonWorkload& work) {
  const auto model = names.model(table.text("model"));
  if (model) {
    work.model = *model;
  } else {
    table.add_problem("model", model.error().message);
  }
}

WorkloadRow read_row(Table& table, devices::SpecNameResolver& names) {
  WorkloadRow row;
  ComparisonWorkload& work = row.work;
  work.name = table.text("name");
  read_kind(table, work);
  read_model(table, names, work);
  row.batch = table.number_in("batch", 1, 1e6);
  if (table.has("precision")) {
    work.precision = parse_precision(table.text("precision"));
    if (!work.precision) table.add_problem("precision", "expected bf16, fp16, fp8, int8, ..");
  }
  work.sequence = positive(table, "sequence");
  work.input = positive(table, "input");
  work.output = positive(table, "output");
  work.samples = table.number_in("samples", 1, 1e15, 1e6);
  work.objectives = {read_seconds(table, "ttft"), read_seconds(table, "tpot"),
                     read_seconds(table, "step")};
  return row;
}

}  // namespace

Result<std::vector<WorkloadRow>> read_workloads(std::string_view toml, std::string place,
                                                const devices::Catalogue& catalogue) {
  DROVER_ASSIGN(auto root, Table::parse(toml, std::move(place)));
  devices::SpecNameResolver names(catalogue);
  std::vector<WorkloadRow> rows;
  for (Table& table : root.tables("workload")) rows.push_back(read_row(table, names));
  if (rows.empty()) root.add_problem("workload", "expected at least one [[workload]]");
  DROVER_TRY(root.finish());
  return rows;
}

}  // namespace drover::commands
