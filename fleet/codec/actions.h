// The wire fields of actions, faults and alerts; see fleet/codec/messages.h.
#pragma once

#include "fleet/actions.h"
#include "fleet/codec/fields.h"

namespace drover::codec {

template <>
inline constexpr Enumeration<Severity> enumeration<Severity>{"Severity", Severity::critical};

template <>
inline constexpr Enumeration<FaultKind> enumeration<FaultKind>{"FaultKind", FaultKind::reclaim};

template <>
inline constexpr auto layout<Fault> = structure("Fault", field("kind", &Fault::kind),
                                                field("code", &Fault::code),
                                                field("amount", &Fault::amount),
                                                field("duration", &Fault::duration, non_negative));

template <>
inline constexpr auto layout<PoolLimits> = structure("PoolLimits",
                                                     field("name", &PoolLimits::name, as_line),
                                                     field("power_cap_w", &PoolLimits::power_cap_w),
                                                     field("price_usd_per_h",
                                                           &PoolLimits::price_usd_per_h));

template <>
inline constexpr auto layout<InjectFault> =
    structure("InjectFault", field("target", &InjectFault::target, as_line),
              field("fault", &InjectFault::fault), field("any", &InjectFault::any),
              field("seed", &InjectFault::seed));

template <>
inline constexpr auto layout<SetPowerCap> = structure(
    "SetPowerCap", field("target", &SetPowerCap::target, as_line),
    field("watts", &SetPowerCap::watts), field("duration", &SetPowerCap::duration, non_negative),
    field("admission_only", &SetPowerCap::admission_only),
    field("confirmed", &SetPowerCap::confirmed));

template <>
inline constexpr Enumeration<CancelStatus> enumeration<CancelStatus>{"CancelStatus",
                                                                     CancelStatus::unknown};

template <>
inline constexpr auto layout<SetDrain> = structure(
    "SetDrain", field("target", &SetDrain::target, as_line), field("drained", &SetDrain::drained),
    field("deadline", &SetDrain::deadline, non_negative));

template <>
inline constexpr auto layout<CancelJobs> =
    structure("CancelJobs", field("jobs", &CancelJobs::jobs, up_to(cancel_jobs_max, as_line)));

template <>
inline constexpr auto layout<CancelResult> = structure(
    "CancelResult", field("asked", &CancelResult::asked, as_line), field("job", &CancelResult::job),
    field("status", &CancelResult::status), field("detail", &CancelResult::detail, as_text));

template <>
inline constexpr auto layout<CancelReply> =
    structure("CancelReply", field("results", &CancelReply::results, up_to(cancel_jobs_max)),
              field("problem", &CancelReply::problem, as_text),
              field("summary", &CancelReply::summary, as_text));

template <>
inline constexpr auto layout<ApplyPolicy> = structure("ApplyPolicy",
                                                      field("text", &ApplyPolicy::text, as_policy),
                                                      field("place", &ApplyPolicy::place, as_line));

template <>
inline constexpr auto layout<AcknowledgeAlert> =
    structure("AcknowledgeAlert", field("rule", &AcknowledgeAlert::rule, as_line),
              field("subject", &AcknowledgeAlert::subject, as_line));

template <>
inline constexpr auto layout<ForgetHost> = structure("ForgetHost",
                                                     field("host", &ForgetHost::host, as_line));

template <>
inline constexpr auto layout<AlertRuleText> = structure(
    "AlertRuleText", field("name", &AlertRuleText::name, as_line),
    field("severity", &AlertRuleText::severity), field("about", &AlertRuleText::about, as_line),
    field("when", &AlertRuleText::when, as_text), field("clear", &AlertRuleText::clear, as_text),
    field("raise_after", &AlertRuleText::raise_after, non_negative),
    field("clear_after", &AlertRuleText::clear_after, non_negative),
    field("help", &AlertRuleText::help, as_text));

template <>
inline constexpr auto layout<PolicyRequest> = structure("PolicyRequest");

template <>
inline constexpr auto layout<PolicyReply> =
    structure("PolicyReply", field("name", &PolicyReply::name, as_line),
              field("place", &PolicyReply::place, as_line), field("version", &PolicyReply::version),
              field("hash", &PolicyReply::hash, as_line), field("since", &PolicyReply::since),
              field("by", &PolicyReply::by, as_line), field("text", &PolicyReply::text, as_policy));

template <>
inline constexpr auto layout<ActionReply> = structure(
    "ActionReply", field("applied", &ActionReply::applied),
    field("targets", &ActionReply::targets, up_to(devices_per_host_max, as_line)),
    field("problem", &ActionReply::problem, as_text),
    field("summary", &ActionReply::summary, as_text), field("confirm", &ActionReply::confirm));

template <>
inline constexpr auto layout<Audit> = structure("Audit", field("who", &Audit::who, as_line),
                                                field("action", &Audit::action, as_line),
                                                field("target", &Audit::target, as_line),
                                                field("applied", &Audit::applied),
                                                field("detail", &Audit::detail, as_text));

template <>
inline constexpr auto layout<ApplyFault> = structure("ApplyFault", field("host", &ApplyFault::host),
                                                     field("devices", &ApplyFault::devices,
                                                           up_to(devices_per_host_max)),
                                                     field("fault", &ApplyFault::fault));

template <>
inline constexpr auto layout<ActiveFault> =
    structure("ActiveFault", field("host", &ActiveFault::host),
              field("devices", &ActiveFault::devices, up_to(devices_per_host_max)),
              field("fault", &ActiveFault::fault), field("until", &ActiveFault::until));

template <>
inline constexpr auto layout<CapDevices> = structure("CapDevices",
                                                     field("devices", &CapDevices::devices,
                                                           up_to(devices_per_host_max)),
                                                     field("watts", &CapDevices::watts));

template <>
inline constexpr auto layout<DeviceReport> = structure(
    "DeviceReport", field("device", &DeviceReport::device), field("usable", &DeviceReport::usable),
    field("xid", &DeviceReport::xid), field("detail", &DeviceReport::detail, as_text));

template <>
inline constexpr auto layout<DeviceChanged> = structure(
    "DeviceChanged", field("host", &DeviceChanged::host, as_name),
    field("device", &DeviceChanged::device), field("usable", &DeviceChanged::usable),
    field("since", &DeviceChanged::since), field("detail", &DeviceChanged::detail, as_text),
    field("injected", &DeviceChanged::injected, up_to(faults_max, as_line)),
    field("drained", &DeviceChanged::drained));

template <>
inline constexpr auto layout<PolicyChanged> =
    structure("PolicyChanged", field("name", &PolicyChanged::name, as_line),
              field("version", &PolicyChanged::version),
              field("site_power_cap_w", &PolicyChanged::site_power_cap_w),
              field("pools", &PolicyChanged::pools, up_to(pools_max)),
              field("hash", &PolicyChanged::hash, as_line),
              field("alert_rules", &PolicyChanged::alert_rules, up_to(alert_rules_max)),
              field("stale_after_s", &PolicyChanged::stale_after_s));

template <>
inline constexpr auto layout<Alert> = structure(
    "Alert", field("rule", &Alert::rule, as_line), field("subject", &Alert::subject, as_line),
    field("severity", &Alert::severity), field("raised", &Alert::raised),
    field("since", &Alert::since), field("text", &Alert::text, as_text),
    field("acknowledged_by", &Alert::acknowledged_by, as_line),
    field("acknowledged_at", &Alert::acknowledged_at), field("text_only", &Alert::text_only));

template <>
inline constexpr auto layout<Bookmark> = structure("Bookmark", field("at", &Bookmark::at),
                                                   field("text", &Bookmark::text, as_line));

template <>
inline constexpr auto layout<BookmarkReply> = structure("BookmarkReply",
                                                        field("at", &BookmarkReply::at),
                                                        field("problem", &BookmarkReply::problem,
                                                              as_text));

template <>
inline constexpr auto layout<Caption> =
    structure("Caption", field("text", &Caption::text, as_line),
              field("key", &Caption::key, as_line), field("chapter", &Caption::chapter),
              field("chapters", &Caption::chapters), field("paused", &Caption::paused),
              field("view", &Caption::view, as_line), field("metric", &Caption::metric, as_line),
              field("device", &Caption::device, as_line), field("totals", &Caption::totals));

}  // namespace drover::codec
