#include "commands/validate/validate_run.h"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "devices/estimate/estimate.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

struct AnswerColumn {
  std::string_view name;
  double (*value)(const devices::Estimate&);  // negative: does not apply
  std::string_view unit;
  bool grows_with_speed;
};
constexpr AnswerColumn answers[] = {
    {"time_ms", [](const devices::Estimate& e) { return e.seconds * 1e3; }, "ms", false},
    {"samples_per_s", [](const devices::Estimate& e) { return e.samples_per_s; }, "samples/s",
     true},
    {"tokens_per_s", [](const devices::Estimate& e) { return e.tokens_per_s; }, "tokens/s", true},
    {"tflops_per_device", [](const devices::Estimate& e) { return e.tflops_per_device; }, "TFLOP/s",
     true},
    {"mfu_pct", [](const devices::Estimate& e) { return e.mfu * 100; }, "% of peak", true},
    {"ttft_ms", [](const devices::Estimate& e) { return e.ttft_s * 1e3; }, "ms to first token",
     false},
    {"tpot_ms", [](const devices::Estimate& e) { return e.tpot_s * 1e3; }, "ms per token", false},
    {"avg_power_w", [](const devices::Estimate& e) { return e.power_w; }, "W", true},
    {"energy_j", [](const devices::Estimate& e) { return e.energy_j; }, "J", true},
};

const AnswerColumn* find_answer(std::string_view column) {
  for (const AnswerColumn& answer : answers) {
    if (answer.name == column) return &answer;
  }
  return nullptr;
}

/// The figure in a column of the estimate, in its unit; no value if it does not apply.
std::optional<double> answer_of(const devices::Estimate& estimate, std::string_view column) {
  const AnswerColumn* answer = find_answer(column);
  if (answer == nullptr) return std::nullopt;
  const double value = answer->value(estimate);
  if (!(value >= 0)) return std::nullopt;
  return value;
}

/// "train llama-2-7b, 8 x a100-sxm-80gb, seq_len 4096, ..", for people.
std::string case_text(const devices::CaseRow& row) {
  std::string text = row[CaseColumn::kind];
  for (std::size_t i = 1; i < devices::case_column_count; ++i) {
    const auto column = static_cast<CaseColumn>(i);
    const std::string& cell = row[column];
    if (column == CaseColumn::kind || column == CaseColumn::device || cell.empty()) continue;
    const bool needs_no_name = column == CaseColumn::model || column == CaseColumn::precision ||
                               column == CaseColumn::collective;
    text += needs_no_name ? " " + cell : fmt::format(" {} {}", to_text(column), cell);
  }
  return text;
}

std::string location_of(const Measurement& measurement, std::size_t line) {
  return fmt::format("{}:{}", measurement.table, line);
}

/// All inputs in one text.
std::string given_text(const Measurement& measurement) {
  std::string text(measurement.answer);
  for (std::size_t i = 1; i < devices::case_column_count; ++i) {
    text += '\n' + measurement.row[static_cast<CaseColumn>(i)];
  }
  return text;
}

/// The prediction for a measurement.
struct Predicted {
  std::string device;
  double value = 0;
};

Result<Predicted> predict(const devices::CaseRow& row, std::string_view answer,
                          devices::CaseReader& reader) {
  if (find_answer(answer) == nullptr) return error("{}: not a figure of the estimate", answer);
  DROVER_ASSIGN(const auto question, reader.read(row));
  DROVER_ASSIGN(const auto estimate, devices::estimate(question));
  const auto value = answer_of(estimate, answer);
  if (!value) return error("the estimate has no {}", answer);
  return Predicted{question.device->id, *value};
}

/// The speed under the cap relative to that without.
double relative_speed(std::string_view answer, double uncapped, double capped) {
  return grows_with_speed(answer) ? capped / uncapped : uncapped / capped;
}

/// Predicts measurements in order and builds the report.
class Validator {
 public:
  Validator(const devices::Catalogue& catalogue, const MeasuredRows& rows) : reader_(catalogue) {
    report_.left_out = rows.left_out;
    for (const auto& [id, entry] : catalogue.devices()) report_.devices.push_back(id);
    for (const Measurement& measurement : rows.measurements) {
      rows_.try_emplace(location_of(measurement, measurement.line), &measurement.row);
    }
    for (const Measurement& measurement : rows.measurements) add(measurement);
  }
  ValidationReport take() { return std::move(report_); }

 private:
  void add(const Measurement& measurement) {
    const bool capped = measurement.measure_class == MeasureClass::capped;
    if (capped && measurement.uncapped_line == 0) return;  // what others are compared with
    const Result<Predicted> predicted = predict(measurement.row, measurement.answer, reader_);
    if (!predicted) return leave_out(measurement, predicted.error().message);
    if (capped) return add_capped(measurement, *predicted);
    compare(measurement, *predicted, std::string(find_answer(measurement.answer)->unit),
            measurement.value, predicted->value);
  }

  /// Throughput under the cap as a share of that without, measured and predicted.
  void add_capped(const Measurement& measurement, const Predicted& capped) {
    const auto row = rows_.find(location_of(measurement, measurement.uncapped_line));
    if (row == rows_.end()) return leave_out(measurement, "the row without a cap is not a case");
    devices::CaseRow uncapped = *row->second;
    if (measurement.uncapped_line == measurement.line) uncapped[CaseColumn::power_limit_w] = "";
    const Result<Predicted> free = predict(uncapped, measurement.answer, reader_);
    if (!free) return leave_out(measurement, free.error().message);
    compare(measurement, capped, "of the uncapped rate", capped_share(measurement),
            relative_speed(measurement.answer, free->value, capped.value));
  }

  void leave_out(const Measurement& measurement, std::string why) {
    report_.left_out.push_back({location_of(measurement, measurement.line), std::move(why)});
  }

  void compare(const Measurement& measurement, const Predicted& predicted, std::string unit,
               double measured, double value) {
    if (!(measured > 0) || !std::isfinite(value)) {
      return leave_out(measurement, "the measured or predicted value is not a number");
    }
    Comparison of;
    of.class_id = error_classes()[static_cast<std::size_t>(measurement.measure_class)].id;
    of.device = predicted.device;
    of.source = measurement.source;
    of.location = location_of(measurement, measurement.line);
    of.label = case_text(measurement.row);
    if (!measurement.remark.empty()) of.label += " (" + measurement.remark + ")";
    of.given = given_text(measurement);
    of.unit = std::move(unit);
    of.row = measurement.row;
    // `drover validate` reads a ratio as one of rates, so a ratio of times gets no answer column.
    const bool ratio = measurement.measure_class == MeasureClass::capped;
    if (!ratio || grows_with_speed(measurement.answer)) of.answer = measurement.answer;
    of.remark = measurement.remark;
    of.measured = measured;
    of.predicted = value;
    report_.comparisons.push_back(std::move(of));
  }

  devices::CaseReader reader_;
  ValidationReport report_;
  std::map<std::string, const devices::CaseRow*> rows_;  // by location
};

}  // namespace

std::optional<std::string_view> figure_column(std::string_view name) {
  const AnswerColumn* answer = find_answer(name);
  if (answer == nullptr) return std::nullopt;
  return answer->name;
}

bool grows_with_speed(std::string_view figure_column) {
  const AnswerColumn* answer = find_answer(figure_column);
  DROVER_REQUIRE(answer != nullptr);
  return answer->grows_with_speed;
}

double capped_share(const Measurement& measurement) {
  return relative_speed(measurement.answer, measurement.uncapped_value, measurement.value);
}

ValidationReport validate(const MeasuredRows& rows, const devices::Catalogue& catalogue) {
  ValidationReport report = Validator(catalogue, rows).take();
  report.comparisons.insert(report.comparisons.end(), rows.courses.begin(), rows.courses.end());
  return report;
}

}  // namespace drover::commands
