// `when`, shared by rules and classes, and [class.NAME].
#include <array>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

using toml_file::Table;

struct KindWord {
  std::string_view word;
  WorkKind kind;
};
constexpr std::array<KindWord, 5> kind_words = {{
    {"inference", WorkKind::serve},
    {"serve", WorkKind::serve},
    {"training", WorkKind::train},
    {"train", WorkKind::train},
    {"batch", WorkKind::batch},
}};

struct RangeKey {
  std::string_view key;
  Range When::*range;
};
constexpr std::array<RangeKey, 6> range_keys = {{
    {"prompt_tokens", &When::input_tokens},
    {"input_tokens", &When::input_tokens},
    {"output_tokens", &When::output_tokens},
    {"batch", &When::batch},
    {"gang", &When::gang},
    {"priority", &When::priority},
}};

struct MetricWord {
  std::string_view word;
  ClassMetric metric;
  bool is_duration;  // of the target
};
constexpr std::array<MetricWord, 7> metric_words = {{
    {"training_time", ClassMetric::training_time, true},
    {"ttft", ClassMetric::first_token, true},
    {"tpot", ClassMetric::per_token, true},
    {"usd_per_mtoken", ClassMetric::cost_per_unit, false},
    {"usd_per_kstep", ClassMetric::cost_per_unit, false},
    {"j_per_token", ClassMetric::energy_per_unit, false},
    {"j_per_step", ClassMetric::energy_per_unit, false},
}};

void read_metric(Table table, WorkClass& work_class) {
  const bool aimed = table.has("target");
  if (!table.has("metric")) {
    if (aimed) table.add_problem("target", "has no effect without `metric`");
    return;
  }
  const std::string found = table.text("metric");
  const MetricWord* row = find_by(metric_words, &MetricWord::word, found);
  if (row == nullptr) {
    table.add_problem("metric", "no such metric \"{}\"{}", printable(found),
                      suggestion(found, names_of(metric_words, &MetricWord::word)));
    return;
  }
  work_class.metric = row->metric;
  if (!aimed) return;
  work_class.target =
      row->is_duration ? to_seconds(table.duration("target")) : table.number_in("target", 0, 1e15);
}

Mix read_mix(Table table) {
  Mix mix;
  mix.input_tokens = static_cast<std::uint32_t>(table.integer_in("input", 0, 10'000'000, 0));
  mix.output_tokens = static_cast<std::uint32_t>(table.integer_in("output", 0, 10'000'000, 0));
  mix.batch = static_cast<std::uint32_t>(table.integer_in("batch", 0, 100'000'000, 0));
  if (mix.input_tokens == 0 && mix.batch == 0) {
    table.add_problem("input", "found neither `input` nor `batch`, expected a size");
  }
  return mix;
}

std::map<std::string, std::string> read_versions(Table table) {
  std::map<std::string, std::string> versions;
  auto words = table.table("versions");
  if (!words) return versions;
  for (const std::string& name : words->keys()) {
    const std::string version = words->text(name);
    if (const auto parsed = parse_version(version); !parsed) {
      words->add_problem(name, parsed.error().message);
    }
    versions.emplace(name, version);
  }
  return versions;
}

/// REQUIRES that its name is set.
void read_class(Table table, WorkClass& work_class) {
  if (auto when = table.table("when")) {
    read_when(*when, work_class.when);
  } else {
    // Only jobs that name it match.
    work_class.when.classes = {work_class.name};
  }
  work_class.stage = table.text("stage", "");
  work_class.framework = table.text("framework", "");
  work_class.versions = read_versions(table);
  work_class.data_set = table.text("data", "");
  for (const Table& mix : table.tables("mix")) work_class.mix.push_back(read_mix(mix));
  read_metric(table, work_class);
}

void read_kinds(Table table, When& when) {
  for (const std::string& word : table.texts("kind")) {
    const auto kind = parse_kind_word(word);
    if (!kind) {
      table.add_problem("kind", "found \"{}\", expected inference, training or batch",
                        printable(word));
      return;
    }
    when.kinds.push_back(*kind);
  }
}

}  // namespace

std::optional<WorkKind> parse_kind_word(std::string_view word) {
  const KindWord* found = find_by(kind_words, &KindWord::word, word);
  return found == nullptr ? std::nullopt : std::optional(found->kind);
}

void read_when(Table table, When& when) {
  read_kinds(table, when);
  if (table.has("model") && table.has("model_family")) {
    table.add_problem("model_family", "conflicts with `model`, expected one of them");
  }
  when.model = table.text("model", table.text("model_family", "*"));
  when.tenant = table.text("tenant", "*");
  when.stage = table.text("stage", "*");
  when.classes = table.texts("class");
  if (table.has("prompt_tokens") && table.has("input_tokens")) {
    table.add_problem("input_tokens", "conflicts with `prompt_tokens`, expected one of them");
  }
  for (const RangeKey& row : range_keys) {
    if (!table.has(row.key)) continue;
    const auto range = parse_range(table.text(row.key));
    if (!range) table.add_problem(row.key, range.error().message);
    if (range) when.*row.range = *range;
  }
}

void read_classes(Table file, Policy& policy) {
  auto classes = file.table("class");
  if (!classes) return;
  for (const std::string& name : classes->keys()) {
    auto table = classes->table(name);
    if (!is_name(name)) classes->add_problem(name, "expected letters, digits, `.`, `_`, `:`, `-`");
    WorkClass work_class;
    work_class.name = name;
    if (table) read_class(*table, work_class);
    const auto& data_sets = policy.network.data_sets;
    if (!work_class.data_set.empty() && data_sets.count(work_class.data_set) == 0) {
      table->add_problem("data", "no [network.data_set.{}]", work_class.data_set);
    }
    policy.classes.push_back(std::move(work_class));
  }
}

}  // namespace drover::router
