#include "router/lint/cases.h"

#include <algorithm>
#include <array>

#include "router/policy/work_class.h"

namespace drover::router {
namespace {

constexpr std::array<WorkKind, work_kind_count> every_kind = {WorkKind::serve, WorkKind::train,
                                                              WorkKind::batch};

/// Parts tried in search of a job.
constexpr std::size_t tried_max = 16;

/// Jobs of the class, or of no class if it is null, before rules are matched.
JobSet base_of(const WorkClass* work_class) {
  JobSet set;
  if (work_class == nullptr) {
    set.classes = {""};
    return set;
  }
  if (const auto unnamed = jobs_of_class(*work_class)) set = *unnamed;
  set.classes = {work_class->name};
  return set;
}

ExampleJob sample_of(const JobSet& set, const WorkClass* work_class) {
  ExampleJob sample = example_job(set);
  if (work_class == nullptr || jobs_of_class(*work_class)) sample.job.work_class.clear();
  return sample;
}

/// What takes jobs before the rule is matched: earlier rules and earlier classes.
std::vector<JobSet> earlier_than(const Policy& policy, const WorkClass* work_class,
                                 std::size_t rule) {
  std::vector<JobSet> earlier;
  for (std::size_t index = 0; index < rule; ++index) {
    earlier.push_back(job_set(policy.rules[index].when));
  }
  if (work_class != nullptr && !jobs_of_class(*work_class)) return earlier;
  for (const WorkClass& other : policy.classes) {
    if (&other == work_class) break;
    if (const auto jobs = jobs_of_class(other)) earlier.push_back(*jobs);
  }
  return earlier;
}

/// Whether a job of `set` belongs to this class and matches this rule; null: none.
bool meets(const Policy& policy, const JobSet& set, const WorkClass* work_class, const Rule* rule) {
  const ExampleJob sample = sample_of(set, work_class);
  const WorkClass* found = class_of(policy, sample.job, sample.model);
  return found == work_class && find_rule(policy, sample.job, sample.model, found) == rule;
}

bool reached(const Policy& policy, const PolicyCase& each) {
  const auto parts = without(each.jobs, earlier_than(policy, each.work_class, each.rule));
  const auto end = parts.begin() + static_cast<std::ptrdiff_t>(std::min(tried_max, parts.size()));
  return std::any_of(parts.begin(), end, [&](const JobSet& part) {
    return meets(policy, part, each.work_class, &policy.rules[each.rule]);
  });
}

std::string name_of(const WorkClass* work_class, WorkKind kind, const Mix* mix) {
  if (work_class == nullptr) return std::string(kind_word(kind));
  std::string name = "class " + work_class->name;
  if (work_class->when.kinds.size() != 1) name += fmt::format(" ({})", kind_word(kind));
  if (mix == nullptr || work_class->mix.size() < 2) return name;
  if (mix->batch > 0) return name + fmt::format(" of batch {}", mix->batch);
  return name + fmt::format(" of {}+{} tokens", mix->input_tokens, mix->output_tokens);
}

JobSet sized(JobSet set, const Mix* mix) {
  if (mix == nullptr) return set;
  const auto pin = [&](Size size, std::uint32_t value) {
    set[size] = {std::max<std::int64_t>(value, set[size].low),
                 std::min<std::int64_t>(value, set[size].high)};
  };
  pin(Size::input_tokens, mix->input_tokens);
  pin(Size::output_tokens, mix->output_tokens);
  pin(Size::batch, mix->batch);
  return set;
}

void add_cases(const Policy& policy, std::size_t rule, const WorkClass* work_class,
               std::vector<PolicyCase>& cases) {
  const JobSet both = common(job_set(policy.rules[rule].when), base_of(work_class));
  std::vector<const Mix*> mixes;
  if (work_class != nullptr) {
    for (const Mix& mix : work_class->mix) mixes.push_back(&mix);
  }
  if (mixes.empty()) mixes.push_back(nullptr);
  for (const WorkKind kind : every_kind) {
    for (const Mix* mix : mixes) {
      PolicyCase each{name_of(work_class, kind, mix), kind, sized(both, mix), work_class, rule};
      each.jobs.kinds &= bit(kind);
      if (!each.jobs.empty() && reached(policy, each)) cases.push_back(std::move(each));
    }
  }
}

}  // namespace

std::string_view kind_word(WorkKind kind) {
  return kind == WorkKind::serve ? "inference" : kind == WorkKind::train ? "training" : "batch";
}

std::optional<JobSet> jobs_of_class(const WorkClass& work_class) {
  // Evaluated before a job has a class, `class` never matches.
  if (!work_class.when.classes.empty()) return std::nullopt;
  return job_set(work_class.when);
}

std::vector<PolicyCase> policy_cases(const Policy& policy) {
  std::vector<PolicyCase> cases;
  for (std::size_t rule = 0; rule < policy.rules.size(); ++rule) {
    for (const WorkClass& work_class : policy.classes) add_cases(policy, rule, &work_class, cases);
    add_cases(policy, rule, nullptr, cases);
  }
  return cases;
}

std::vector<PolicyCase> rule_cases(const Rule& rule, std::size_t index) {
  std::vector<PolicyCase> cases;
  for (const WorkKind kind : every_kind) {
    PolicyCase each{std::string(kind_word(kind)), kind, job_set(rule.when), nullptr, index};
    each.jobs.kinds &= bit(kind);
    if (!each.jobs.empty()) cases.push_back(std::move(each));
  }
  return cases;
}

std::vector<UnmatchedJobs> unmatched_jobs(const Policy& policy) {
  std::vector<const WorkClass*> classes;
  for (const WorkClass& work_class : policy.classes) classes.push_back(&work_class);
  classes.push_back(nullptr);
  std::vector<UnmatchedJobs> found;
  for (const WorkClass* work_class : classes) {
    const auto earlier = earlier_than(policy, work_class, policy.rules.size());
    const JobSet base = base_of(work_class);
    const bool none = std::ranges::all_of(
        policy.rules, [&](const Rule& rule) { return common(job_set(rule.when), base).empty(); });
    for (const WorkKind kind : every_kind) {
      JobSet all = base;
      all.kinds &= bit(kind);
      const auto parts = without(all, earlier);
      const auto part = std::ranges::find_if(
          parts, [&](const JobSet& each) { return meets(policy, each, work_class, nullptr); });
      if (part != parts.end()) found.push_back({work_class, *part, none && work_class != nullptr});
    }
  }
  return found;
}

std::string described(const Policy& policy, const UnmatchedJobs& jobs) {
  struct Row {
    std::string When::*of_rule;
    std::string JobSet::*of_jobs;
    std::string_view others;
  };
  std::string text(kind_word(example_job(jobs.jobs).job.work.kind));
  if (const std::string words = described(jobs.jobs); !words.empty()) text += ", " + words;
  for (const Row& row :
       {Row{&When::model, &JobSet::model, "models"}, Row{&When::tenant, &JobSet::tenant, "tenants"},
        Row{&When::stage, &JobSet::stage, "stages"}}) {
    const bool named = std::ranges::any_of(policy.rules, [&](const Rule& rule) {
      return (job_set(rule.when).kinds & jobs.jobs.kinds) != 0 && rule.when.*row.of_rule != "*";
    });
    if (jobs.jobs.*row.of_jobs == "*" && named)
      text += fmt::format(", {} that no rule names", row.others);
  }
  return text;
}

}  // namespace drover::router
