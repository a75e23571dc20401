// [eject], [slow_start] and [panic].
#include "fleet/base/text.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

using toml_file::Table;

constexpr double day_s = 86'400;
constexpr std::int64_t count_max = 1'000'000;

std::uint32_t read_count(Table table, std::string_view key, std::int64_t low,
                         std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(table.integer_in(key, low, count_max, otherwise));
}

void read_detectors(Table eject, EjectionRules& rules) {
  rules.consecutive = read_count(eject, "consecutive", 0, rules.consecutive);
  if (auto rate = eject.table("success_rate")) {
    EjectionRules::SuccessRate& into = rules.success_rate;
    into.stdev_factor = rate->number_in("stdev_factor", 0, 100, into.stdev_factor);
    into.min_hosts = read_count(*rate, "min_hosts", 2, into.min_hosts);
    into.min_requests = read_count(*rate, "min_requests", 1, into.min_requests);
  }
  if (auto percentage = eject.table("failure_percentage")) {
    EjectionRules::FailurePercentage& into = rules.failure_percentage;
    into.enabled = true;
    into.threshold = percentage->number_in("threshold", 1, 100, into.threshold);
    into.min_hosts = read_count(*percentage, "min_hosts", 1, into.min_hosts);
    into.min_requests = read_count(*percentage, "min_requests", 1, into.min_requests);
  }
  if (auto enforce = eject.table("enforce")) {
    for (std::size_t index = 0; index < detector_count; ++index) {
      const std::string_view key = to_text(static_cast<Detector>(index));
      rules.enforce[index] = enforce->number_in(key, 0, 100, rules.enforce[index]);
    }
  }
  rules.shadow = read_word<bool>(eject, "mode", {{"enforce", false}, {"shadow", true}}, false);
}

void read_eject(Table file, EjectionRules& rules) {
  auto eject = file.table("eject");
  if (!eject) return;
  read_detectors(*eject, rules);
  rules.interval_s = eject->number_in("interval_s", 0.1, day_s, rules.interval_s);
  rules.base_s = eject->number_in("base_s", 0.1, day_s, rules.base_s);
  rules.max_s = eject->number_in("max_s", 0.1, day_s, rules.max_s);
  rules.jitter_s = eject->number_in("jitter_s", 0, day_s, rules.jitter_s);
  rules.max_percent = eject->number_in("max_percent", 0, 100, rules.max_percent);
  rules.min_hosts = read_count(*eject, "min_hosts", 1, rules.min_hosts);
  if (rules.max_s < rules.base_s) {
    eject->add_problem("max_s", fmt::format("found {}, expected at least base_s, which is {}",
                                            rules.max_s, rules.base_s));
  }
}

void read_slow_start(Table file, SlowStart& rules) {
  auto slow_start = file.table("slow_start");
  if (!slow_start) return;
  rules.window_s = slow_start->number_in("window_s", 0, day_s, rules.window_s);
  rules.min_weight = slow_start->number_in("min_weight", 0.001, 1, rules.min_weight);
  rules.aggression = slow_start->number_in("aggression", 0.01, 100, rules.aggression);
}

void read_panic(Table file, Panic& rules) {
  auto panic = file.table("panic");
  if (!panic) return;
  rules.below = panic->number_in("below", 0, 1, rules.below);
  rules.action = read_word<PanicAction>(
      *panic, "action", {{"use_all", PanicAction::use_all}, {"fail", PanicAction::fail}},
      PanicAction::use_all);
}

}  // namespace

void read_health(const Table& file, Policy& policy) {
  read_eject(file, policy.eject);
  read_slow_start(file, policy.slow_start);
  read_panic(file, policy.panic);
}

}  // namespace drover::router
