#include "commands/validate/validation_report.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "commands/shell/json_null.h"
#include "commands/shell/table.h"
#include "fleet/base/text.h"
#include "fleet/text/csv.h"

namespace drover::commands {

namespace {

constexpr std::size_t shown_worst_max = 20;
constexpr std::size_t contradictions_max = 30;
constexpr std::size_t reasons_max = 40;
constexpr std::size_t reason_bytes_max = 110;
constexpr std::size_t locations_max = 3;  // of one reason

const std::vector<Heading> text_statistics_headings = {
    right_aligned("ROWS"), right_aligned("MEAN"), right_aligned("MEDIAN"),
    right_aligned("P90"),  right_aligned("BIAS"), right_aligned("GOAL")};

std::vector<std::string> statistics_cells(const Group& group) {
  const ErrorClass& error_class = *find_class(group.class_id);
  const Statistics& of = group.statistics;
  return {std::to_string(of.rows),
          distance_text(error_class, goal_value(error_class, of), false),
          distance_text(error_class, of.median, false),
          distance_text(error_class, of.p90, false),
          distance_text(error_class, of.bias, true),
          error_class.goal > 0 ? distance_text(error_class, error_class.goal, false) : "-"};
}

std::string classes_table(const ValidationReport& report) {
  std::vector<Heading> headings = {"CLASS"};
  headings.insert(headings.end(), text_statistics_headings.begin(), text_statistics_headings.end());
  headings.push_back({"STATUS"});
  headings.push_back({"CASE"});
  std::vector<std::vector<std::string>> rows;
  for (const Group& group : by_class(report.comparisons)) {
    const ErrorClass& error_class = *find_class(group.class_id);
    std::vector<std::string> row = {group.class_id};
    for (std::string& cell : statistics_cells(group)) row.push_back(std::move(cell));
    row.emplace_back(goal_status(error_class, group.statistics));
    row.emplace_back(error_class.title);
    rows.push_back(std::move(row));
  }
  return table_text(headings, rows);
}

std::string groups_table(const std::vector<Group>& groups, const std::string& name) {
  std::vector<Heading> headings = {"CLASS"};
  headings.insert(headings.end(), text_statistics_headings.begin(), text_statistics_headings.end());
  headings.push_back({name});
  std::vector<std::vector<std::string>> rows;
  for (const Group& group : groups) {
    std::vector<std::string> row = {group.class_id};
    for (std::string& cell : statistics_cells(group)) row.push_back(std::move(cell));
    row.push_back(group.name);
    rows.push_back(std::move(row));
  }
  return table_text(headings, rows);
}

std::string unit_text(const Comparison& of) { return of.unit.empty() ? "-" : of.unit; }

std::string worst_table(const ValidationReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const Comparison* of : worst_cases(report.comparisons, shown_worst_max)) {
    const ErrorClass& error_class = *find_class(of->class_id);
    rows.push_back({of->class_id, of->device,
                    distance_text(error_class, distance(*of, error_class.distance), true),
                    fmt::format("{:.4g}", of->measured), fmt::format("{:.4g}", of->predicted),
                    unit_text(*of), of->location, of->label});
  }
  return table_text({"CLASS", "DEVICE", right_aligned("ERROR"), right_aligned("MEASURED"),
                     right_aligned("PREDICTED"), "UNIT", "LOCATION", "CASE"},
                    rows);
}

std::string contradictions_table(const std::vector<Contradiction>& found) {
  std::vector<std::vector<std::string>> rows;
  for (const Contradiction& of : found) {
    if (rows.size() == contradictions_max) break;
    rows.push_back({of.low->class_id, of.low->device, fmt::format("{:.2f}x", of.ratio),
                    fmt::format("{:.4g}", of.low->measured),
                    fmt::format("{:.4g}", of.high->measured), unit_text(*of.low), of.low->location,
                    of.high->location, of.low->label});
  }
  return table_text({"CLASS", "DEVICE", right_aligned("RATIO"), right_aligned("LOW"),
                     right_aligned("HIGH"), "UNIT", "LOW AT", "HIGH AT", "CASE"},
                    rows);
}

std::string coverage_table(const ValidationReport& report) {
  std::vector<Heading> headings = {"DEVICE"};
  for (const ErrorClass& error_class : error_classes()) {
    headings.push_back(right_aligned(std::string(error_class.id)));
  }
  std::vector<std::vector<std::string>> rows;
  for (const Coverage& of : coverage(report)) {
    std::vector<std::string> row = {of.device};
    for (const std::size_t count : of.rows) row.push_back(count ? std::to_string(count) : "-");
    rows.push_back(std::move(row));
  }
  return table_text(headings, rows);
}

std::string reasons_table(const std::vector<LeftOut>& left_out) {
  std::vector<std::vector<std::string>> rows;
  std::size_t more = 0;
  for (const LeftOutReason& reason : left_out_reasons(left_out)) {
    if (rows.size() == reasons_max) {
      more += reason.rows;
    } else {
      rows.push_back(
          {std::to_string(reason.rows), excerpt(reason.text, reason_bytes_max), reason.locations});
    }
  }
  if (more > 0) rows.push_back({std::to_string(more), "other reasons", "see --json"});
  return table_text({right_aligned("ROWS"), "REASON", "LOCATION"}, rows);
}

Json statistics_json(const Group& group) {
  const ErrorClass& error_class = *find_class(group.class_id);
  const Statistics& of = group.statistics;
  return Json::object()
      .set("class", group.class_id)
      .set("name", text_or_null(group.name))
      .set("rows", of.rows)
      .set("mean", of.mean)
      .set("median", of.median)
      .set("p90", of.p90)
      .set("bias", of.bias)
      .set("root_mean_square", of.root_mean_square)
      .set("goal", when(error_class.goal > 0, error_class.goal))
      .set("relative", error_class.distance == DistanceKind::relative);
}

Json groups_json(const std::vector<Group>& groups) {
  Json array = Json::array();
  for (const Group& group : groups) array.add(statistics_json(group));
  return array;
}

Json comparison_json(const Comparison& of) {
  return Json::object()
      .set("class", of.class_id)
      .set("device", of.device)
      .set("source", of.source)
      .set("location", of.location)
      .set("case", of.label)
      .set("unit", text_or_null(of.unit))
      .set("measured", of.measured)
      .set("predicted", of.predicted);
}

}  // namespace

std::string validation_rows(const ValidationReport& report) {
  std::string text;
  for (std::size_t i = 0; i < devices::case_column_count; ++i) {
    text += fmt::format("{},", to_text(static_cast<devices::CaseColumn>(i)));
  }
  text += "answer,value,class,source,remark,catalogue_id,predicted\n";
  for (const Comparison& comparison : report.comparisons) {
    devices::CaseRow row = comparison.row;
    if (row[devices::CaseColumn::kind].empty()) continue;
    row[devices::CaseColumn::id] = comparison.location;
    for (const std::string& cell : row.cells) text += csv_cell(cell) + ",";
    text += fmt::format("{},{},{},{},{},{},{}\n", comparison.answer, comparison.measured,
                        comparison.class_id, csv_cell(comparison.source),
                        csv_cell(comparison.remark), comparison.device, comparison.predicted);
  }
  return text;
}

std::string short_source(std::string_view source) {
  constexpr std::string_view prefix = "github ";
  if (source.starts_with(prefix)) source.remove_prefix(prefix.size());
  const std::size_t slash = source.find('/');
  if (slash == std::string_view::npos) return std::string(source.substr(0, 60));
  return std::string(source.substr(0, source.find_first_of(":@ /", slash + 1)));
}

std::string distance_text(const ErrorClass& error_class, double value, bool signed_value) {
  if (error_class.distance == DistanceKind::relative) {
    return signed_value ? fmt::format("{:+.1f} %", 100 * value)
                        : fmt::format("{:.1f} %", 100 * value);
  }
  std::string text = signed_value ? fmt::format("{:+.3f}", value) : fmt::format("{:.3f}", value);
  if (!error_class.unit.empty()) text += " " + std::string(error_class.unit);
  return text;
}

std::string_view goal_status(const ErrorClass& error_class, const Statistics& statistics) {
  if (error_class.goal <= 0) return "-";
  return goal_value(error_class, statistics) <= error_class.goal ? "met" : "missed";
}

std::vector<Coverage> coverage(const ValidationReport& report) {
  const auto& classes = error_classes();
  std::map<std::string, std::vector<std::size_t>> devices;
  for (const std::string& device : report.devices) devices[device].resize(classes.size());
  for (const Comparison& comparison : report.comparisons) {
    std::vector<std::size_t>& rows = devices[comparison.device];
    rows.resize(classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i].id == comparison.class_id) ++rows[i];
    }
  }
  std::vector<Coverage> all;
  for (auto& [device, rows] : devices) all.push_back({device, std::move(rows)});
  return all;
}

std::vector<LeftOutReason> left_out_reasons(const std::vector<LeftOut>& left_out) {
  std::map<std::string, LeftOutReason> found;
  for (const LeftOut& row : left_out) {
    LeftOutReason& reason = found[row.reason];
    ++reason.rows;
    if (reason.rows <= locations_max) {
      reason.locations += (reason.rows > 1 ? ", " : "") + row.location;
    } else if (reason.rows == locations_max + 1) {
      reason.locations += ", ..";
    }
    reason.text = row.reason;
  }
  std::vector<LeftOutReason> sorted;
  for (auto& [text, reason] : found) sorted.push_back(std::move(reason));
  std::ranges::stable_sort(sorted, std::greater<>(), &LeftOutReason::rows);
  return sorted;
}

std::string validation_text(const ValidationReport& report) {
  std::string text = classes_table(report);
  const auto section = [&](const std::string& title, const std::string& table) {
    text += "\n" + title + "\n" + table;
  };
  section("By source", groups_table(by_source(report.comparisons), "SOURCE"));
  section("By device", groups_table(by_device(report.comparisons), "DEVICE"));
  section("Worst cases", worst_table(report));
  const auto found = contradictions(report.comparisons);
  if (!found.empty()) {
    section(fmt::format("Contradictions: {} cases measured more than once, more than 15 % apart",
                        found.size()),
            contradictions_table(found));
  }
  section("Rows per device and class (-: no public measurement)", coverage_table(report));
  if (!report.left_out.empty()) {
    section(fmt::format("Rows left out: {}", report.left_out.size()),
            reasons_table(report.left_out));
  }
  return text;
}

Json validation_json(const ValidationReport& report) {
  Json disputes = Json::array();
  for (const Contradiction& of : contradictions(report.comparisons)) {
    disputes.add(Json::object()
                     .set("ratio", of.ratio)
                     .set("rows", of.rows)
                     .set("low", comparison_json(*of.low))
                     .set("high", comparison_json(*of.high)));
  }
  Json worst = Json::array();
  for (const Comparison* of : worst_cases(report.comparisons, shown_worst_max)) {
    worst.add(comparison_json(*of));
  }
  Json left_out = Json::array();
  for (const LeftOut& row : report.left_out) {
    left_out.add(Json::object().set("location", row.location).set("reason", row.reason));
  }
  Json devices = Json::object();
  for (const Coverage& of : coverage(report)) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < of.rows.size(); ++i) {
      if (of.rows[i] > 0) counts.set(error_classes()[i].id, of.rows[i]);
    }
    devices.set(of.device, std::move(counts));
  }
  return Json::object()
      .set("classes", groups_json(by_class(report.comparisons)))
      .set("sources", groups_json(by_source(report.comparisons)))
      .set("devices", groups_json(by_device(report.comparisons)))
      .set("worst", std::move(worst))
      .set("contradictions", std::move(disputes))
      .set("coverage", std::move(devices))
      .set("left_out", std::move(left_out));
}

}  // namespace drover::commands
