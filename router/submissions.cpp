#include "router/submissions.h"

#include <algorithm>
#include <utility>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/version.h"
#include "router/ledger/ledger.h"

namespace drover::router {
namespace {

// Bounds of one job. They keep sums and wire values in range; they are not user quotas. [assumed]
constexpr std::uint32_t job_tokens_max = 10'000'000;  // prompt or output of one request
constexpr std::uint32_t job_items_max = 100'000'000;
constexpr std::size_t job_ops_max = 32;
constexpr double job_throughput_max = 1e9;  // steps per second
constexpr Duration job_deadline_max = std::chrono::hours(24 * 366);

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

/// Whether the job is valid. The error names the field, the value found and the values expected,
/// and is safe to print. Suggesting the nearest known model for an unknown name uses up one of
/// `suggestions`; at 0 the error names only the unknown model.
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

SubmitResult result_of(const Job& job, SubmitStatus status, JobState state,
                       std::string detail = "") {
  SubmitResult result;
  result.job = job.id;
  result.status = status;
  result.state = state;
  result.detail = std::move(detail);
  return result;
}

SubmitResult conflict(const Job& job, JobState state) {
  return result_of(job, SubmitStatus::conflict, state, "another job was accepted with this id");
}

/// Why this job is one too many; empty: it is not.
std::string crowding(const Job& job, const JobTable& jobs, std::size_t waiting,
                     const Limits& limits) {
  if (waiting >= limits.queue_max) {
    return counted(waiting, "job waits", "jobs wait") + ", the policy's limit";
  }
  const std::size_t most = payload_bytes_max(limits.queue_max);
  if (jobs.open_payload_bytes() + payload_bytes(job) <= most) return {};
  return fmt::format("{} use {} for measured throughputs, operations and prompts; the limit is {}",
                     counted(jobs.open().size(), "open job"),
                     bytes_text(static_cast<double>(jobs.open_payload_bytes())),
                     bytes_text(static_cast<double>(most)));
}

}  // namespace

void Submissions::handle(Instant now, const Caller& caller, const Submit& submit) {
  if (submit.jobs.size() > submit_jobs_max) {
    outbox.send(now, caller.peer,
                RequestError{fmt::format("Submit.jobs: found {}, expected at most {}",
                                         submit.jobs.size(), submit_jobs_max)});
    return;
  }
  SubmitReply reply;
  std::uint64_t after_write = 0;
  for (const Job& job : submit.jobs) reply.results.push_back(submit_one(now, job, after_write));
  outbox.send(now, caller.peer, std::move(reply), after_write);
}

SubmitResult Submissions::submit_one(Instant now, const Job& job, std::uint64_t& after_write) {
  if (const JobRecord* known = jobs.find(job.id)) {
    if (known->job != job) return conflict(job, known->state);
    after_write = std::max(after_write, known->accepted_write);
    return result_of(job, SubmitStatus::exists, known->state);
  }
  if (const auto known = jobs.remembered(job.id)) {
    if (known->content != content_hash(job)) return conflict(job, known->state);
    after_write = std::max(after_write, outbox.last_write());
    return result_of(job, SubmitStatus::exists, known->state);
  }
  if (waiting.closed()) return refuse(job, Reason::ended, "the run has ended");
  if (auto status = check_job(job, catalogue, suggestions_left_); !status) {
    return refuse(job, Reason::invalid, status.error().message);
  }
  if (std::string why = crowding(job, jobs, queue.size(), policy.limits); !why.empty()) {
    return refuse(job, Reason::capacity, std::move(why));
  }
  if (outbox.rejects_writes()) return refuse(job, Reason::capacity, outbox.backpressure().text());
  JobRecord& record = jobs.add(job, now);
  record.accepted_write = outbox.write(ledger::accepted(now, job));
  after_write = std::max(after_write, record.accepted_write);
  accounting.accepted(job);
  waiting.watch_deadline(record);
  waiting.add(record);
  dispatcher.expect_more();
  publisher.publish_job(now, record);
  return result_of(job, SubmitStatus::accepted, JobState::queued);
}

// Nothing is kept on disk or in memory, so that a flood fills neither.
SubmitResult Submissions::refuse(const Job& job, Reason reason, std::string detail) {
  SubmitResult result = result_of(job, SubmitStatus::refused, JobState::failed, std::move(detail));
  result.reason = reason;
  accounting.refused();
  return result;
}

}  // namespace drover::router
