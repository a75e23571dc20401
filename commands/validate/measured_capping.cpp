// power_capping.csv: the same work under several power limits of the board.
//
// Zeus: training jobs on one board, each under five to nine limits; the highest is the board's own.
// A row gives two figures: the mean power, and the rate relative to that under the highest limit.
// MLPerf inference: a capped submission (MaxQ) and the uncapped one of the same system; only the
// rate, because the power there is that of the node.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "commands/validate/measured.h"
#include "commands/validate/measured_cells.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

/// Tokens per sample (assumed for the tweets: 64, padded).
std::string sequence_of(std::string_view dataset) {
  if (dataset == "squad") return "384";
  if (dataset == "sentiment140") return "64";
  return "";
}

/// Rows with the same job can be compared; the sample size of an epoch cancels.
using Job = std::tuple<std::string, std::string, std::string, std::string, std::string>;

struct Uncapped {
  std::size_t line = 0;
  double limit_w = 0, rate = 0;
};

class Capping {
 public:
  explicit Capping(const CsvTable& table) : table_(table) {}

  MeasuredTable read() {
    for (const CsvRow& row : table_.rows) note_uncapped(row);
    for (const CsvRow& row : table_.rows) read_row(row);
    return std::move(read_);
  }

 private:
  const std::string& text(const CsvRow& row, std::string_view column) const {
    return table_.cell(row, column);
  }
  bool of_nodes(const CsvRow& row) const { return has(text(row, "dataset"), "MLPerf"); }

  /// The system of an MLPerf row: "DGX-A100_A100-SXM-80GBx8_TRT", capped or not.
  std::string system(const CsvRow& row) const {
    std::string notes = text(row, "notes");
    const std::size_t open = notes.find("MaxQ row (");
    if (open != std::string::npos) {
      const std::size_t from = open + std::string_view("MaxQ row (").size();
      return notes.substr(from, notes.find(',', from) - from);
    }
    const std::size_t capped = notes.find("_MaxQ");
    if (capped == std::string::npos) return notes;
    const std::size_t space = notes.rfind(' ', capped);
    const std::size_t from = space == std::string::npos ? 0 : space + 1;
    return notes.substr(from, capped - from);
  }

  Job job(const CsvRow& row) const {
    // Zeus has one file per device; the files of MLPerf are per run.
    return {text(row, "device"), text(row, "model"), text(row, "dataset"), text(row, "batch_size"),
            of_nodes(row) ? system(row) : text(row, "source")};
  }

  double rate(const CsvRow& row) const {
    return of_nodes(row) ? number(text(row, "throughput")) : 1 / number(text(row, "time_s"));
  }

  void note_uncapped(const CsvRow& row) {
    const double limit_w = number(text(row, "power_limit_w"));
    Uncapped& highest = uncapped_[job(row)];
    if (limit_w > highest.limit_w) highest = {row.line, limit_w, rate(row)};
  }

  Measurement base(const CsvRow& row) const {
    Measurement found;
    found.table = table_.place;
    found.line = row.line;
    found.source = repository(text(row, "source"));
    found.row[CaseColumn::id] = fmt::format("cap-{}", row.line);
    found.row[CaseColumn::device] = text(row, "device");
    found.row[CaseColumn::devices] = text(row, "n_devices");
    found.row[CaseColumn::model] = text(row, "model");
    found.row[CaseColumn::power_limit_w] = text(row, "power_limit_w");
    return found;
  }

  void set_training_case(const CsvRow& row, Measurement& found) const {
    found.row[CaseColumn::kind] = "train";
    found.row[CaseColumn::precision] = "fp32";
    const std::string batch = number_after(text(row, "batch_size"), "");
    found.row[CaseColumn::global_batch] = batch.substr(0, batch.find('.'));
    found.row[CaseColumn::seq_len] = sequence_of(text(row, "dataset"));
  }

  /// Offline: the submitter chooses the batches, which are large.
  void set_inference_case(const CsvRow& row, Measurement& found) const {
    const bool generates =
        has(text(row, "throughput_unit"), "tokens") || has(text(row, "model"), "GPT-J");
    found.row[CaseColumn::kind] = generates ? "serve" : "infer";
    found.row[CaseColumn::precision] = text(row, "precision");
    if (generates) {
      found.row[CaseColumn::input_len] = has(text(row, "model"), "GPT-J") ? "924" : "294";
      found.row[CaseColumn::output_len] = has(text(row, "model"), "GPT-J") ? "69" : "294";
      found.row[CaseColumn::tp] = has(text(row, "model"), "GPT-J") ? "1" : "2";
    } else {
      found.row[CaseColumn::batch] = fmt::format("{:.0f}", 128 * number(text(row, "n_devices")));
    }
  }

  void read_row(const CsvRow& row) {
    const bool fixed = has(text(row, "dataset"), "fixed number of steps");
    if (fixed) return skip(row, "the batch is not given");
    Measurement found = base(row);
    if (of_nodes(row)) {
      set_inference_case(row, found);
    } else {
      set_training_case(row, found);
      Measurement power = found;
      power.answer = "avg_power_w";
      power.measure_class = MeasureClass::power;
      power.value = number(text(row, "avg_power_w"));
      read_.measurements.push_back(std::move(power));
    }
    const Uncapped& highest = uncapped_.at(job(row));
    const bool uncapped = highest.line == row.line;
    if (uncapped && !of_nodes(row)) return;  // the power measurement above is its case
    found.answer = of_nodes(row) ? "samples_per_s" : "time_ms";
    if (found.row[CaseColumn::kind] == "serve") found.answer = "tokens_per_s";
    found.measure_class = uncapped ? MeasureClass::other : MeasureClass::capped;
    found.value = of_nodes(row) ? rate(row) : 1000 / rate(row);
    if (uncapped) {
      found.remark = "reference of the capped rows of its system";
    } else {
      found.uncapped_line = highest.line;
      found.uncapped_value = of_nodes(row) ? highest.rate : 1000 / highest.rate;
    }
    read_.measurements.push_back(std::move(found));
  }

  void skip(const CsvRow& row, const char* why) { read_.skipped.push_back({row.line, why}); }

  const CsvTable& table_;
  std::map<Job, Uncapped> uncapped_;
  MeasuredTable read_;
};

}  // namespace

MeasuredTable measured_capping(const CsvTable& table) { return Capping(table).read(); }

}  // namespace drover::commands
