// What people do to a fleet, and what the fleet tells of it: actions, their audit, faults, alerts.
// Part of fleet/messages.h, which says who sends them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/fault.h"

namespace drover {

enum class Severity : std::uint8_t { info, warning, critical };
std::string_view to_text(Severity severity);

// ---- Actions: requested, checked, audited, applied, published
// ------------------------------------

/// Make the devices of a target faulty for a while.
struct Inject {
  std::string target;  // as fleet/target.h writes it
  Fault fault;
  std::uint32_t any = 0;   // of the target's devices so many, drawn from the seed; 0: all
  std::uint64_t seed = 0;  // of that draw
  bool operator==(const Inject&) const = default;
};

/// Hold the power of the site or of a pool under so many watts.
struct SetPowerCap {
  std::string target;           // "site" or "pool:NAME"
  double watts = 0;             // 0: what the policy says again
  Duration lasts{};             // fleet time, then as with 0; 0: until it is set anew
  bool admission_only = false;  // new work is held back, and no device is slowed down for it
  bool confirmed = false;       // it may lie below what the devices draw idle
  bool operator==(const SetPowerCap&) const = default;
};

/// Keep new work away from a target's devices, or let it come to them again. What runs there ends
/// by itself.
struct SetDrain {
  std::string target;   // as fleet/target.h writes it
  bool drained = true;  // false: work may come again
  Duration deadline{};  // fleet time, then what still runs there goes elsewhere; 0: never
  bool operator==(const SetDrain&) const = default;
};

/// Jobs that one request may cancel.
inline constexpr std::size_t cancel_jobs_max = 256;

/// End these jobs. Answered by CancelReply.
struct CancelJobs {
  std::vector<std::string> jobs;  // ids, or their first digits where these are unique
  bool operator==(const CancelJobs&) const = default;
};

enum class CancelStatus : std::uint8_t {
  cancelled,   // it has ended as cancelled, and that is on disk
  cancelling,  // it runs: it ends as cancelled, unless its result was under way; that is on disk
  ended,       // it had ended otherwise
  unknown,     // no such job, or several
};
std::string_view to_text(CancelStatus status);

struct CancelResult {
  std::string asked;  // as CancelJobs names it
  JobId job;          // zeros: unknown
  CancelStatus status = CancelStatus::cancelled;
  std::string detail;  // for people; empty: the status says it all
  bool operator==(const CancelResult&) const = default;
};

struct CancelReply {
  std::vector<CancelResult> results;  // in the order of CancelJobs' jobs
  std::string problem;                // why the request as a whole was refused; then no results
  std::string summary{};              // for people: what was done, and what follows
  bool operator==(const CancelReply&) const = default;
};

/// Longer policies are refused.
inline constexpr std::size_t policy_bytes_max = 256 * 1024;

/// Route by this policy from now on.
struct ApplyPolicy {
  std::string text;   // TOML
  std::string place;  // the file's name, for messages
  bool operator==(const ApplyPolicy&) const = default;
};

/// Somebody has seen these alerts and cares for them; it holds until they clear. Answered by
/// ActionReply, and each Alert is published again.
struct AcknowledgeAlert {
  std::string rule;     // empty: of every rule
  std::string subject;  // empty: every subject
  bool operator==(const AcknowledgeAlert&) const = default;
};

/// A host that is lost or has left will not return: let it go. Answered by ActionReply.
struct ForgetHost {
  std::string host;
  bool operator==(const ForgetHost&) const = default;
};

/// Which policy is in force? Answered by PolicyReply.
struct PolicyRequest {
  bool operator==(const PolicyRequest&) const = default;
};

struct PolicyReply {
  std::string name;
  std::string place;  // the file it was read from
  std::uint64_t version = 0;
  std::string hash;  // of its text, 16 hexadecimal digits
  Instant since{};
  std::string by;  // who applied it; empty: it was in force when the router started
  std::string text;
  bool operator==(const PolicyReply&) const = default;
};

/// The answer to an action.
struct ActionReply {
  bool applied = false;
  std::vector<std::string> targets;  // devices or hosts that it reached
  std::string problem;               // why it was not applied
  std::string summary{};             // for people: what was done, and what follows
  bool confirm = false;              // not applied, but would be if asked for as `confirmed`
  bool operator==(const ActionReply&) const = default;
};

/// Published for each action that was asked for, applied or not.
struct Audit {
  std::string who;     // the client's label
  std::string action;  // "inject xid=79 for 60s"
  std::string target;
  bool applied = false;
  std::string detail;  // what it reached, or why it was not applied
  bool operator==(const Audit&) const = default;
};

/// To an agent: these devices are faulty from now on for `fault.lasts`. `host`: the host itself is
/// (lose, inlet); then no devices are named.
struct ApplyFault {
  bool host = false;
  std::vector<std::uint16_t> devices;
  Fault fault;
  bool operator==(const ApplyFault&) const = default;
};

inline constexpr std::size_t faults_in_force_max = 1024;  // in one Hello; more are not told

/// A fault that an agent carries out, because somebody has asked for it; as ApplyFault.
struct FaultInForce {
  bool host = false;
  std::vector<std::uint16_t> devices;
  Fault fault;
  Instant until{};
  bool operator==(const FaultInForce&) const = default;
};

/// To an agent: these devices may draw so much each from now on, as far as their kind allows.
struct CapDevices {
  std::vector<std::uint16_t> devices;
  double watts = 0;  // 0: as they are made
  bool operator==(const CapDevices&) const = default;
};

/// From an agent: what its driver says of a device. A hang and a slow link are not known to it.
struct DeviceReport {
  std::uint16_t device = 0;
  bool usable = true;  // false: no work until a report says otherwise
  std::uint32_t xid = 0;
  std::string detail;  // "Xid 79: GPU has fallen off the bus"; empty when all is well again
  bool operator==(const DeviceReport&) const = default;
};

// ---- Published
// -----------------------------------------------------------------------------------

/// A device's condition as the router knows it, at each change.
struct DeviceChanged {
  std::string host;
  std::uint16_t device = 0;
  bool usable = true;
  Instant since{};
  std::string detail;                 // why it is not usable
  std::vector<std::string> injected;  // faults in force that were asked for, in words
  bool drained = false;               // no new work, because somebody said so
  bool operator==(const DeviceChanged&) const = default;
};

struct PoolLimits {
  std::string name;
  double power_cap_w = 0;      // 0: none
  double price_usd_per_h = 0;  // of one device; 0: as the devices' specs say
  bool operator==(const PoolLimits&) const = default;
};

/// A rule in force by which alerts are raised.
struct AlertRuleText {
  std::string name;
  Severity severity = Severity::warning;
  std::string about;  // its subjects: "device", "host", "place", "pool", "site" or "sender"
  std::string when;   // a filter (docs/filters.md), or in words what the router itself looks for
  std::string clear;  // a filter; empty: over when `when` no longer holds
  Duration raise_after{};  // fleet time throughout which its condition must hold
  Duration clear_after{};  // and must not, before the alert is over
  std::string help;        // why one wants to know
  bool operator==(const AlertRuleText&) const = default;
};

/// The policy in force as far as a dashboard shows it, at each change.
struct PolicyChanged {
  std::string name;
  std::uint64_t version = 0;
  double site_power_cap_w = 0;  // 0: none
  std::vector<PoolLimits> pools;
  std::string hash;  // of its text, 16 hexadecimal digits
  std::vector<AlertRuleText> alert_rules;
  double stale_after_s = 0;  // fleet time: older samples say nothing of now; 0: not told
  bool operator==(const PolicyChanged&) const = default;
};

/// A rule's condition has come to hold for a subject, or holds no more; or it still holds, and
/// somebody has acknowledged it, or its text has changed.
struct Alert {
  std::string rule;     // "throttling"
  std::string subject;  // host, device, pool or "site"
  Severity severity = Severity::warning;
  bool raised = true;
  Instant since{};                // when it was raised
  std::string text;               // for people
  std::string acknowledged_by{};  // empty: by nobody yet
  Instant acknowledged_at{};
  bool retold = false;  // nothing but its text is new
  bool operator==(const Alert&) const = default;
};

/// What is happening on purpose, for those who watch: a story's client says it, the router passes
/// it on.
struct Caption {
  std::string text;           // empty: the story is over
  std::string key;            // the dashboard's key that shows it; empty: none
  std::uint32_t chapter = 0;  // counts from 1
  std::uint32_t chapters = 0;
  bool paused = false;
  bool operator==(const Caption&) const = default;
};

}  // namespace drover
