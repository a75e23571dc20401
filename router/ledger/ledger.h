// Ledger rows made and read. Each row's payload is one encoded envelope (fleet/codec/codec.h), so a
// row can be read by anything that reads messages:
//
//   transition | job, attempt      | payload                    | fields that count
//   started    | none, 0           | Welcome                    | fleet_time, speed, software
//   accepted   | job, 0            | Submit with this one job   | the job
//   refused    | job, 0            | Failed                     | of earlier versions: counted
//   leased     | job, attempt      | JobChanged, sender = host  | target, pool, reason (of the
//              |                   |                            | fallback), remaining_s
//              |                   |                            | (predicted), detail ("replica 3",
//              |                   |                            | "devices 0 1"), change,
//              |                   |                            | work_class, policy_version;
//              |                   |                            | usage and latency_s: what the
//              |                   |                            | fallback costs more
//   running    | job, attempt      | empty                      |
//   returned   | job, attempt      | Failed                     | reason, detail, usage,
//              |                   |                            | steps_done, steps_saved
//   finished   | job, attempt      | Finished                   | usage, outcome, incarnation
//   failed     | job, last attempt | Failed                     | reason (cancelled: somebody
//              |                   |                            | cancelled it, it has not failed),
//              |                   |                            | detail, usage of the end
//   stale      | job, old attempt  | Finished or Failed         | as it came
//   counters   | none, 0           | SampleBatch, sender = host | energy counters of its devices
//   counters   | none, 0           | Summary                    | fleet_energy_j, fleet_cost_usd
//   counters   | none, 0           | Summary                    | about to be shown: energy and
//              |                   |                            | cost (charged), decisions,
//              |                   |                            | undecodable, sample_gaps,
//              |                   |                            | classes, refused
//   counters   | none, 0           | HostChanged, sender = host | about to be shown: incarnation
//              |                   |                            | (of the agent that counts),
//              |                   |                            | sample_gaps, samples_thinned,
//              |                   |                            | undecodable
//   audit      | none, 0           | Audit                      | all: what was asked for
//   audit      | none, 0           | SetPowerCap                | all: in force from the row's time
//   audit      | none, 0           | SetDrain                   | all: in force from the row's time
//   audit      | none, 0           | CancelReply                | job, detail ("cancelled by ann")
//              |                   |                            | of each that was out
//   audit      | none, 0           | PolicyReply                | place, by, text: in force from
//              |                   |                            | the row's time
//   known      | job, KnownAs      | 8 bytes, big-endian        | hash of the content
//   sums       | none, 0           | JSON, see Accounting       | all
//
// Counters are written every ten heartbeats and at the end of the run: a batch for each host whose
// counters have changed, then the sums that hold them. A
// reader takes the batches over when it comes to their sums, so a row that was lost on the way
// loses seconds and counts nothing twice.
//
// A row's own `at`, `job` and `attempt` count; the payload repeats them for readers. A lease is
// fenced by (job, attempt): each lease counts the attempt on, so no two leases of a job share one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "router/jobs/accounting.h"
#include "router/jobs/jobs.h"
#include "router/roster/host_counts.h"

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
LedgerRow shown(Instant now, const Shown& shown);
LedgerRow host_counts(Instant now, const std::string& host, Incarnation agent,
                      const HostCounts& counts);
/// Whether a counters row says what was shown, and not the sums.
bool is_shown(const Summary& sums);

LedgerRow audit(Instant now, const Audit& said);
LedgerRow power_cap(Instant now, const SetPowerCap& cap);
LedgerRow drain(Instant now, const SetDrain& said);
/// Jobs that were out when somebody cancelled them.
LedgerRow cancelled(Instant now, const CancelReply& jobs);
LedgerRow policy(Instant now, const PolicyReply& applied);

/// A job whose transitions have gone.
/// `refused`: only ledgers of earlier versions say so, and nothing follows from it.
enum class KnownAs : std::uint8_t { finished, failed, refused, cancelled };
struct Known {
  JobId job;
  std::uint64_t content = 0;  // its hash
  KnownAs as = KnownAs::finished;
};
LedgerRow known(const Known& job);
LedgerRow sums(Instant now, const Accounting& accounting);

/// "replica 3", "devices 0-3,6", of a gang over hosts "gang h1/0-7 h2/0-3".
std::string place_text(const Lease& lease);
/// The hosts, replica or devices that a leased row names.
Result<Lease> read_lease(const Envelope& payload);

/// Replays rows into an empty book and fresh sums. The error names the row, counted from 1, and
/// what does not fit.
class Reader {
 public:
  Reader(JobBook& book, Accounting& accounting) : book_(book), accounting_(accounting) {}
  Status read(const LedgerRow& row);

  /// Caps in the order in which they were set, and when.
  const std::vector<std::pair<Instant, SetPowerCap>>& power_caps() const { return power_caps_; }
  /// Words about drains in the order in which they were said, and when.
  const std::vector<std::pair<Instant, SetDrain>>& drains() const { return drains_; }
  /// What was noted last of each host, by name.
  const std::map<std::string, HostChanged>& host_counts() const { return host_counts_; }
  /// The policy that was applied last.
  const std::optional<PolicyReply>& policy() const { return policy_; }

 private:
  Status read_any(const LedgerRow& row);
  Status read_step(const LedgerRow& row);
  Status read_started(const LedgerRow& row);
  Status read_counters(const LedgerRow& row);
  Status read_audit(const LedgerRow& row);
  void read_cancelled(const CancelReply& jobs);
  Status read_accepted(const LedgerRow& row);
  Status read_leased(const LedgerRow& row, JobRecord& record);
  Status read_returned(const LedgerRow& row, JobRecord& record);
  Status read_finished(const LedgerRow& row, JobRecord& record);
  Status read_failed(const LedgerRow& row, JobRecord& record);
  Status read_known(const LedgerRow& row);

  JobBook& book_;
  Accounting& accounting_;
  std::vector<SampleBatch> energies_;  // whose sums are still to come
  std::vector<std::pair<Instant, SetPowerCap>> power_caps_;
  std::vector<std::pair<Instant, SetDrain>> drains_;
  std::map<std::string, HostChanged> host_counts_;
  std::optional<PolicyReply> policy_;
  std::uint64_t row_ = 0;
  bool began_ = false;
};

}  // namespace drover::router::ledger
