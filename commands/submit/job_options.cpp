#include "commands/submit/job_options.h"

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/version.h"

namespace drover::commands {
namespace {

void read_precisions(Arguments& arguments, Workload& work) {
  if (!arguments.has("precision")) return;
  for (const std::string& word : split(arguments.text("precision"), ',')) {
    if (const auto precision = parse_precision(word)) {
      work.precisions.push_back(*precision);
      continue;
    }
    std::vector<std::string> known;
    for (int i = 0; i < precision_count; ++i) {
      known.emplace_back(to_text(static_cast<Precision>(i)));
    }
    arguments.add_problem(
        error("--precision: unknown '{}'{}", printable(word), suggestion(word, known)));
  }
}

void read_model(Arguments& arguments, const devices::Catalogue& catalogue, std::string& model) {
  model = arguments.text("model");
  if (model.empty()) {
    arguments.add_problem(error("--model is required, such as llama-3.1-8b"));
  } else if (const auto found = catalogue.model(model); !found) {
    arguments.add_problem(error("--model: {}", found.error().message));
  }
}

/// The union of `words` over all devices of the catalogue: the names that a router knows.
std::vector<std::string> known_words(const devices::Catalogue& catalogue,
                                     std::vector<std::string> devices::DeviceSpec::*words) {
  std::set<std::string> known;
  for (const auto& [id, entry] : catalogue.devices()) {
    known.insert((entry.spec.*words).begin(), (entry.spec.*words).end());
  }
  return {known.begin(), known.end()};
}

void read_needs(Arguments& arguments, const devices::Catalogue& catalogue, Workload& work) {
  work.framework =
      arguments.one_of("framework", known_words(catalogue, &devices::DeviceSpec::frameworks), "");
  const auto known = known_words(catalogue, &devices::DeviceSpec::missing_ops);
  work.ops = arguments.text_list("op");
  for (const std::string& op : work.ops) {
    if (contains(known, op)) continue;
    arguments.add_problem(error("--op: unknown '{}'{}", excerpt(op), suggestion(op, known)));
  }
}

void read_versions(Arguments& arguments, Workload& work) {
  for (const std::string& word : arguments.text_list("software")) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto version = equals == std::string::npos ? Result<Version>(error("no version"))
                                                     : parse_version(word.substr(equals + 1));
    if (!is_name(name) || !version) {
      arguments.add_problem(error(
          "--software: found \"{}\", expected NAME=VERSION such as cuda=12.4", excerpt(word)));
      continue;
    }
    work.versions[name] = word.substr(equals + 1);
  }
}

struct Applies {
  const char* option;
  unsigned to;  // Submission
  const char* meant_for;
};

// Options that are not listed here apply to every submission.
constexpr unsigned one_job = serve | train | batch;
constexpr Applies applies[] = {
    {"input", serve | batch, "--kind serve or batch"},
    {"output", serve | batch, "--kind serve or batch"},
    {"items", batch, "--kind batch"},
    {"steps", train, "--kind train"},
    {"batch", train, "--kind train"},
    {"seq-len", train, "--kind train"},
    {"devices", train, "--kind train"},
    {"format", whole_trace, "--trace"},
    {"columns", whole_trace, "--trace"},
    {"throughputs", whole_trace, "--trace"},
    {"measured-on", whole_trace, "--trace"},
    {"load", whole_trace, "--trace"},
    {"seed", whole_trace, "--trace"},
    {"kind", one_job, "one job, not for a trace"},
    {"precision", one_job, "one job, not for a trace"},
    {"framework", one_job, "one job, not for a trace"},
    {"op", one_job, "one job, not for a trace"},
    {"software", one_job, "one job, not for a trace"},
    {"loss-scaling", train, "--kind train"},
    {"checkpoint", train, "--kind train"},
    {"class", one_job, "one job, not for a trace"},
    {"stage", one_job, "one job, not for a trace"},
    {"data", one_job, "one job, not for a trace"},
    {"tenant", one_job, "one job, not for a trace"},
    {"priority", one_job, "one job, not for a trace"},
    {"deadline", one_job, "one job, not for a trace"},
    {"id", one_job, "one job, not for a trace"},
};

std::uint32_t count_option(Arguments& arguments, std::string_view name, std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(arguments.integer(name, 1, 10'000'000, otherwise));
}

JobId fresh_id() {
  std::random_device kernel;
  const auto word = [&] { return (static_cast<std::uint64_t>(kernel()) << 32) | kernel(); };
  return {word(), word()};
}

void read_size_of_work(Arguments& arguments, Workload& work) {
  if (work.kind == WorkKind::train) {
    work.steps = count_option(arguments, "steps", 100);
    work.batch = count_option(arguments, "batch", 32);
    work.sequence = count_option(arguments, "seq-len", 1);
    work.devices = static_cast<std::uint16_t>(arguments.integer("devices", 1, 4096, 1));
    work.loss_scaling = arguments.has("loss-scaling");
    if (arguments.has("checkpoint"))
      work.checkpoint_steps = count_option(arguments, "checkpoint", 1);
    return;
  }
  work.input_tokens = count_option(arguments, "input", 1020);
  work.output_tokens = count_option(arguments, "output", 129);
  if (work.kind == WorkKind::batch) work.items = count_option(arguments, "items", 1);
}

}  // namespace

void check_applies(Arguments& arguments, Submission submission) {
  for (const Applies& row : applies) {
    if ((row.to & submission) != 0 || !arguments.has(row.option)) continue;
    arguments.add_problem(
        error("--{} has no effect here: it is for {}", row.option, row.meant_for));
  }
}

Job read_job(Arguments& arguments, const devices::Catalogue& catalogue) {
  Job job;
  Workload& work = job.work;
  const std::string kind = arguments.one_of("kind", {"serve", "train", "batch"}, "serve");
  work.kind = *parse_work_kind(kind);
  check_applies(arguments, work.kind == WorkKind::serve   ? Submission::serve
                           : work.kind == WorkKind::train ? Submission::train
                                                          : Submission::batch);
  read_model(arguments, catalogue, work.model);
  read_precisions(arguments, work);
  read_needs(arguments, catalogue, work);
  read_versions(arguments, work);
  read_size_of_work(arguments, work);
  for (const auto& [option, name] :
       {std::pair{"class", &job.work_class}, {"stage", &job.stage}, {"data", &job.data_set}}) {
    if (arguments.has(option)) *name = arguments.name(option, "");
  }
  job.tenant = arguments.name("tenant", "default");
  job.priority = static_cast<std::int8_t>(
      arguments.integer("priority", -128, 127, work.kind == WorkKind::serve ? 10 : 0));
  job.deadline = arguments.duration("deadline", Duration{0});
  job.id = fresh_id();
  if (arguments.has("id")) {
    const auto id = parse_job_id(arguments.text("id"));
    if (id) {
      job.id = *id;
    } else {
      arguments.add_problem(error("--id: {}", id.error().message));
    }
  }
  return job;
}

}  // namespace drover::commands
