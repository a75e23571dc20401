#include "router/fleet_state/job_validation.h"

#include <string>
#include <utility>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"
#include "router/fleet_state/fleet_state.h"

namespace drover::router {
namespace {

struct Bound {
  const char* field;
  std::uint32_t found;
  std::uint32_t low;
  std::uint32_t high;
};

Status check_bounds(std::initializer_list<Bound> bounds) {
  for (const Bound& bound : bounds) {
    if (bound.found < bound.low || bound.found > bound.high) {
      return error("{}: found {}, expected {} to {}", bound.field, bound.found, bound.low,
                   bound.high);
    }
  }
  return {};
}

std::string shortened(const std::string& text) { return printable(text.substr(0, 80)); }

Status check_names(const Job& job) {
  if (job.id.empty()) return error("id: found only zeros, expected 128 random bits");
  if (!is_name(job.tenant)) {
    return error("tenant: found \"{}\", expected 1 to 64 characters of A-Z a-z 0-9 . _ : -",
                 shortened(job.tenant));
  }
  if (!job.work.framework.empty() && !is_name(job.work.framework)) {
    return error("framework: found \"{}\", expected a name", shortened(job.work.framework));
  }
  if (job.work.ops.size() > job_ops_max) {
    return error("ops: found {}, expected at most {}", job.work.ops.size(), job_ops_max);
  }
  for (const std::string& op : job.work.ops) {
    if (!is_name(op)) return error("ops: found \"{}\", expected names", shortened(op));
  }
  for (const auto& [field, name] :
       {std::pair{"class", &job.work_class}, {"stage", &job.stage}, {"data", &job.data_set}}) {
    if (!name->empty() && !is_name(*name)) {
      return error("{}: found \"{}\", expected a name", field, shortened(*name));
    }
  }
  if (job.work.precisions.size() > precision_count) {
    return error("precisions: found {}, expected at most {}", job.work.precisions.size(),
                 precision_count);
  }
  return {};
}

Status check_versions(const Workload& work) {
  for (const auto& [name, version] : work.versions) {
    if (!is_name(name)) return error("versions: found \"{}\", expected a name", shortened(name));
    if (!parse_version(version)) {
      return error("versions.{}: found \"{}\", expected a version such as 12.4", name,
                   shortened(version));
    }
  }
  return {};
}

Status check_throughputs(const Workload& work) {
  for (const MeasuredThroughput& throughput : work.throughputs) {
    if (work.kind != WorkKind::train)
      return error("throughputs: found measured throughputs, expected none except for train jobs");
    if (!is_name(throughput.device)) {
      return error("throughputs: found \"{}\", expected the id of a device",
                   shortened(throughput.device));
    }
    const bool good = throughput.steps_per_s >= 0 && throughput.steps_per_s <= job_throughput_max;
    if (!good || throughput.devices == 0) {
      return error("throughputs: found {} steps/s of {} on {}, expected 0 to {}",
                   throughput.steps_per_s, throughput.devices, throughput.device,
                   job_throughput_max);
    }
  }
  return {};
}

Status check_sizes(const Workload& work) {
  if (work.kind == WorkKind::train) {
    return check_bounds({{"steps", work.steps, 1, job_steps_max},
                         {"batch", work.batch, 1, job_batch_max},
                         {"sequence", work.sequence, 1, job_tokens_max},
                         {"devices", work.devices, 1, devices_per_host_max},
                         {"checkpoint_steps", work.checkpoint_steps, 0, job_steps_max},
                         {"input_tokens", work.input_tokens, 0, 0},
                         {"output_tokens", work.output_tokens, 0, 0}});
  }
  const std::uint32_t items_max = work.kind == WorkKind::batch ? job_items_max : 1;
  const auto blocks = static_cast<std::uint32_t>(work.prefix.size());
  return check_bounds({{"input_tokens", work.input_tokens, 1, job_tokens_max},
                       {"prefix", blocks, 0, work.input_tokens / prefix_block_tokens + 1},
                       {"output_tokens", work.output_tokens, 1, job_tokens_max},
                       {"items", work.items, 1, items_max}});
}

}  // namespace

Status check_job(const Job& job, const devices::Catalogue& catalogue, std::uint32_t& suggestions) {
  DROVER_TRY(check_names(job));
  if (!is_name(job.work.model)) {
    return error("model: found \"{}\", expected a name", shortened(job.work.model));
  }
  if (suggestions == 0 && !catalogue.models().contains(job.work.model)) {
    return error("unknown model \"{}\"", shortened(job.work.model));
  }
  const auto model = catalogue.model(job.work.model);
  if (!model) --suggestions;
  if (!model) return model.error();
  if (job.work.kind != WorkKind::train &&
      (*model)->spec.architecture != devices::Architecture::decoder) {
    return error("model: found {}, which generates no tokens, expected a decoder for {}",
                 job.work.model, to_text(job.work.kind));
  }
  DROVER_TRY(check_sizes(job.work));
  DROVER_TRY(check_versions(job.work));
  DROVER_TRY(check_throughputs(job.work));
  if (job.deadline < Duration{0} || job.deadline > job_deadline_max) {
    return error("deadline: found {} s, expected 0 to {} s", to_seconds(job.deadline),
                 to_seconds(job_deadline_max));
  }
  return {};
}

}  // namespace drover::router
