// Decisions and where they went: as published, in the dashboard's tables, and in `drover why`.
#include <map>

#include <fmt/format.h>

#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

std::string name_of(const std::optional<Reason>& reason) {
  return reason ? std::string(to_text(*reason)) : "";
}

void compare_decision(const Decision& decision, const Table& table, std::size_t row,
                      const Comparison& compared) {
  const std::map<std::string, std::string> facts = {
      {"action", std::string(to_text(decision.action))},
      {"job", decision.job.empty() ? "" : to_text(decision.job)},
      {"attempt", std::to_string(decision.attempt)},
      {"model", decision.model},
      {"work_class", decision.work_class},
      {"rule", decision.rule},
      {"preferred_pool", decision.preferred_pool},
      {"pool", decision.pool},
      {"target", decision.target},
      {"fallback_reason", name_of(decision.fallback_reason)},
      {"change", decision.change},
  };
  for (const auto& [column, fact] : facts) {
    compared.same(fmt::format("decision {} {}", decision.number, column), fact,
                  table.text(row, column));
  }
}

void compare_flows(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Comparison compared("what was published", "the dashboard's flows", wrong);
  const Table& table = at.tables["flows"];
  std::map<std::string, double> counted, told;
  for (const auto& [flow, count] : at.heard.flows()) {
    const auto& [wanted, pool, reason, fell] = flow;
    counted[fmt::format("{} to {} for {}, fell back: {}", wanted, pool, name_of(reason), fell)] =
        static_cast<double>(count);
  }
  for (std::size_t row = 0; row < table.size(); ++row) {
    told[fmt::format("{} to {} for {}, fell back: {}", table.text(row, "preferred_pool"),
                     table.text(row, "pool"), table.text(row, "fallback_reason"),
                     table.text(row, "fell_back"))] = table.number(row, "jobs");
  }
  for (const auto& [flow, count] : told) counted.emplace(flow, 0);
  for (const auto& [flow, count] : counted) compared.same(flow, count, told[flow]);
}

}  // namespace

void compare_decisions(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Comparison compared("what was published", "the dashboard's decisions", wrong);
  const Table& table = at.tables["decisions"];
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < table.size(); ++row) rows[table.text(row, "number")] = row;
  Ids numbers;
  for (const Decision& decision : at.heard.decisions()) {
    const std::string number = std::to_string(decision.number);
    numbers.insert(number);
    const auto row = rows.find(number);
    if (row != rows.end()) compare_decision(decision, table, row->second, compared);
  }
  compared.same("the decision", numbers, table.column("number"));
  // What `drover why` says of a job stands in the list.
  const Comparison with_why("why", "the dashboard's decisions", wrong);
  for (const WhyReply& why : at.whys) {
    for (const Decision& decision : why.decisions) {
      const auto row = rows.find(std::to_string(decision.number));
      if (row != rows.end()) compare_decision(decision, table, row->second, with_why);
    }
  }
  compare_flows(at, wrong);
}

}  // namespace drover::commands
