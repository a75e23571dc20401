// Builds and reads ledger rows. Each row's payload is one encoded envelope (fleet/codec/codec.h),
// so anything that reads messages can read a row:
//
//   transition | job, attempt      | payload                    | fields that count
//   started    | none, 0           | JoinAccepted               | fleet_time, speed, software
//   accepted   | job, 0            | Submit with this one job   | the job
//   leased     | job, attempt      | JobChanged, sender = host  | target, pool, reason (of the
//              |                   |                            | fallback), remaining_s
//              |                   |                            | (predicted), detail ("replica 3",
//              |                   |                            | "devices 0 1"), change,
//              |                   |                            | work_class, policy_version;
//              |                   |                            | usage and latency_s: extra cost
//              |                   |                            | of the fallback
//   running    | job, attempt      | empty                      |
//   returned   | job, attempt      | Failed                     | reason, detail, usage,
//              |                   |                            | steps_done, steps_saved
//   finished   | job, attempt      | Finished                   | usage, outcome, incarnation
//   failed     | job, last attempt | Failed                     | reason (cancelled: by a client,
//              |                   |                            | not a failure),
//              |                   |                            | detail, usage of the end
//   stale      | job, old attempt  | Finished or Failed         | as received
//   counters   | none, 0           | SampleBatch, sender = host | energy counters of its devices
//   counters   | none, 0           | Summary                    | fleet_energy_j, fleet_cost_usd
//   counters   | none, 0           | Summary                    | totals to publish: energy and
//              |                   |                            | cost (charged), decisions,
//              |                   |                            | undecodable, sample_gaps,
//              |                   |                            | classes, refused
//   counters   | none, 0           | HostChanged, sender = host | totals to publish: incarnation
//              |                   |                            | (of the agent that counts),
//              |                   |                            | sample_gaps, samples_thinned,
//              |                   |                            | undecodable
//   audit      | none, 0           | Audit                      | all: the request
//   audit      | none, 0           | SetPowerCap                | all: in force from the row's time
//   audit      | none, 0           | SetDrain                   | all: in force from the row's time
//   audit      | none, 0           | CancelReply                | job, detail ("cancelled by ann")
//              |                   |                            | of each job with an attempt
//   audit      | none, 0           | PolicyReply                | place, by, text: in force from
//              |                   |                            | the row's time
//   known      | job, CompactedEnd | 8 bytes, big-endian        | hash of the content
//   sums       | none, 0           | JSON, see Accounting       | all
//
// Counters are written every ten heartbeats and at the end of the run: a batch for each host whose
// counters have changed, then the sums that contain them. A reader applies the batches when it
// reaches their sums, so a lost row costs seconds and counts nothing twice.
//
// A row's own `at`, `job` and `attempt` are authoritative; the payload repeats them for readers. A
// lease is fenced by (job, attempt): each lease increments the attempt, so no two leases of a job
// share one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "router/fleet_state/host_counters.h"
#include "router/jobs/accounting.h"
#include "router/jobs/job_table.h"

namespace drover::router::ledger {

LedgerRow started(Instant now, double speed, const std::string& software);
LedgerRow accepted(Instant now, const Job& job);
/// REQUIRES that record.lease is set.
LedgerRow leased(Instant now, const JobRecord& record);
LedgerRow running(Instant now, const JobRecord& record);
LedgerRow ended(Transition transition, Instant now, const Finished& finished);
LedgerRow ended(Transition transition, Instant now, const Failed& failed);

LedgerRow counters(Instant now, const SampleBatch& energies);
LedgerRow counters(Instant now, double fleet_energy_j, double fleet_cost_usd);
LedgerRow shown(Instant now, const PublishedTotals& shown);
LedgerRow host_counts(Instant now, const std::string& host, Incarnation agent,
                      const HostCounts& counts);
/// Whether a counters row holds published totals instead of sums.
bool is_shown(const Summary& sums);

/// `said`: one of the messages of audit rows. A CancelReply has the jobs that had an attempt when
/// they were cancelled.
LedgerRow audit(Instant now, Message said);

/// How a compacted job ended.
enum class CompactedEnd : std::uint8_t { finished, failed, cancelled };
/// `content`: the hash of the job's content.
LedgerRow known(const JobId& job, std::uint64_t content, CompactedEnd as);
LedgerRow sums(Instant now, const Accounting& accounting);

/// "replica 3", "devices 0-3,6"; for a multi-host gang "gang h1/0-7 h2/0-3".
std::string place_text(const Lease& lease);
/// Parses the hosts, replica or devices of a leased row.
Result<Lease> read_lease(const Envelope& payload);

/// Replays rows into an empty job table and fresh totals. The error names the row, counted from 1,
/// and what does not fit.
class Reader {
 public:
  Reader(JobTable& jobs, Accounting& accounting) : jobs_(jobs), accounting_(accounting) {}
  Status read(const LedgerRow& row);

  /// Power caps in the order of setting, with their times.
  const std::vector<std::pair<Instant, SetPowerCap>>& power_caps() const { return power_caps_; }
  /// Drain orders in sequence, with their times.
  const std::vector<std::pair<Instant, SetDrain>>& drains() const { return drains_; }
  /// The last counters of each host, by name.
  const std::map<std::string, HostChanged>& host_counts() const { return host_counts_; }
  /// The policy that was applied last.
  const std::optional<PolicyReply>& policy() const { return policy_; }

 private:
  Status read_any(const LedgerRow& row);
  Status read_step(const LedgerRow& row);
  Status read_counters(const LedgerRow& row);
  Status read_audit(const LedgerRow& row);
  void read_cancelled(const CancelReply& jobs);
  Status read_accepted(const LedgerRow& row);
  Status read_leased(const LedgerRow& row, JobRecord& record);
  Status read_returned(const LedgerRow& row, JobRecord& record);
  Status read_finished(const LedgerRow& row, JobRecord& record);
  Status read_failed(const LedgerRow& row, JobRecord& record);
  Status read_known(const LedgerRow& row);

  JobTable& jobs_;
  Accounting& accounting_;
  std::vector<SampleBatch> energies_;  // whose sums have not been read yet
  std::vector<std::pair<Instant, SetPowerCap>> power_caps_;
  std::vector<std::pair<Instant, SetDrain>> drains_;
  std::map<std::string, HostChanged> host_counts_;
  std::optional<PolicyReply> policy_;
  std::uint64_t row_ = 0;
  bool began_ = false;
};

}  // namespace drover::router::ledger
