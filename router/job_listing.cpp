// Job lists for clients: open jobs, and ended ones in pages, newest first.
#include <algorithm>
#include <utility>

#include "router/queries.h"

namespace drover::router {
namespace {

constexpr std::size_t jobs_reply_max = 1'000;
// One page takes a millisecond, so that a client that lists all jobs delays nobody.
constexpr std::size_t jobs_reply_bytes_max = 128 * 1024;

/// Upper bound on the encoded size of an entry: its texts and lists, plus the most that the rest
/// takes.
std::size_t size_bound(const JobChanged& job) {
  constexpr std::size_t fixed = 640;
  constexpr std::size_t of_text = 5;
  constexpr std::size_t of_number = 9;
  constexpr std::size_t of_throughput = 80;
  const Workload& work = job.job.work;
  std::size_t size = fixed + work.model.size() + work.framework.size() + job.job.tenant.size() +
                     job.job.work_class.size() + job.job.stage.size() + job.job.data_set.size() +
                     job.target.size() + job.pool.size() + job.detail.size() +
                     job.work_class.size() + job.change.size() + work.prefix.size() * of_number;
  for (const std::string& op : work.ops) size += op.size() + of_text;
  for (const auto& [name, version] : work.versions)
    size += name.size() + version.size() + 2 * of_text;
  for (const MeasuredThroughput& throughput : work.throughputs)
    size += throughput.device.size() + of_throughput;
  return size;
}

/// Fills a reply until it is full, with at least one job; later jobs are only counted.
class Listing {
 public:
  Listing(const Publisher& publisher, JobsReply& reply) : publisher_(publisher), reply_(reply) {}
  void add(const JobRecord& record) {
    if (!full_) {
      JobChanged job = publisher_.job_changed(record);
      bytes_ += size_bound(job);
      full_ = reply_.jobs.size() >= jobs_reply_max ||
              (bytes_ > jobs_reply_bytes_max && !reply_.jobs.empty());
      if (!full_) return reply_.jobs.push_back(std::move(job));
    }
    ++reply_.left_out;
  }

 private:
  const Publisher& publisher_;
  JobsReply& reply_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

/// List position of an open job: running jobs come first, because with 100,000 waiting jobs they
/// would otherwise be on the last page.
using ListedAt = std::pair<bool, std::uint64_t>;  // waits, number

ListedAt listed_at(const JobRecord& record) {
  return {!record.holds_attempt() && !is_terminal(record.state), record.number};
}

}  // namespace

void Queries::handle(Instant now, const Caller& caller, const JobsRequest& request) {
  JobsReply reply;
  if (request.job) {
    if (const JobRecord* record = jobs.find(*request.job))
      reply.jobs.push_back(publisher.job_changed(*record));
  } else {
    reply = listed(request);
  }
  outbox.send(now, caller.peer, std::move(reply));
}

JobsReply Queries::listed(const JobsRequest& request) const {
  const auto asked = [&](const JobRecord* record) {
    return !request.state || record->state == *request.state;
  };
  JobsReply reply;
  Listing listing(publisher, reply);
  const JobRecord* before = request.open_after ? jobs.find(*request.open_after) : nullptr;
  const bool gone = request.open_after && before == nullptr;
  const std::optional<ListedAt> from = before ? std::optional(listed_at(*before)) : std::nullopt;
  for (const bool waits : {false, true}) {
    if (request.ended_only || gone) break;
    for (const auto& [number, record] : jobs.open()) {
      const ListedAt at = listed_at(*record);
      if (at.first == waits && (!from || at > *from) && asked(record)) {
        listing.add(*record);
      }
    }
  }
  const auto& ended = jobs.ended_jobs();
  auto next = ended.rbegin();
  if (request.ended_before) {
    next = std::find(next, ended.rend(), jobs.find(*request.ended_before));
    if (next != ended.rend()) ++next;
  }
  for (std::uint32_t count = 0; next != ended.rend() && count < request.ended_max; ++next) {
    if (!asked(*next)) continue;
    listing.add(**next);
    ++count;
  }
  reply.ended_kept =
      request.state ? static_cast<std::uint64_t>(std::count_if(ended.begin(), ended.end(), asked))
                    : ended.size();
  for (const JobState state : {JobState::finished, JobState::failed, JobState::cancelled}) {
    if (!request.state || *request.state == state) reply.ended_ever += accounting.ended(state);
  }
  return reply;
}

}  // namespace drover::router
