// The candidates of one decision in one pool, as rows that filters and scorers run over.
//
// Facts about kinds of places (device spec, precision, number of devices) are worked out once per
// kind; facts about each place are gathered once per row. A request's candidates are the replicas
// of its model; a gang's are groups with their lowest free devices; a new replica's are groups
// likewise.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "router/decision/decide.h"
#include "router/decision/decide_standings.h"
#include "router/policy/work_class.h"

namespace drover::router {

enum class Purpose : std::uint8_t { request, gang, replica };

/// What the candidates of one pool are held against.
struct Question {
  const Roster& roster;
  const Policy& policy;
  const Rule& rule;
  const Ask& ask;
  Needs needs{};
  const WorkClass* work_class = nullptr;
  Instant now{};
  Purpose purpose = Purpose::request;
  double waited_s = 0;                  // since submission
  std::uint64_t need_tokens = 0;        // KV of one request: input and output
  bool avoid = true;                    // hold `ask.avoid` against candidates
  bool slo = true;                      // hold the rule's slo against candidates
  bool healthy = true;                  // hold silence and ejection against them, even in panic
  std::vector<Precision> precisions{};  // accepted, best first; empty: any
  bool none_accepted = false;           // job, rule and fallback have no precision in common
  bool degraded = false;                // `precisions` are a fallback's change
  // Per pool.
  const Pool* pool = nullptr;
  std::uint32_t pool_number = 0;
  double site_power_w = 0;  // believed, promises included
  double pool_power_w = 0;
  double pool_cap_w = 0;  // 0: none
  double pool_jobs = 0;   // promised, when the pool has a largest share
  std::map<std::string, double, std::less<>> rack_power_w{};  // believed, when racks have a limit
  bool far = false;  // the network or the prices add to what places cost

  /// Whether the job may be trained in this precision without having been verified in it.
  bool trains_unverified(Precision precision) const {
    return purpose != Purpose::gang || precision != Precision::fp16 || ask.job->work.loss_scaling;
  }
};

struct PlaceKind {
  const devices::DeviceSpec* spec = nullptr;
  int devices = 1;                     // per replica or gang; 0: nothing fits
  bool of_groups = false;              // where a replica would be new; else of replicas
  int group_devices = 0;               // in the group, where that matters
  int per_host = 0;                    // a gang over hosts: of its largest part; else 0
  std::optional<Precision> precision;  // none that is accepted runs there
  std::uint32_t failed = 0;            // bits by filter
  double price_usd_per_h = 0;          // one device
  double warmup_s = 0;
  ServingMemo* serving = nullptr;
  std::uint32_t known_runs = 0;  // bits by batch exponent
  std::array<Estimator::Run, batch_exponents> runs;
};

/// One candidate in 16 bytes: enough to tell later how it stood.
struct RecordRow {
  std::uint32_t place = nowhere;  // a replica, or a group
  std::uint32_t failed = 0;       // bits by filter
  float score = 0;                // where nothing failed
  std::uint16_t pool = 0;
  bool is_replica = false;
  std::uint8_t hosts = 1;  // a gang over so many, of which `place` names the first
};

/// Reused from one decision to the next.
struct DecisionScratch {
  std::vector<PlaceKind> kinds;
  Standings rows;
  std::vector<std::uint32_t> feasible;                // rows that no filter rejects
  std::vector<std::vector<double>> values;            // by scorer, in the order of `feasible`
  std::vector<double> scores;                         // in the order of `feasible`
  std::vector<std::array<std::uint32_t, 32>> counts;  // by kind and filter
  std::vector<std::int64_t> waits;                    // of a group's busy devices
  std::vector<RecordRow> record;                      // all candidates of the last decision
};

Question make_question(const Roster& roster, const Policy& policy, const Rule& rule, const Ask& ask,
                       const WorkClass* work_class, Instant now, Purpose purpose);

/// What job and rule both accept, in the job's order.
void accept_precisions(Question& question, const std::vector<Precision>& of_rule);

/// Fills in what depends on the pool: power sums, cap, jobs that run there.
void ask_pool(Question& question, std::uint32_t pool_number);

/// All candidates of the pool, estimated and judged by every filter, into scratch.rows.
void gather(const Question& question, Estimator& estimator, DecisionScratch& scratch);

/// Two replicas of the model that pass the filters, drawn blindly a few times, for a pick that
/// looks at few; rows of other pools are not kept.
void gather_drawn(const Question& question, Estimator& estimator, DecisionScratch& scratch,
                  Dice& dice);

/// With whom a request would share a replica: the batch, itself included, and how much longer its
/// decoding takes because the others' prompts are read.
struct Fill {
  double batch = 1;
  double disturbance = 1;
};
Fill fill_of(const Roster& roster, ReplicaIndex replica);  // `nowhere`: of a place of its own

/// What the row would take, with energy and dollars as if its replica were as full as this, as far
/// as its batch goes: so places are compared that are not as full. Its times are those that it has.
Estimate estimate_at(const Question& question, DecisionScratch& scratch, std::size_t row,
                     Fill fill);

/// What distance adds to the rows from `begin` on, once start and length of their work are known:
/// data that must be moved first, a round trip to the clients.
void add_distance(const Question& question, Standings& rows, std::size_t begin);
/// What the pool's prices add to what hours cost, once the rows are concluded: energy of owned
/// devices, egress, work that a reclaimed spot device will have to repeat.
void add_prices(const Question& question, Standings& rows, std::size_t begin);

/// The best accepted precision that the device and the pool run.
std::optional<Precision> choose_precision(const Question& question,
                                          const devices::DeviceSpec& spec);

/// The fewest devices on which weights and a working KV cache fit; else the most on which weights
/// and one request fit; else 0.
int replica_devices(const Question& question, const PlaceKind& kind);

/// Until a new replica is ready: weights loaded, every warm shape compiled.
double warmup_seconds(const Question& question, const PlaceKind& kind);

/// Neither a gang nor a replica holds it, and its agent does not say that it is unusable.
bool is_free(const DeviceColumns& columns, DeviceIndex device);

/// The device numbers of a gang or new replica: the lowest free ones of the group, whole aligned
/// slices on TPUs; empty when there are not enough. Hot ones only where there are not enough
/// others.
std::vector<std::uint16_t> free_devices(const Roster& roster, GroupIndex group, int count);

/// The same of those for which `fits` holds, by their place in the group.
std::vector<std::uint16_t> lowest_devices(const GroupEntry& group, int count,
                                          const std::vector<bool>& fits);

/// Seconds until so many of the group's devices, in the shape that they need, will have ended their
/// gangs; infinity when nobody can tell, as replicas hold them or nothing may come there.
/// `without_replicas`: as if the replicas there had left.
double wait_in_group(const Question& question, const GroupEntry& group, int count,
                     bool without_replicas);

/// Bits of PlaceCondition for a place in the group of which `free_devices` has answered `devices`:
/// of those, or, when there are none, whether unusable devices alone leave too few.
std::uint32_t condition_of(const Roster& roster, GroupIndex group, int count,
                           const std::vector<std::uint16_t>& devices);

/// "host/r0", "host/0-7", "host/0,2,5"; of a gang over hosts one after the other.
std::string target_text(const Roster& roster, const Standings& rows, std::size_t row);
std::string target_text(std::string_view host, const std::vector<std::uint16_t>& devices);

}  // namespace drover::router
