// Every message once. Agents, router, clients and dashboard meet here and nowhere else.
//
// docs/protocol.md lists each with its fields and directions; tests hold it against
// fleet/codec/codec.cpp.
//
//   anyone -> router   Join                       who I am, which protocol I speak
//   router -> anyone   JoinAccepted | JoinRejected        fleet time, speed, where to publish and
//   subscribe agent -> router    Register, Heartbeat, Accepted, Refused, MemberStepTime, Progress,
//   Finished, Failed,
//                      ReplicaReport, DeviceReport, Leave
//   router -> agent    Reregister, Heartbeat, Superseded, Assign, GangStepTime, Cancel,
//   ResultStored,
//                      StartReplica, RetireReplica, ApplyFault, CapDevices
//   agent -> router    SampleBatch on the samples channel; the router forwards the same bytes to
//                      subscribers
//   client -> router   Submit, JobsRequest, WhyRequest, SummaryRequest, EndRunRequest,
//                      SnapshotRequest, InjectFault, SetPowerCap, SetDrain, CancelJobs,
//                      ApplyPolicy, PolicyRequest, AcknowledgeAlert, ForgetHost, Caption
//   router -> client   SubmitReply, JobsReply, WhyReply, Summary, SnapshotPart, RequestError,
//                      ActionReply, CancelReply, PolicyReply
//   router -> all      HostChanged, ReplicaChanged, DeviceChanged, PolicyChanged, JobChanged,
//   (published)        Decision, Event, Summary, Audit, Alert, Caption, HostForgotten
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/decision.h"
#include "fleet/host_description.h"
#include "fleet/job.h"
#include "fleet/reason.h"
#include "fleet/sample/sample.h"
#include "fleet/summary.h"
#include "fleet/workload.h"

namespace drover {

inline constexpr std::uint8_t protocol_version = 1;

// ---- Meeting -----------------------------------------------------------------------------------

enum class Role : std::uint8_t { agent, client, viewer };

/// First message of every connection and of every reconnection that the sender notices.
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
  Duration lease{};              // fleet time: an agent that hears no Heartbeat for so long stops
  std::string software;
  bool operator==(const JoinAccepted&) const = default;
};

/// The router does not want this peer: wrong protocol version, name taken, not allowed.
struct JoinRejected {
  std::string why;
  bool retryable = false;  // it may be taken later: say Join again
  bool operator==(const JoinRejected&) const = default;
};

// ---- Agent and router --------------------------------------------------------------------------

/// The router does not know this peer's Register (it restarted or forgot): say it again.
struct Reregister {
  Instant fleet_time{};
  bool operator==(const Reregister&) const = default;
};

/// Both ways. From an agent: I live; the rest are counters of its life. From the router: your lease
/// is renewed from the moment you receive this.
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

/// A gang over hosts, as each of its members is told. A member takes its devices, tells its pace,
/// and begins when the first GangStepTime comes.
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
  std::string model_spec;          // TOML; empty when this connection has carried it before
  std::uint32_t from_step = 0;     // train: the checkpoint to begin from
  std::optional<GangLayout> gang;  // when other hosts have a part in it
  bool operator==(const Assign&) const = default;
};

struct Accepted {
  JobId job;
  std::uint32_t attempt = 0;
  bool operator==(const Accepted&) const = default;
};

/// What a step takes on this member's devices, told when it takes the attempt, after each Register,
/// and at each change.
struct MemberStepTime {
  JobId job;
  std::uint32_t attempt = 0;
  double compute_s = 0;   // by themselves; 0: it stands still
  double exchange_s = 0;  // and with the others
  bool operator==(const MemberStepTime&) const = default;
};

/// To every member, when all have told their paces and whenever that changes: a step of the whole
/// gang takes so long, the slowest member's work and the exchange. 0: stand still.
struct GangStepTime {
  JobId job;
  std::uint32_t attempt = 0;
  double step_s = 0;
  bool operator==(const GangStepTime&) const = default;
};

/// The agent will not run it; the attempt is spent.
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
  double share = 0;               // done, 0..1
  double remaining_s = 0;         // fleet seconds, at the present pace
  std::uint32_t steps_saved = 0;  // train: at the last checkpoint, earlier attempts' steps included
  bool operator==(const Progress&) const = default;
};

/// Kept by the agent, and sent again after each Register, until ResultStored answers it.
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
  Usage usage;  // of this attempt; in vain but for what led to its last checkpoint
  // train: where it ended, and its last checkpoint; both with the steps of earlier attempts.
  double steps_done = 0;
  std::uint32_t steps_saved = 0;
  // Lost with its host, or stopped by it as the router was silent: no fault of job or place.
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
  std::string model_spec;  // TOML; empty when this connection has carried it before
  Precision precision = Precision::bf16;
  std::vector<std::uint16_t> devices;
  bool operator==(const StartReplica&) const = default;
};

/// Take no new requests, finish the running ones, unload.
struct RetireReplica {
  std::uint32_t number = 0;
  bool operator==(const RetireReplica&) const = default;
};

/// At every change of a replica's state, when it begins and ends to compile a shape, and at most
/// once a heartbeat for its load.
struct ReplicaReport {
  Replica replica;
  bool operator==(const ReplicaReport&) const = default;
};

/// The agent ends in order. While it holds anything: no new work for it; Finished and Failed of all
/// that follow. The last one holds nothing: the host is gone, and nothing more comes. One that says
/// `after` is a warning: no new work, and what runs goes on until then.
struct Leave {
  std::string why;         // "SIGTERM"
  std::uint32_t held = 0;  // attempts, ended ones that wait for ResultStored included
  Duration after{};        // fleet time; 0: now
  bool operator==(const Leave&) const = default;
};

// ---- Clients and router ------------------------------------------------------------------------

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

/// What is known of one job now; also the published change.
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
  std::optional<Reason> reason;  // queued: what it waits for; failed: why
  std::string detail;
  Usage usage;                       // over all attempts
  Outcome outcome;                   // when finished
  double latency_s = 0;              // submission to end, when ended
  std::string work_class;            // of the policy in force; empty: none matches
  std::string change;                // of the last placement: "degraded bf16 -> int8"; else empty
  std::uint64_t policy_version = 0;  // that placed it last; 0: never placed
  std::uint32_t steps_saved = 0;     // train: at its last checkpoint, as far as it was told
  double steps_lost = 0;             // train: by the last attempt that came to nothing
  Pause pause = Pause::none;         // of a gang; in replies that of a request, its replica's
  std::string returned;              // how the last attempt given back to the queue ended
  bool operator==(const JobChanged&) const = default;
};

struct JobsRequest {
  std::optional<JobId> job;  // one job; else the open ones and the last `ended_max` ended
  std::uint32_t ended_max = 100;
  std::optional<JobState> state = {};      // of these, only those in this state
  bool ended_only = false;                 // not the open ones
  std::optional<JobId> ended_before = {};  // ended ones that ended before this one: the next page
  std::optional<JobId> open_after = {};    // open ones behind this one: the next page
  bool operator==(const JobsRequest&) const = default;
};

struct JobsReply {
  std::vector<JobChanged> jobs;  // at most 1,000: open ones, then ended ones, newest first
  std::uint64_t left_out = 0;    // that were asked for and did not fit
  // Ended jobs, of the state that was asked for: whose details are kept, and all that ever ended.
  std::uint64_t ended_kept = 0;
  std::uint64_t ended_ever = 0;
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
  // Of a job that waits the last one may have no number: what would be decided now.
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

/// One of `parts` parts, numbered from 0. `messages` are envelopes such as would have been
/// published; they stand at publish sequence `at_sequence`: drop published envelopes up to it.
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
  bool retryable = false;  // nothing is wrong with the request: said again later it may be answered
  bool operator==(const RequestError&) const = default;
};

// ---- Published ---------------------------------------------------------------------------------

enum class Health : std::uint8_t { ok, suspect, lost, left };  // left: in order, as it said
std::string_view to_text(Health health);
/// Nothing runs there, and nothing of it is known now.
inline bool is_gone(Health health) { return health == Health::lost || health == Health::left; }

inline constexpr std::size_t further_pools_max = 1024;  // of one host; more are not told

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
  std::string secured_by;  // the name of the key that its agent has proven to hold; empty: none
  std::vector<double> prices_usd_per_h;  // of a device of each group, as the policy prices it
  std::vector<GroupPool> further_pools;  // of groups that are in several, in the policy's order
  bool operator==(const HostChanged&) const = default;
};

/// Somebody has said that it will not return, or it left long ago: no part of the fleet any more.
struct HostForgotten {
  std::string host;
  bool operator==(const HostForgotten&) const = default;
};

struct ReplicaChanged {
  Replica replica;
  std::string pool;
  bool operator==(const ReplicaChanged&) const = default;
};

/// Something a person may want to know: a host lost, a replica ready, a power cap reached.
struct Event {
  Severity severity = Severity::info;
  std::string subject;  // host, device, replica or job, as text
  std::string text;
  bool operator==(const Event&) const = default;
};

using AnyMessage =
    std::variant<Join, JoinAccepted, JoinRejected, Register, Reregister, Heartbeat, Superseded,
                 Assign, Accepted, Refused, Progress, Finished, Failed, ResultStored, Cancel,
                 StartReplica, RetireReplica, ReplicaReport, SampleBatch, Submit, SubmitReply,
                 JobsRequest, JobsReply, WhyRequest, WhyReply, SummaryRequest, EndRunRequest,
                 Summary, SnapshotRequest, SnapshotPart, RequestError, HostChanged, ReplicaChanged,
                 JobChanged, Decision, Event, Leave, InjectFault, SetPowerCap, ActionReply, Audit,
                 ApplyFault, DeviceReport, DeviceChanged, PolicyChanged, Alert, Caption, SetDrain,
                 CancelJobs, CancelReply, ApplyPolicy, PolicyRequest, PolicyReply, MemberStepTime,
                 GangStepTime, CapDevices, AcknowledgeAlert, ForgetHost, HostForgotten>;

template <typename Value, typename Variant>
inline constexpr bool is_alternative = false;
template <typename Value, typename... Types>
inline constexpr bool is_alternative<Value, std::variant<Types...>> =
    (std::is_same_v<Value, Types> || ...);

/// Any one of them. A variant whose copies, moves and ends are compiled once, in messages.cpp, and
/// not in each file that passes messages on: that was half of the time of building.
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

/// What travels: every message in the same cover.
struct Envelope {
  std::string sender;          // host name, "router", or a client's label
  std::uint64_t sequence = 0;  // counts from 1 per sender and channel; a gap is a loss
  Instant at{};                // fleet time at the sender
  Message body;
  bool operator==(const Envelope&) const = default;
};

}  // namespace drover
