// docs/metrics.md and examples/monitoring, held against the code.
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commands/metrics/page/device_families.h"
#include "commands/metrics/page/totals.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"
#include "tests/commands/folder.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

const std::string monitoring = DROVER_SOURCE_DIR "/examples/monitoring/";

std::vector<Family> all_families() {
  std::vector<Family> all;
  for (const auto& columns : {gpu_columns(), tpu_columns(), device_columns()}) {
    for (const DeviceColumn& column : columns) all.push_back(column.series.family);
  }
  for (const auto& columns : {info_columns(), host_columns()}) {
    for (const SeriesColumn& column : columns) all.push_back(column.family);
  }
  for (const auto& totals : {work_totals(), fleet_totals()}) {
    for (const TotalFamily& total : totals) all.push_back(total.family);
  }
  return all;
}

std::string cell_of(std::string_view labels) {
  std::string cell;
  for (const std::string& label : split(std::string(labels), ',')) {
    if (!label.empty()) add_part(cell, ", ", "`" + std::string(trimmed(label)) + "`");
  }
  return cell;
}

TEST(MetricsDocument, HasEveryFamilyInOrderWithTypeUnitLabelsAndMeaning) {
  std::string expected, found;
  for (const Family& family : all_families()) {
    const bool of_maker = family.labels == "GPU" || family.labels == "TPU";
    expected +=
        fmt::format("| `{}` | {} | {} | {}{} |\n", family.name, to_text(family.type), family.unit,
                    of_maker ? "" : cell_of(family.labels) + " | ", family.help);
  }
  for (const std::string& line : split(text_of(DROVER_SOURCE_DIR "/docs/metrics.md"), '\n')) {
    if (!line.starts_with("| `")) continue;
    // Tables of makers' families have one column more: the source.
    static const std::regex of_maker("^\\| `(DCGM_|duty_cycle|tensor|memory_|drover_tpu_)");
    const bool with_source = std::regex_search(line, of_maker);
    found += with_source ? line.substr(0, line.rfind(" | ") + 2) + "\n" : line + "\n";
  }
  EXPECT_EQ(found, expected);
}

TEST(MetricsDocument, NoFamilyIsThereTwiceAndCountersOfOursEndInTotal) {
  std::set<std::string_view> names;
  for (const Family& family : all_families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_EQ(family.name.ends_with("_total"),
              family.type == FamilyType::counter || family.name == "memory_total")
        << family.name;
  }
}

/// Every name of a metric in a text of queries belongs to a family.
void expect_families(const std::string& queries) {
  std::set<std::string> known = {"up"};
  for (const Family& family : all_families()) {
    known.emplace(family.name);
    if (family.type != FamilyType::histogram) continue;
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      known.insert(std::string(family.name) + suffix);
    }
  }
  const std::regex name(R"(\b(drover_\w+|DCGM_\w+|duty_cycle)\b)");
  std::size_t count = 0;
  for (auto one = std::sregex_iterator(queries.begin(), queries.end(), name);
       one != std::sregex_iterator(); ++one, ++count) {
    const std::string word = one->str();
    const bool label = word == "drover_id";
    EXPECT_TRUE(label || known.contains(word)) << word;
  }
  EXPECT_GT(count, 5U);
}

TEST(MonitoringExamples, PromtoolAcceptsConfigurationAndRules) {
  for (const char* command :
       {"check config prometheus.yml", "check rules alerts.yml", "test rules alerts_test.yml"}) {
    const ProcessResult ran = run_shell("cd " + monitoring + " && promtool " + command);
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  }
  expect_families(text_of(monitoring + "alerts.yml"));
}

TEST(MonitoringExamples, TheDashboardAsksForFamiliesThatAreThere) {
  const auto dashboard = Json::parse(text_of(monitoring + "drover.json"));
  ASSERT_TRUE(dashboard.ok()) << dashboard.error().message;
  std::string queries;
  const Json& panels = (*dashboard)["panels"];
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Json& targets = panels[i]["targets"];
    for (std::size_t t = 0; t < targets.size(); ++t) queries += targets[t]["expr"].text() + "\n";
  }
  expect_families(queries);
}

}  // namespace
}  // namespace drover::commands
