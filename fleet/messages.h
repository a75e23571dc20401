// All messages. Agents, router, clients and dashboard share nothing else.
// Each has a row in fleet/message_table.h, which says who sends it to whom; docs/protocol.md
// describes its fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/board.h"
#include "fleet/decision.h"
#include "fleet/host_description.h"
#include "fleet/job.h"
#include "fleet/message_table.h"
#include "fleet/reason.h"
#include "fleet/sample/sample.h"
#include "fleet/summary.h"
#include "fleet/workload.h"

namespace drover {

inline constexpr std::uint8_t protocol_version = 1;

enum class Role : std::uint8_t { agent, client, viewer };

/// First message of every connection, and of every reconnection that the sender notices.
struct Join {
  Role role = Role::client;
  std::string name;      // an agent's host name; else a label for logs
  std::string software;  // "drover 0.1.0"
  bool operator==(const Join&) const = default;
};

/// The answer to Join. The receiver anchors its monotonic clock on (fleet_time, speed).
struct JoinAccepted {
  Instant fleet_time{};
  double speed = 1;              // fleet seconds per wall second
  std::string samples_endpoint;  // agents publish here
  std::string publish_endpoint;  // viewers subscribe here
  Duration heartbeat_every{};    // fleet time
  Duration lease{};              // fleet time: an agent without a Heartbeat for this long stops
  std::string software;
  bool bundles = false;    // it publishes Bundles and answers HistoryRequests
  bool bookmarks = false;  // it publishes Bookmarks
  bool operator==(const JoinAccepted&) const = default;
};

/// The router rejects this peer: wrong protocol version, name taken, or not allowed.
struct JoinRejected {
  std::string why;
  bool retryable = false;  // it may be accepted later: send Join again
  bool operator==(const JoinRejected&) const = default;
};

// Between agent and router.

/// The router has no Register of this peer, because it restarted or forgot it: send it again.
struct Reregister {
  Instant fleet_time{};
  bool operator==(const Reregister&) const = default;
};

/// From an agent: it is alive; the counters are those of its incarnation. From the router: the
/// lease is renewed at the moment this arrives.
struct Heartbeat {
  Incarnation incarnation;
  std::uint64_t samples_sent = 0;     // batches
  std::uint64_t samples_thinned = 0;  // batches not sent, to keep the rate limit
  std::uint64_t undecodable = 0;      // messages dropped because they did not decode
  bool operator==(const Heartbeat&) const = default;
};

/// A newer incarnation of the same host has registered: stop, and exit.
struct Superseded {
  bool operator==(const Superseded&) const = default;
};

/// A multi-host gang, as each member receives it. A member reserves its devices, reports its
/// MemberStepTime, and starts when the first GangStepTime arrives.
struct GangLayout {
  std::uint16_t devices = 0;   // of the whole gang
  std::uint16_t per_host = 0;  // of its largest part
  // The devices are released when no GangStepTime arrives within this time. 0: no timeout.
  Duration reservation_timeout{};
  bool operator==(const GangLayout&) const = default;
};

/// Run this attempt. A serve job names a replica, a train job the gang's devices.
struct Assign {
  Job job;
  std::uint32_t attempt = 0;
  std::optional<std::uint32_t> replica;
  std::vector<std::uint16_t> devices;
  Precision precision = Precision::bf16;
  std::string model_spec;          // TOML; empty when it was sent on this connection before
  std::uint32_t from_step = 0;     // train: the checkpoint to start from
  std::optional<GangLayout> gang;  // when it spans several hosts
  bool operator==(const Assign&) const = default;
};

struct Accepted {
  JobId job;
  std::uint32_t attempt = 0;
  bool operator==(const Accepted&) const = default;
};

/// How long a step takes on this member's devices. Sent when it takes the attempt, after each
/// Register, and at each change.
struct MemberStepTime {
  JobId job;
  std::uint32_t attempt = 0;
  double compute_s = 0;   // alone; 0: it makes no progress
  double exchange_s = 0;  // exchange with the other members
  bool operator==(const MemberStepTime&) const = default;
};

/// How long a step of the whole gang takes: the slowest member's work plus the exchange; 0: pause.
/// Sent to every member once all have reported their step times, and at each change.
struct GangStepTime {
  JobId job;
  std::uint32_t attempt = 0;
  double step_s = 0;
  bool operator==(const GangStepTime&) const = default;
};

/// The agent refuses the attempt, which counts towards the retry limit.
struct Refused {
  JobId job;
  std::uint32_t attempt = 0;
  Reason reason = Reason::capacity;
  std::string detail;
  bool operator==(const Refused&) const = default;
};

struct Progress {
  JobId job;
  std::uint32_t attempt = 0;
  double share = 0;               // completed, 0 to 1
  double remaining_s = 0;         // fleet seconds, at the current speed
  std::uint32_t steps_saved = 0;  // train: at the last checkpoint, earlier attempts' steps included
  bool operator==(const Progress&) const = default;
};

/// The attempt finished. The agent keeps this message and resends it after each Register until
/// ResultStored arrives.
struct Finished {
  JobId job;
  std::uint32_t attempt = 0;
  Incarnation incarnation;
  Usage usage;
  Outcome outcome;
  bool operator==(const Finished&) const = default;
};

/// The attempt ended without a result. Kept until ResultStored, like Finished.
struct Failed {
  JobId job;
  std::uint32_t attempt = 0;
  Incarnation incarnation;
  Reason reason = Reason::unhealthy;
  std::string detail;
  Usage usage;  // of this attempt; wasted, except for what led to its last checkpoint
  // train: where it ended, and its last checkpoint; both with the steps of earlier attempts.
  double steps_done = 0;
  std::uint32_t steps_saved = 0;
  // Lost with its host, or stopped because the router was silent: neither job nor device is at
  // fault.
  bool host_lost = false;
  bool operator==(const Failed&) const = default;
};

/// The attempt's end is on disk: the agent may forget it.
struct ResultStored {
  JobId job;
  std::uint32_t attempt = 0;
  bool operator==(const ResultStored&) const = default;
};

struct Cancel {
  JobId job;
  std::uint32_t attempt = 0;
  Reason reason = Reason::cancelled;
  bool operator==(const Cancel&) const = default;
};

struct StartReplica {
  std::uint32_t number = 0;
  std::string model;
  std::string model_spec;  // TOML; empty when it was sent on this connection before
  Precision precision = Precision::bf16;
  std::vector<std::uint16_t> devices;
  bool operator==(const StartReplica&) const = default;
};

/// Accept no new requests, finish the running ones, unload.
struct RetireReplica {
  std::uint32_t number = 0;
  bool operator==(const RetireReplica&) const = default;
};

/// Sent at every change of a replica's state, when it starts and ends compiling a shape, and at
/// most once a heartbeat for its load.
struct ReplicaReport {
  Replica replica;
  bool operator==(const ReplicaReport&) const = default;
};

/// The agent shuts down. While it holds attempts it gets no new work, and it sends Finished or
/// Failed for each. The last Leave has `held` 0: the host is gone. A Leave with `after` is an
/// advance warning: no new work, and running work continues until then.
struct Leave {
  std::string why;         // "SIGTERM"
  std::uint32_t held = 0;  // attempts, ended ones that wait for ResultStored included
  Duration after{};        // fleet time; 0: now
  bool operator==(const Leave&) const = default;
};

// Between clients and router.

inline constexpr std::size_t submit_jobs_max = 256;

struct Submit {
  std::vector<Job> jobs;
  bool operator==(const Submit&) const = default;
};

enum class SubmitStatus : std::uint8_t { accepted, exists, conflict, refused };
std::string_view to_text(SubmitStatus status);

/// `accepted` means on disk. `exists`: the same id with the same content was accepted before.
struct SubmitResult {
  JobId job;
  SubmitStatus status = SubmitStatus::accepted;
  JobState state = JobState::queued;
  Reason reason = Reason::invalid;  // when refused
  std::string detail;               // when refused or in conflict
  bool operator==(const SubmitResult&) const = default;
};

struct SubmitReply {
  std::vector<SubmitResult> results;  // in the order of Submit's jobs
  bool operator==(const SubmitReply&) const = default;
};

/// The current state of one job; also published at each change.
struct JobChanged {
  Job job;
  Instant submitted{};
  JobState state = JobState::queued;
  std::uint32_t attempt = 0;  // 0 before the first
  std::string target;         // "host/r0", "host/0-7"; empty while queued
  std::string pool;
  Instant since{};  // in this state
  double progress = 0;
  double remaining_s = 0;
  std::optional<Reason> reason;  // queued: why it waits; failed: why
  std::string detail;
  Usage usage;                       // over all attempts
  Outcome outcome;                   // when finished
  double latency_s = 0;              // submission to end, when ended
  std::string work_class;            // of the policy in force; empty: none matches
  std::string change;                // of the last placement: "degraded bf16 -> int8"; else empty
  std::uint64_t policy_version = 0;  // of the last placement; 0: never placed
  std::uint32_t steps_saved = 0;     // train: at its last reported checkpoint
  double steps_lost = 0;             // train: by the last attempt that failed
  Pause pause = Pause::none;         // of a gang; in replies also of a request: its replica's
  std::string returned;              // how the last requeued attempt ended
  bool operator==(const JobChanged&) const = default;
};

struct JobsRequest {
  std::optional<JobId> job;  // one job; else the open ones and the last `ended_max` ended
  std::uint32_t ended_max = 100;
  std::optional<JobState> state = {};  // only jobs in this state
  bool ended_only = false;             // without the open ones
  bool newest_first = false;           // open ones by submission; else waiting ones last
  // The next page: jobs that ended before this one, open ones after this one.
  std::optional<JobId> ended_before = {}, open_after = {};
  bool operator==(const JobsRequest&) const = default;
};

struct JobsReply {
  std::vector<JobChanged> jobs;  // at most 1,000: open ones, then ended ones, newest first
  std::uint64_t left_out = 0;    // matching jobs that did not fit
  // Ended jobs in the requested state: those whose details are kept, and all.
  std::uint64_t ended_kept = 0, ended_ever = 0;
  bool operator==(const JobsReply&) const = default;
};

/// The decisions on one job, oldest first; without a job, those of the last job that fell back. The
/// job may be named by the first digits of its id.
struct WhyRequest {
  std::string job_prefix;
  bool operator==(const WhyRequest&) const = default;
};

struct WhyReply {
  std::optional<JobChanged> job;
  // For a queued job, the last decision may have no number: it is the one that would be made now.
  std::vector<Decision> decisions;
  std::vector<CandidateStatus> candidates;  // all, best first; of a queued job: as of now
  // The decision that `candidates` belongs to. 0: as of now, or no longer kept.
  std::uint64_t candidates_of_decision = 0;
  std::vector<NearestFit> nearest;  // of a queued job, as of now; nearest first
  std::string problem;              // no such job, prefix not unique, nothing fell back
  bool operator==(const WhyReply&) const = default;
};

struct SummaryRequest {
  bool operator==(const SummaryRequest&) const = default;
};

/// End the run: refuse new jobs, fail the open ones with reason `ended`, answer with a Summary once
/// all of that is on disk.
struct EndRunRequest {
  bool operator==(const EndRunRequest&) const = default;
};

struct SnapshotRequest {
  bool operator==(const SnapshotRequest&) const = default;
};

inline constexpr std::size_t snapshot_part_bytes_max = 256 * 1024;

/// One of `parts` parts, numbered from 0. `messages` are envelopes like published ones. They
/// describe the state at publish sequence `at_sequence`: drop published envelopes up to that
/// sequence.
struct SnapshotPart {
  std::uint64_t snapshot = 0;
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
  std::uint64_t at_sequence = 0;
  std::vector<std::string> messages;
  bool operator==(const SnapshotPart&) const = default;
};

/// A request that cannot be answered.
struct RequestError {
  std::string what;
  bool retryable = false;  // the request is valid: sent again later, it may succeed
  bool operator==(const RequestError&) const = default;
};

// Published by the router.

enum class Health : std::uint8_t { ok, suspect, lost, left };  // left: it sent Leave
std::string_view to_text(Health health);
/// Nothing runs there, and its current state is unknown.
inline bool is_gone(Health health) { return health == Health::lost || health == Health::left; }

inline constexpr std::size_t further_pools_max = 1024;  // of one host; more are not sent

/// A group of devices, by its index in registration.groups, is in this pool as well.
struct GroupPool {
  std::uint16_t group = 0;
  std::string pool;
  bool operator==(const GroupPool&) const = default;
};

struct HostChanged {
  Register registration;  // without replicas, held attempts and faults
  Health health = Health::ok;
  Instant since{};
  std::uint64_t sample_gaps = 0;
  std::uint64_t samples_thinned = 0;
  std::uint64_t undecodable = 0;
  std::vector<std::string> pools;  // the first of each group, as in registration.groups; or ""
  std::string secured_by;          // the name of its agent's key, as verified by CURVE; empty: none
  std::vector<double> prices_usd_per_h;  // of a device of each group, by the policy
  std::vector<GroupPool> further_pools;  // of groups in several pools, in the policy's order
  std::string why;                       // of its health: "no heartbeat for 3 s"; may be empty
  bool operator==(const HostChanged&) const = default;
};

/// The host is no longer part of the fleet: a person removed it, or it left long ago.
struct HostForgotten {
  std::string host;
  bool operator==(const HostForgotten&) const = default;
};

struct ReplicaChanged {
  Replica replica;
  std::string pool;
  bool operator==(const ReplicaChanged&) const = default;
};

template <typename First, typename... Bodies>
using VariantAfter = std::variant<Bodies...>;

#define DROVER_BODY(body, ...) , body
using AnyMessage = VariantAfter<void DROVER_MESSAGES(DROVER_BODY)>;
#undef DROVER_BODY

template <typename Value, typename Variant>
inline constexpr bool is_alternative = false;
template <typename Value, typename... Types>
inline constexpr bool is_alternative<Value, std::variant<Types...>> =
    (std::is_same_v<Value, Types> || ...);

/// Any message. Its copy, move and destroy functions are compiled once, in messages.cpp: compiling
/// them in every file that passes messages on took half of the build time.
struct Message : AnyMessage {
  Message();
  template <typename Body>
  requires is_alternative<Body, AnyMessage> Message(Body body);
  Message(const Message& other);
  Message(Message&& other) noexcept;
  Message& operator=(const Message& other);
  Message& operator=(Message&& other) noexcept;
  ~Message();
  bool operator==(const Message& other) const;
};

/// The row in the table of all messages; the kind, as in docs/protocol.md: "Register".
const MessageFacts& facts(const Message& message);
inline std::string_view kind_name(const Message& message) { return facts(message).name; }
inline SenderRole sender_role_of(const Message& message) { return facts(message).sender; }

/// A message with its sender, number and time, as it is sent.
struct Envelope {
  std::string sender;          // host name, "router", or a client's label
  std::uint64_t sequence = 0;  // counts from 1 per sender and channel; a gap is a loss
  Instant at{};                // fleet time at the sender
  Message body;
  bool operator==(const Envelope&) const = default;
};

}  // namespace drover
