// Operator actions, bookmarks, and what is reported to people: audit, faults, alerts, events. Part
// of fleet/messages.h, which lists who sends each message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/fault.h"

namespace drover {

enum class Severity : std::uint8_t { info, warning, critical };
std::string_view to_text(Severity severity);

/// Inject a fault into the devices of a target for `fault.duration`.
struct InjectFault {
  std::string target;  // as fleet/target.h writes it
  Fault fault;
  std::uint32_t any = 0;   // number of the target's devices, chosen at random; 0: all
  std::uint64_t seed = 0;  // of that random choice
  bool operator==(const InjectFault&) const = default;
};

/// Cap the power of the site or of a pool.
struct SetPowerCap {
  std::string target;           // "site" or "pool:NAME"
  double watts = 0;             // 0: the policy's cap applies again
  Duration duration{};          // fleet time, then the policy's cap applies again; 0: no end
  bool admission_only = false;  // only new work is held back; no device is capped
  bool confirmed = false;       // the cap may be below the devices' idle power
  bool operator==(const SetPowerCap&) const = default;
};

/// Drain a target's devices, or end their drain. A drained device gets no new work; its running
/// work finishes.
struct SetDrain {
  std::string target;   // as fleet/target.h writes it
  bool drained = true;  // false: end the drain
  Duration deadline{};  // fleet time; after it, work that still runs there is moved; 0: never
  bool operator==(const SetDrain&) const = default;
};

/// Maximum number of jobs in one CancelJobs.
inline constexpr std::size_t cancel_jobs_max = 256;

/// Cancel these jobs. Answered by CancelReply.
struct CancelJobs {
  std::vector<std::string> jobs;  // ids, or unique prefixes of ids
  bool operator==(const CancelJobs&) const = default;
};

enum class CancelStatus : std::uint8_t {
  cancelled,   // the job ended as cancelled; this is on disk
  cancelling,  // it runs and will end as cancelled unless its result is already on its way; on disk
  ended,       // it had already ended
  unknown,     // no job matches, or several do
};
std::string_view to_text(CancelStatus status);

struct CancelResult {
  std::string asked;  // the text in CancelJobs
  JobId job;          // zeros: unknown
  CancelStatus status = CancelStatus::cancelled;
  std::string detail;  // for users; may be empty
  bool operator==(const CancelResult&) const = default;
};

struct CancelReply {
  std::vector<CancelResult> results;  // in the order of CancelJobs' jobs
  std::string problem;                // why the whole request was refused; then no results
  std::string summary{};              // for users: what was done, and what follows
  bool operator==(const CancelReply&) const = default;
};

/// Maximum length of a policy's text.
inline constexpr std::size_t policy_bytes_max = 256 * 1024;

/// Replace the current policy.
struct ApplyPolicy {
  std::string text;   // TOML
  std::string place;  // name of its file, for messages
  bool operator==(const ApplyPolicy&) const = default;
};

/// Acknowledge raised alerts until they clear. Answered by ActionReply; each Alert is published
/// again.
struct AcknowledgeAlert {
  std::string rule;     // empty: all rules
  std::string subject;  // empty: all subjects
  bool operator==(const AcknowledgeAlert&) const = default;
};

/// Remove a host that is lost or has left and will not return. Answered by ActionReply.
struct ForgetHost {
  std::string host;
  bool operator==(const ForgetHost&) const = default;
};

/// Request the current policy. Answered by PolicyReply.
struct PolicyRequest {
  bool operator==(const PolicyRequest&) const = default;
};

struct PolicyReply {
  std::string name;
  std::string place;  // the file it was read from
  std::uint64_t version = 0;
  std::string hash;  // of its text, 16 hexadecimal digits
  Instant since{};
  std::string by;  // who applied it; empty: the router started with it
  std::string text;
  bool operator==(const PolicyReply&) const = default;
};

/// The answer to an action.
struct ActionReply {
  bool applied = false;
  std::vector<std::string> targets;  // the devices or hosts that it affected
  std::string problem;               // why it was not applied
  std::string summary{};             // for users: what was done, and what follows
  bool confirm = false;              // not applied, but would be with `confirmed`
  bool operator==(const ActionReply&) const = default;
};

/// Published for each requested action, applied or not.
struct Audit {
  std::string who;     // the client's label
  std::string action;  // "inject xid=79 for 60s"
  std::string target;
  bool applied = false;
  std::string detail;  // what it affected, or why it was not applied
  bool operator==(const Audit&) const = default;
};

/// To an agent: apply a fault to these devices for `fault.duration`. `host`: to the host itself
/// (lose, inlet), and `devices` is empty.
struct ApplyFault {
  bool host = false;
  std::vector<std::uint16_t> devices;
  Fault fault;
  bool operator==(const ApplyFault&) const = default;
};

inline constexpr std::size_t active_faults_max = 1024;  // in one Register; more are not reported

/// An injected fault that an agent applies now; fields as in ApplyFault.
struct ActiveFault {
  bool host = false;
  std::vector<std::uint16_t> devices;
  Fault fault;
  Instant until{};
  bool operator==(const ActiveFault&) const = default;
};

/// To an agent: set the power cap of each of these devices, within the range of its model.
struct CapDevices {
  std::vector<std::uint16_t> devices;
  double watts = 0;  // 0: the default cap
  bool operator==(const CapDevices&) const = default;
};

/// From an agent: what its driver reports about a device. Drivers do not detect hangs and slow
/// links.
struct DeviceReport {
  std::uint16_t device = 0;
  bool usable = true;  // false: no work until a report says otherwise
  std::uint32_t xid = 0;
  std::string detail;  // "Xid 79: GPU has fallen off the bus"; empty when the device has recovered
  bool operator==(const DeviceReport&) const = default;
};

/// A device's condition as the router knows it, published at each change.
struct DeviceChanged {
  std::string host;
  std::uint16_t device = 0;
  bool usable = true;
  Instant since{};
  std::string detail;                 // why it is not usable
  std::vector<std::string> injected;  // injected faults that are active, as text
  bool drained = false;               // gets no new work because of SetDrain
  bool operator==(const DeviceChanged&) const = default;
};

struct PoolLimits {
  std::string name;
  double power_cap_w = 0;      // 0: none
  double price_usd_per_h = 0;  // of one device; 0: the device specs' prices
  bool operator==(const PoolLimits&) const = default;
};

/// Of a policy; about 300 bytes each.
inline constexpr std::size_t alert_rules_max = 128;

/// An alert rule of the current policy.
struct AlertRuleText {
  std::string name;
  Severity severity = Severity::warning;
  std::string about;       // its subjects: "device", "host", "place", "pool", "site" or "sender"
  std::string when;        // a filter (docs/filters.md); of a built-in rule a description
  std::string clear;       // a filter; empty: clears when `when` no longer holds
  Duration raise_after{};  // fleet time for which the condition must hold before it is raised
  Duration clear_after{};  // fleet time for which it must not hold before it clears
  std::string help;        // why the alert matters
  bool operator==(const AlertRuleText&) const = default;
};

/// The parts of the current policy that a dashboard shows, published at each change.
struct PolicyChanged {
  std::string name;
  std::uint64_t version = 0;
  double site_power_cap_w = 0;  // 0: none
  std::vector<PoolLimits> pools;
  std::string hash;  // of its text, 16 hexadecimal digits
  std::vector<AlertRuleText> alert_rules;
  double stale_after_s = 0;  // fleet time: older samples are stale; 0: not reported
  bool operator==(const PolicyChanged&) const = default;
};

/// An alert was raised or cleared; or a raised alert was acknowledged, or its text has changed.
struct Alert {
  std::string rule;     // "throttling"
  std::string subject;  // host, device, pool or "site"
  Severity severity = Severity::warning;
  bool raised = true;
  Instant since{};                // when it was raised
  std::string text;               // for users
  std::string acknowledged_by{};  // empty: not acknowledged
  Instant acknowledged_at{};
  bool text_only = false;  // only the text has changed
  bool operator==(const Alert&) const = default;
};

inline constexpr std::size_t bookmark_bytes_max = 160;

/// A moment that the user of a dashboard has marked. The router publishes it in an Event, for all
/// who record. Of several of one moment, the last stands.
struct Bookmark {
  Instant at{};      // may be long ago
  std::string text;  // up to `bookmark_bytes_max`; may be empty
  bool operator==(const Bookmark&) const = default;
};

struct BookmarkReply {
  Instant at{};         // as in the Bookmark
  std::string problem;  // empty: it was published
  bool operator==(const BookmarkReply&) const = default;
};

/// Something a person may want to know: a host lost, a replica ready, a power cap reached.
struct Event {
  Severity severity = Severity::info;
  std::string subject;  // host, device, replica or job, as text
  std::string text;
  std::optional<Bookmark> bookmark = {};  // for recorders, as it was made; `text` is for people
  bool operator==(const Event&) const = default;
};

/// A caption that explains the current step of a demo story. Its client sends it and the router
/// publishes it.
struct Caption {
  std::string text;           // empty: the story is over
  std::string key;            // the dashboard key of the view that shows it; empty: none
  std::uint32_t chapter = 0;  // from 1
  std::uint32_t chapters = 0;
  bool paused = false;
  // What shows it best, for a dashboard that follows the story:
  std::string view{};    // a view by its name, "routing"; empty: any
  std::string metric{};  // of the heat map, as `:metric` takes it; empty: any
  std::string device{};  // "v5e-2/3"; empty: none
  bool totals = false;   // what the run has done so far stands beside the caption
  bool operator==(const Caption&) const = default;
};

}  // namespace drover
