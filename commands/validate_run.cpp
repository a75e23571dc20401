#include "commands/validate_run.h"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace drover::commands {
namespace {

using devices::CaseColumn;
using devices::Estimate;

struct AnswerColumn {
  std::string_view name;
  double (*value)(const Estimate&);  // negative: does not apply
  std::string_view unit;
  bool grows_with_speed;
};
constexpr AnswerColumn answers[] = {
    {"time_ms", [](const Estimate& e) { return e.seconds * 1e3; }, "ms", false},
    {"samples_per_s", [](const Estimate& e) { return e.samples_per_s; }, "samples/s", true},
    {"tokens_per_s", [](const Estimate& e) { return e.tokens_per_s; }, "tokens/s", true},
    {"tflops_per_device", [](const Estimate& e) { return e.tflops_per_device; }, "TFLOP/s", true},
    {"mfu_pct", [](const Estimate& e) { return e.mfu * 100; }, "% of peak", true},
    {"ttft_ms", [](const Estimate& e) { return e.ttft_s * 1e3; }, "ms to first token", false},
    {"tpot_ms", [](const Estimate& e) { return e.tpot_s * 1e3; }, "ms per token", false},
    {"avg_power_w", [](const Estimate& e) { return e.power_w; }, "W", true},
    {"energy_j", [](const Estimate& e) { return e.energy_j; }, "J", true},
};

const AnswerColumn* find_answer(std::string_view column) {
  for (const AnswerColumn& answer : answers) {
    if (answer.name == column) return &answer;
  }
  return nullptr;
}

std::string place_of(const Measurement& measurement, std::size_t line) {
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

/// A measurement with what the models say of it.
struct Predicted {
  std::string device;
  double value = 0;
};

Result<Predicted> predict(const Measurement& measurement, devices::CaseReader& reader) {
  const AnswerColumn* answer = find_answer(measurement.answer);
  if (answer == nullptr) return error("{}: no such answer", measurement.answer);
  const Result<devices::Case> question = reader.read(measurement.row);
  if (!question) return question.error();
  const Result<Estimate> estimate = devices::estimate(*question);
  if (!estimate) return estimate.error();
  const auto value = answer_of(*estimate, measurement.answer);
  if (!value) return error("the estimate has no {}", measurement.answer);
  return Predicted{question->device->id, *value};
}

/// How fast the second is relative to the first.
double relative_speed(std::string_view answer, double uncapped, double capped) {
  return find_answer(answer)->grows_with_speed ? capped / uncapped : uncapped / capped;
}

/// Answers measurements in order and remembers what was said of each row.
class Validator {
 public:
  Validator(const devices::Catalogue& catalogue, const MeasuredRows& rows) : reader_(catalogue) {
    report_.left_out = rows.left_out;
    for (const auto& [id, entry] : catalogue.devices()) report_.devices.push_back(id);
    for (const Measurement& measurement : rows.measurements) add(measurement);
    for (const Measurement& measurement : rows.measurements) {
      if (measurement.measure_class == MeasureClass::capped) add_capped(measurement);
    }
  }
  ValidationReport take() { return std::move(report_); }

 private:
  void add(const Measurement& measurement) {
    const Result<Predicted> predicted = predict(measurement, reader_);
    if (!predicted) {
      report_.left_out.push_back(
          {place_of(measurement, measurement.line), predicted.error().message});
      return;
    }
    if (measurement.measure_class == MeasureClass::capped) {
      said_[place_of(measurement, measurement.line)] = *predicted;
      return;
    }
    compare(measurement, *predicted, std::string(find_answer(measurement.answer)->unit),
            measurement.value, predicted->value);
  }

  /// Throughput under the cap as a share of that without, measured and predicted.
  void add_capped(const Measurement& measurement) {
    if (measurement.uncapped_line == 0 || measurement.uncapped_line == measurement.line) return;
    const auto capped = said_.find(place_of(measurement, measurement.line));
    const auto free = said_.find(place_of(measurement, measurement.uncapped_line));
    if (capped == said_.end()) return;  // left out with its reason
    if (free == said_.end()) {
      report_.left_out.push_back(
          {place_of(measurement, measurement.line), "the row without a cap has no prediction"});
      return;
    }
    compare(measurement, capped->second, "of the uncapped rate",
            relative_speed(measurement.answer, measurement.uncapped_value, measurement.value),
            relative_speed(measurement.answer, free->second.value, capped->second.value));
  }

  void compare(const Measurement& measurement, const Predicted& predicted, std::string unit,
               double measured, double value) {
    if (!(measured > 0) || !std::isfinite(value)) {
      report_.left_out.push_back(
          {place_of(measurement, measurement.line), "measured or predicted value is no figure"});
      return;
    }
    Comparison of;
    of.class_id = error_classes()[static_cast<std::size_t>(measurement.measure_class)].id;
    of.device = predicted.device;
    of.source = measurement.source;
    of.place = place_of(measurement, measurement.line);
    of.label = case_text(measurement.row);
    if (!measurement.remark.empty()) of.label += " (" + measurement.remark + ")";
    of.given = given_text(measurement);
    of.unit = std::move(unit);
    of.measured = measured;
    of.predicted = value;
    report_.comparisons.push_back(std::move(of));
  }

  devices::CaseReader reader_;
  ValidationReport report_;
  std::map<std::string, Predicted> said_;  // of capped rows, by place
};

}  // namespace

std::optional<double> answer_of(const Estimate& estimate, std::string_view column) {
  const AnswerColumn* answer = find_answer(column);
  if (answer == nullptr) return std::nullopt;
  const double value = answer->value(estimate);
  if (!(value >= 0)) return std::nullopt;
  return value;
}

std::string case_text(const devices::CaseRow& row) {
  std::string text = row[CaseColumn::kind];
  for (std::size_t i = 1; i < devices::case_column_count; ++i) {
    const auto column = static_cast<CaseColumn>(i);
    const std::string& cell = row[column];
    if (column == CaseColumn::kind || column == CaseColumn::device || cell.empty()) continue;
    const bool speaks_alone = column == CaseColumn::model || column == CaseColumn::precision ||
                              column == CaseColumn::collective;
    text += speaks_alone ? " " + cell : fmt::format(" {} {}", to_text(column), cell);
  }
  return text;
}

ValidationReport validate(const MeasuredRows& rows, const devices::Catalogue& catalogue) {
  return Validator(catalogue, rows).take();
}

}  // namespace drover::commands
