// Job classes without jobs, and metrics that their jobs do not have.
#include "router/lint/cases.h"
#include "router/lint/lint.h"

namespace drover::router {
namespace {

using toml_file::Table;

void lint_reached(Lint& lint, const Table& table, std::size_t index) {
  const std::vector<WorkClass>& classes = lint.policy().classes;
  const auto jobs = jobs_of_class(classes[index]);
  if (!jobs || jobs->empty()) return;
  std::vector<JobSet> earlier;
  for (std::size_t before = 0; before < index; ++before) {
    if (lint.is_unread("class." + classes[before].name)) continue;
    if (const auto other = jobs_of_class(classes[before])) earlier.push_back(*other);
  }
  if (!without(*jobs, earlier).empty()) return;
  lint.warn(table, "when",
            "only jobs that name this class belong to it: earlier classes match all other jobs");
}

/// Metrics that the jobs of a class do not have.
void lint_metric(Lint& lint, Table table, const WorkClass& work_class) {
  const auto& kinds = work_class.when.kinds;
  if (kinds.empty() || !table.has("metric")) return;
  const bool trains = job_set(work_class.when).kinds == bit(WorkKind::train);
  const bool never_trains = (job_set(work_class.when).kinds & bit(WorkKind::train)) == 0;
  const std::string metric = table.text("metric");
  if (trains && (metric == "ttft" || metric == "tpot")) {
    lint.error(table, "metric", fmt::format("training has no {}: it generates no tokens", metric));
  } else if (trains && (metric == "usd_per_mtoken" || metric == "j_per_token")) {
    lint.error(table, "metric",
               fmt::format("training is counted in steps, expected {}",
                           metric == "j_per_token" ? "j_per_step" : "usd_per_kstep"));
  } else if (never_trains && metric == "training_time") {
    lint.error(table, "metric", "only training has a training_time");
  } else if (never_trains && (metric == "usd_per_kstep" || metric == "j_per_step")) {
    lint.error(table, "metric",
               fmt::format("only training is counted in steps, expected {}",
                           metric == "j_per_step" ? "j_per_token" : "usd_per_mtoken"));
  }
}

/// Sizes in the class's mix that its `when` does not match.
void lint_mix(Lint& lint, Table table, const WorkClass& work_class) {
  const auto jobs = jobs_of_class(work_class);
  if (!jobs) return;
  std::vector<Table> mixes = table.tables("mix");
  for (std::size_t index = 0; index < mixes.size(); ++index) {
    struct Row {
      std::string_view key;
      Size size;
      std::uint32_t value;
    };
    const Mix& mix = work_class.mix[index];
    for (const Row& row : {Row{"input", Size::input_tokens, mix.input_tokens},
                           Row{"output", Size::output_tokens, mix.output_tokens},
                           Row{"batch", Size::batch, mix.batch}}) {
      const IntegerRange span = (*jobs)[row.size];
      if (row.value >= span.low && row.value <= span.high) continue;
      lint.warn(mixes[index], row.key,
                fmt::format("the `when` of the class holds for {} from {} to {}, not for {}",
                            to_text(row.size), span.low, span.high, row.value));
    }
  }
}

}  // namespace

void lint_classes(Lint& lint, Table file) {
  auto tables = file.table("class");
  const std::vector<WorkClass>& classes = lint.policy().classes;
  for (std::size_t index = 0; tables && index < classes.size(); ++index) {
    auto table = tables->table(classes[index].name);
    if (!table) continue;
    lint_empty_ranges(lint, *table, classes[index].when);
    auto when = table->table("when");
    const std::vector<std::string> itself = {classes[index].name};
    if (when && when->has("class") && classes[index].when.classes != itself) {
      lint.error(*when, "class",
                 "never matches: `class` is not known yet while the class is being determined");
    }
    lint_reached(lint, *table, index);
    lint_metric(lint, *table, classes[index]);
    lint_mix(lint, *table, classes[index]);
  }
}

}  // namespace drover::router
