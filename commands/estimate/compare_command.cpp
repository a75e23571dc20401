// `drover compare`: compares sets of devices for one workload, and prints the winner by batch size.
#include <fmt/format.h>

#include "commands/estimate/catalogue_files.h"
#include "commands/estimate/workload_file.h"
#include "commands/shell/files.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "commands/shell/table.h"
#include "commands/subcommands.h"
#include "devices/catalogue/spec_name_resolver.h"
#include "devices/estimate/comparison.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/json.h"

namespace drover::commands {
namespace {

using devices::CaseKind;
using devices::ComparisonResult;
using devices::ComparisonWorkload;
using devices::RankingMetric;

constexpr int devices_max = 100'000;

Result<std::vector<devices::Candidate>> read_candidates(const std::vector<std::string>& words,
                                                        devices::SpecNameResolver& names) {
  std::vector<devices::Candidate> candidates;
  for (const std::string& word : words) {
    const std::size_t colon = word.rfind(':');
    devices::Candidate candidate;
    if (colon != std::string::npos) {
      const auto count = parse_integer(word.substr(colon + 1), word);
      if (!count || *count < 1 || *count > devices_max) {
        return error("'{}': expected DEVICE:COUNT with a count of 1..{}", excerpt(word),
                     devices_max);
      }
      candidate.count = static_cast<int>(*count);
    }
    DROVER_ASSIGN(const auto device, names.device(word.substr(0, colon)));
    candidate.device = device.spec;
    candidates.push_back(candidate);
  }
  if (candidates.empty()) {
    return error("DEVICE:COUNT is required, such as h100-sxm:8 tpu-v5e:16");
  }
  return candidates;
}

/// "32" or "1..1024".
struct BatchRange {
  double low = 1, high = 1;
};
Result<BatchRange> read_batches(const std::string& text) {
  const std::size_t dots = text.find("..");
  DROVER_ASSIGN(const auto low, parse_integer(text.substr(0, dots), "--batch"));
  DROVER_ASSIGN(const auto high,
                dots == std::string::npos ? low : parse_integer(text.substr(dots + 2), "--batch"));
  if (low < 1 || high < low || high > 1'000'000) {
    return error("--batch: found {}, expected LOW..HIGH within 1..1000000", excerpt(text));
  }
  return BatchRange{static_cast<double>(low), static_cast<double>(high)};
}

/// "ttft=500ms,tpot=50ms,step=2s".
Result<devices::Objectives> read_objectives(const std::string& text) {
  devices::Objectives objectives;
  if (text.empty()) return objectives;
  for (const std::string& item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    std::optional<double>* limit = name == "ttft"   ? &objectives.ttft_s
                                   : name == "tpot" ? &objectives.tpot_s
                                   : name == "step" ? &objectives.step_s
                                                    : nullptr;
    if (limit == nullptr || equals == std::string::npos) {
      return error("--slo: found \"{}\", expected ttft=TIME, tpot=TIME or step=TIME",
                   excerpt(item));
    }
    DROVER_ASSIGN(const auto duration, parse_duration(item.substr(equals + 1), "--slo"));
    *limit = to_seconds(duration);
  }
  return objectives;
}

std::string name_of(const devices::Candidate& candidate) {
  return fmt::format("{}:{}", candidate.device->id, candidate.count);
}

std::string_view unit_of(CaseKind kind) {
  if (kind == CaseKind::train) return "epoch";
  return kind == CaseKind::serve ? "Mtok" : "M";
}

/// Like duration_text, but also shows parts of a millisecond, for small batches.
std::string step_text(double seconds) {
  return seconds < 0.00995 ? fmt::format("{:.2g}ms", seconds * 1e3) : duration_text(seconds);
}

std::vector<std::string> row_of(const ComparisonResult& it) {
  std::vector<std::string> row{name_of(it.candidate), std::string(to_text(it.precision))};
  if (!it.estimate) {
    row.insert(row.end(), {"-", "-", "-", "-", "-", "-", it.why});
    return row;
  }
  row.insert(row.end(),
             {step_text(it.estimate->seconds), duration_text(it.unit_s),
              it.unit_usd < 0 ? "N/A" : dollars_text(it.unit_usd), joules_text(it.unit_j),
              fmt::format("{:.0f} %", it.utilization * 100), count_text(it.units_per_wh),
              it.eligible ? fmt::format("yes ({})", it.confidence) : "no: " + it.why});
  return row;
}

std::string table_at(const ComparisonWorkload& work,
                     const std::vector<ComparisonResult>& compared) {
  std::vector<std::vector<std::string>> rows;
  for (const ComparisonResult& it : compared) rows.push_back(row_of(it));
  const std::string unit(unit_of(work.kind));
  return table_text({"CANDIDATE", "PRECISION", right_aligned("STEP"), right_aligned("TIME/" + unit),
                     right_aligned("$/" + unit), right_aligned("ENERGY/" + unit),
                     right_aligned("UTIL"), right_aligned("PER WH"), "FITS"},
                    rows);
}

/// Empty if no candidate is eligible.
std::string winner_name(const std::vector<ComparisonResult>& compared, RankingMetric measure) {
  const auto best = winner(compared, measure);
  return best ? name_of(compared[*best].candidate) : "";
}

constexpr RankingMetric measures[] = {RankingMetric::time, RankingMetric::cost,
                                      RankingMetric::energy};

std::vector<ComparisonResult> compare_all(const ComparisonWorkload& work,
                                          const std::vector<devices::Candidate>& candidates,
                                          double batch) {
  std::vector<ComparisonResult> compared;
  for (const devices::Candidate& candidate : candidates) {
    compared.push_back(compare_one(work, candidate, batch));
  }
  return compared;
}

void show_ranges(const ComparisonWorkload& work, const std::vector<devices::Candidate>& candidates,
                 const BatchRange& range) {
  for (const RankingMetric measure : measures) {
    std::string line;
    for (const auto& it : winning_ranges(work, candidates, range.low, range.high, measure)) {
      line += fmt::format("{}{}{} {}", line.empty() ? "" : ", ", it.low,
                          it.high > it.low ? fmt::format("..{}", it.high) : "",
                          it.candidate ? name_of(candidates[*it.candidate]) : "none");
    }
    write_stdout("{:<8}{}\n", to_text(measure), line);
  }
}

void show(const ComparisonWorkload& work, const std::vector<devices::Candidate>& candidates,
          const BatchRange& range) {
  const auto put_table = [&](double batch) {
    write_stdout("{}, {}, batch {}\n", work.model->id, to_text(work.kind), batch);
    write_stdout_text(table_at(work, compare_all(work, candidates, batch)));
    write_stdout_text("\n");
  };
  put_table(range.low);
  if (range.high > range.low) put_table(range.high);
  write_stdout_text("Winner by batch:\n");
  show_ranges(work, candidates, range);
}

Json to_json(const ComparisonResult& it) {
  const bool known = it.estimate.has_value();
  return Json::object()
      .set("device", it.candidate.device->id)
      .set("devices", it.candidate.count)
      .set("batch", it.batch)
      .set("precision", to_text(it.precision))
      .set("eligible", it.eligible)
      .set("why", text_or_null(it.why))
      .set("confidence", it.confidence)
      .set("step_s", known ? Json(it.estimate->seconds) : Json())
      .set("unit_s", when(known, it.unit_s))
      .set("unit_usd", when(known && it.unit_usd >= 0, it.unit_usd))
      .set("unit_j", when(known, it.unit_j))
      .set("utilization", when(known, it.utilization))
      .set("units_per_wh", when(known, it.units_per_wh));
}

Json ranges_json(const ComparisonWorkload& work, const std::vector<devices::Candidate>& candidates,
                 const BatchRange& range) {
  Json winners = Json::object();
  for (const RankingMetric measure : measures) {
    Json ranges = Json::array();
    for (const auto& it : winning_ranges(work, candidates, range.low, range.high, measure)) {
      ranges.add(
          Json::object()
              .set("low", it.low)
              .set("high", it.high)
              .set("winner", it.candidate ? Json(name_of(candidates[*it.candidate])) : Json()));
    }
    winners.set(to_text(measure), std::move(ranges));
  }
  return winners;
}

void print_json(const ComparisonWorkload& work, const std::vector<devices::Candidate>& candidates,
                const BatchRange& range) {
  Json rows = Json::array();
  for (double batch = range.low; batch <= range.high; batch *= 2) {
    for (const ComparisonResult& it : compare_all(work, candidates, batch)) rows.add(to_json(it));
  }
  write_stdout("{}\n", Json::object()
                           .set("model", work.model->id)
                           .set("kind", to_text(work.kind))
                           .set("unit", unit_of(work.kind))
                           .set("candidates", std::move(rows))
                           .set("winners", ranges_json(work, candidates, range))
                           .dump());
}

/// One row per workload with the fastest, cheapest and most efficient candidate.
CommandOutcome show_workloads(const std::vector<WorkloadRow>& workloads,
                              const std::vector<devices::Candidate>& candidates, bool as_json) {
  std::vector<std::vector<std::string>> rows;
  Json array = Json::array();
  for (const WorkloadRow& row : workloads) {
    const std::vector<ComparisonResult> compared = compare_all(row.work, candidates, row.batch);
    std::vector<std::string> cells{row.work.name, std::string(to_text(row.work.kind)),
                                   row.work.model->id, fmt::format("{}", row.batch)};
    Json json = Json::object();
    json.set("name", row.work.name).set("batch", row.batch);
    for (const RankingMetric measure : measures) {
      const std::string name = winner_name(compared, measure);
      cells.push_back(name.empty() ? "-" : name);
      json.set(to_text(measure), text_or_null(name));
    }
    rows.push_back(std::move(cells));
    Json all = Json::array();
    for (const ComparisonResult& it : compared) all.add(to_json(it));
    array.add(json.set("candidates", std::move(all)));
  }
  if (as_json) {
    write_stdout("{}\n", array.dump());
  } else {
    write_stdout_text(table_text({"WORKLOAD", "KIND", "MODEL", right_aligned("BATCH"), "FASTEST",
                                  "CHEAPEST", "LEAST ENERGY"},
                                 rows));
  }
  return CommandOutcome::done();
}

Result<ComparisonWorkload> read_work(Arguments& arguments, devices::SpecNameResolver& names) {
  ComparisonWorkload work;
  const auto kind =
      devices::parse_case_kind(arguments.one_of("kind", {"train", "serve", "infer"}, "serve"));
  work.kind = kind.value_or(CaseKind::serve);
  const auto model = names.model(arguments.text("model"));
  if (!model) return error("--model: {}", model.error().message);
  work.model = *model;
  if (arguments.has("precision")) {
    work.precision = parse_precision(arguments.text("precision"));
    if (!work.precision) {
      return error("--precision: found \"{}\", expected one of {}",
                   excerpt(arguments.text("precision")), precision_list());
    }
  }
  const auto tokens = [&](const char* name) -> std::optional<double> {
    if (!arguments.has(name)) return std::nullopt;
    return static_cast<double>(arguments.integer(name, 1, 100'000'000, 1));
  };
  work.sequence = tokens("seq-len");
  work.input = tokens("input");
  work.output = tokens("output");
  work.samples = arguments.number("epoch-samples", 1, 1e15, 1e6);
  DROVER_ASSIGN(work.objectives, read_objectives(arguments.text("slo")));
  return work;
}

}  // namespace

CommandUsage compare_usage() {
  return {
      "usage: drover compare --model NAME [options] DEVICE:COUNT ...\n"
      "       drover compare --workloads FILE DEVICE:COUNT ...",
      "Compares several sets of devices for one workload: whether it fits, time, cost and energy, "
      "and the batch sizes at which the winner changes.",
      {{"model", "NAME", "the model"},
       Option::choice("kind", "KIND", "train, serve or infer (default serve)",
                      {"train", "serve", "infer"}),
       {"batch", "LOW..HIGH", "samples per step, concurrent sequences or items (default 1..256)"},
       {"concurrency", "COUNT", "serve: the same as --batch COUNT"},
       {"seq-len", "TOKENS", "train, infer: tokens per sample"},
       {"input", "TOKENS", "serve: prompt tokens per request (default 294)"},
       {"output", "TOKENS", "serve: output tokens per request (default 294)"},
       {"epoch-samples", "COUNT", "train: samples of one epoch (default 1000000)"},
       {"precision", "NAME", "the precision on all devices (default: each device's usual one)"},
       {"slo", "LIMITS", "exclude candidates over these limits: ttft=500ms,tpot=50ms,step=2s"},
       {"workloads", "FILE", "compare for each workload class of a TOML file"},
       {"catalogue", "DIR", "more devices and models: a folder of *.toml specs"},
       setting_option(),
       {"json", "", "JSON on stdout"}},
      {"DEVICE:COUNT..."},
      "  drover compare --model llama-3.1-8b --batch 1..1024 h100-sxm:1 l4:4 tpu-v5e:4\n"
      "  drover compare --model resnet-50 --kind infer --batch 1..1024 t4:1 tpu-v5e:1\n"
      "  drover compare --workloads examples/workloads.toml h100-sxm:8 tpu-v5e:16"};
}

CommandOutcome run_compare(Arguments& arguments) {
  DROVER_ASSIGN(auto catalogue, load_catalogue(arguments.text("catalogue")));
  DROVER_TRY(apply_settings(catalogue, arguments.text_list("set")));
  devices::SpecNameResolver names(catalogue);
  DROVER_ASSIGN(const auto candidates,
                read_candidates(arguments.text_list("DEVICE:COUNT..."), names));
  if (arguments.has("workloads")) {
    const std::string path = arguments.text("workloads");
    DROVER_ASSIGN(const auto text, read_file(path));
    DROVER_ASSIGN(const auto workloads, read_workloads(text, printable(path), catalogue));
    return show_workloads(workloads, candidates, arguments.has("json"));
  }
  if (!arguments.has("model")) return error("--model or --workloads is required");
  DROVER_ASSIGN(auto work, read_work(arguments, names));
  DROVER_ASSIGN(const auto range,
                read_batches(arguments.text("batch", arguments.text("concurrency", "1..256"))));
  DROVER_TRY(arguments.status());
  if (arguments.has("json")) {
    print_json(work, candidates, range);
  } else {
    show(work, candidates, range);
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
