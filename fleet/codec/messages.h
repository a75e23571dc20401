// The fields of every message and of the structures in messages, as docs/protocol.md lists them.
#pragma once

#include "fleet/codec/actions.h"
#include "fleet/codec/boards.h"
#include "fleet/codec/fields.h"
#include "fleet/codec/viewers.h"
#include "fleet/codec/work.h"
#include "fleet/messages.h"

namespace drover::codec {

// Enumerations.

template <>
inline constexpr Enumeration<Role> enumeration<Role>{"Role", Role::viewer};
template <>
inline constexpr Enumeration<ReplicaState> enumeration<ReplicaState>{"ReplicaState",
                                                                     ReplicaState::gone};
template <>
inline constexpr Enumeration<JobState> enumeration<JobState>{"JobState", JobState::cancelled};

template <>
inline constexpr Enumeration<Pause> enumeration<Pause>{"Pause", Pause::peer};
template <>
inline constexpr Enumeration<SubmitStatus> enumeration<SubmitStatus>{"SubmitStatus",
                                                                     SubmitStatus::refused};
template <>
inline constexpr Enumeration<Action> enumeration<Action>{"Action", Action::retire_replica};
template <>
inline constexpr Enumeration<Health> enumeration<Health>{"Health", Health::left};

// What messages hold.

template <>
inline constexpr auto layout<SpecText> = structure("SpecText", field("id", &SpecText::id, as_name),
                                                   field("text", &SpecText::text, as_toml));

template <>
inline constexpr auto layout<Group> = structure("Group", field("number", &Group::number),
                                                field("first", &Group::first),
                                                field("count", &Group::count),
                                                field("device", &Group::device, as_name),
                                                field("topology", &Group::topology, as_name),
                                                field("power_cap_w", &Group::power_cap_w));

template <>
inline constexpr auto layout<ReplicaId> = structure("ReplicaId",
                                                    field("host", &ReplicaId::host, as_name),
                                                    field("number", &ReplicaId::number));

template <>
inline constexpr auto layout<TenantShare> = structure(
    "TenantShare", field("tenant", &TenantShare::tenant, as_name),
    field("requests", &TenantShare::requests), field("kv_tokens", &TenantShare::kv_tokens));

template <>
inline constexpr auto layout<Replica> = structure(
    "Replica", field("id", &Replica::id), field("model", &Replica::model, as_name),
    field("precision", &Replica::precision), field("group", &Replica::group),
    field("devices", &Replica::devices, up_to(devices_per_host_max)),
    field("state", &Replica::state), field("ready_at", &Replica::ready_at),
    field("kv_capacity_tokens", &Replica::kv_capacity_tokens),
    field("batch_max", &Replica::batch_max), field("queued", &Replica::queued),
    field("running", &Replica::running), field("kv_used_tokens", &Replica::kv_used_tokens),
    field("weights_bytes", &Replica::weights_bytes),
    field("kv_token_bytes", &Replica::kv_token_bytes),
    field("tenants", &Replica::tenants, up_to(tenant_shares_max)),
    field("detail", &Replica::detail, as_text),
    field("started_by_router", &Replica::started_by_router), field("pause", &Replica::pause));

template <>
inline constexpr auto layout<HeldAttempt> = structure("HeldAttempt",
                                                      field("job", &HeldAttempt::job),
                                                      field("attempt", &HeldAttempt::attempt));

template <>
inline constexpr auto layout<GangLayout> = structure(
    "GangLayout", field("devices", &GangLayout::devices), field("per_host", &GangLayout::per_host),
    field("reservation_timeout", &GangLayout::reservation_timeout, non_negative));

template <>
inline constexpr auto layout<Column> = structure(
    "Column", field("metric", &Column::metric), field("width", &Column::width),
    field("scale", &Column::scale), field("bytes", &Column::bytes, Bytes{column_bytes_max}));

template <>
inline constexpr auto layout<SubmitResult> = structure(
    "SubmitResult", field("job", &SubmitResult::job), field("status", &SubmitResult::status),
    field("state", &SubmitResult::state), field("reason", &SubmitResult::reason),
    field("detail", &SubmitResult::detail, as_text));

// Joining.

template <>
inline constexpr auto layout<Join> = structure("Join", field("role", &Join::role),
                                               field("name", &Join::name, as_name),
                                               field("software", &Join::software, as_line));

template <>
inline constexpr auto layout<JoinAccepted> = structure(
    "JoinAccepted", field("fleet_time", &JoinAccepted::fleet_time),
    field("speed", &JoinAccepted::speed, strictly_positive),
    field("samples_endpoint", &JoinAccepted::samples_endpoint, as_line),
    field("publish_endpoint", &JoinAccepted::publish_endpoint, as_line),
    field("heartbeat_every", &JoinAccepted::heartbeat_every, non_negative),
    field("lease", &JoinAccepted::lease, non_negative),
    field("software", &JoinAccepted::software, as_line), field("bundles", &JoinAccepted::bundles),
    field("bookmarks", &JoinAccepted::bookmarks));

template <>
inline constexpr auto layout<JoinRejected> = structure("JoinRejected",
                                                       field("why", &JoinRejected::why, as_text),
                                                       field("retryable",
                                                             &JoinRejected::retryable));

// Agent and router.

template <>
inline constexpr auto layout<Register> = structure(
    "Register", field("host", &Register::host, as_name), field("rack", &Register::rack, as_name),
    field("site", &Register::site, as_name),
    field("labels", &Register::labels, up_to(labels_max, as_line)),
    field("incarnation", &Register::incarnation), field("software", &Register::software, as_line),
    field("specs", &Register::specs, up_to(specs_max)),
    field("groups", &Register::groups, up_to(groups_max)),
    field("replicas", &Register::replicas, up_to(replicas_per_host_max)),
    field("held", &Register::held, up_to(held_max)), field("ambient_c", &Register::ambient_c),
    field("price_factor", &Register::price_factor), field("asked_at", &Register::asked_at),
    field("faults", &Register::faults, up_to(active_faults_max)),
    field("sample_every", &Register::sample_every, non_negative));

template <>
inline constexpr auto layout<Reregister> = structure("Reregister",
                                                     field("fleet_time", &Reregister::fleet_time));

template <>
inline constexpr auto layout<Heartbeat> = structure("Heartbeat",
                                                    field("incarnation", &Heartbeat::incarnation),
                                                    field("samples_sent", &Heartbeat::samples_sent),
                                                    field("samples_thinned",
                                                          &Heartbeat::samples_thinned),
                                                    field("undecodable", &Heartbeat::undecodable));

template <>
inline constexpr auto layout<Superseded> = structure("Superseded");

template <>
inline constexpr auto layout<Assign> = structure(
    "Assign", field("job", &Assign::job), field("attempt", &Assign::attempt),
    field("replica", &Assign::replica),
    field("devices", &Assign::devices, up_to(devices_per_host_max)),
    field("precision", &Assign::precision), field("model_spec", &Assign::model_spec, as_toml),
    field("from_step", &Assign::from_step), field("gang", &Assign::gang));

template <>
inline constexpr auto layout<Accepted> = structure("Accepted", field("job", &Accepted::job),
                                                   field("attempt", &Accepted::attempt));

template <>
inline constexpr auto layout<MemberStepTime> = structure(
    "MemberStepTime", field("job", &MemberStepTime::job),
    field("attempt", &MemberStepTime::attempt), field("compute_s", &MemberStepTime::compute_s),
    field("exchange_s", &MemberStepTime::exchange_s));

template <>
inline constexpr auto layout<GangStepTime> = structure("GangStepTime",
                                                       field("job", &GangStepTime::job),
                                                       field("attempt", &GangStepTime::attempt),
                                                       field("step_s", &GangStepTime::step_s));

template <>
inline constexpr auto layout<Refused> = structure("Refused", field("job", &Refused::job),
                                                  field("attempt", &Refused::attempt),
                                                  field("reason", &Refused::reason),
                                                  field("detail", &Refused::detail, as_text));

template <>
inline constexpr auto layout<Progress> = structure("Progress", field("job", &Progress::job),
                                                   field("attempt", &Progress::attempt),
                                                   field("share", &Progress::share),
                                                   field("remaining_s", &Progress::remaining_s),
                                                   field("steps_saved", &Progress::steps_saved));

template <>
inline constexpr auto layout<Finished> = structure("Finished", field("job", &Finished::job),
                                                   field("attempt", &Finished::attempt),
                                                   field("incarnation", &Finished::incarnation),
                                                   field("usage", &Finished::usage),
                                                   field("outcome", &Finished::outcome));

template <>
inline constexpr auto layout<Failed> =
    structure("Failed", field("job", &Failed::job), field("attempt", &Failed::attempt),
              field("incarnation", &Failed::incarnation), field("reason", &Failed::reason),
              field("detail", &Failed::detail, as_text), field("usage", &Failed::usage),
              field("steps_done", &Failed::steps_done), field("steps_saved", &Failed::steps_saved),
              field("host_lost", &Failed::host_lost));

template <>
inline constexpr auto layout<ResultStored> = structure("ResultStored",
                                                       field("job", &ResultStored::job),
                                                       field("attempt", &ResultStored::attempt));

template <>
inline constexpr auto layout<Cancel> = structure("Cancel", field("job", &Cancel::job),
                                                 field("attempt", &Cancel::attempt),
                                                 field("reason", &Cancel::reason));

template <>
inline constexpr auto layout<StartReplica> =
    structure("StartReplica", field("number", &StartReplica::number),
              field("model", &StartReplica::model, as_name),
              field("model_spec", &StartReplica::model_spec, as_toml),
              field("precision", &StartReplica::precision),
              field("devices", &StartReplica::devices, up_to(devices_per_host_max)));

template <>
inline constexpr auto layout<RetireReplica> = structure("RetireReplica",
                                                        field("number", &RetireReplica::number));

template <>
inline constexpr auto layout<ReplicaReport> = structure("ReplicaReport",
                                                        field("replica", &ReplicaReport::replica));

template <>
inline constexpr auto layout<Leave> = structure("Leave", field("why", &Leave::why, as_line),
                                                field("held", &Leave::held),
                                                field("after", &Leave::after, non_negative));

template <>
inline constexpr auto layout<SampleBatch> =
    structure("SampleBatch", field("host", &SampleBatch::host, as_name),
              field("devices", &SampleBatch::devices, Packed{batch_rows_max}),
              field("columns", &SampleBatch::columns, up_to(batch_columns_max)));

// Clients and router.

template <>
inline constexpr auto layout<Submit> = structure("Submit", field("jobs", &Submit::jobs,
                                                                 up_to(submit_jobs_max)));

template <>
inline constexpr auto layout<SubmitReply> =
    structure("SubmitReply", field("results", &SubmitReply::results, up_to(submit_jobs_max)));

template <>
inline constexpr auto layout<JobChanged> = structure(
    "JobChanged", field("job", &JobChanged::job), field("submitted", &JobChanged::submitted),
    field("state", &JobChanged::state), field("attempt", &JobChanged::attempt),
    field("target", &JobChanged::target, as_text), field("pool", &JobChanged::pool, as_line),
    field("since", &JobChanged::since), field("progress", &JobChanged::progress),
    field("remaining_s", &JobChanged::remaining_s), field("reason", &JobChanged::reason),
    field("detail", &JobChanged::detail, as_text), field("usage", &JobChanged::usage),
    field("outcome", &JobChanged::outcome), field("latency_s", &JobChanged::latency_s),
    field("work_class", &JobChanged::work_class, as_line),
    field("change", &JobChanged::change, as_line),
    field("policy_version", &JobChanged::policy_version),
    field("steps_saved", &JobChanged::steps_saved), field("steps_lost", &JobChanged::steps_lost),
    field("pause", &JobChanged::pause), field("returned", &JobChanged::returned, as_text));

template <>
inline constexpr auto layout<JobsRequest> = structure(
    "JobsRequest", field("job", &JobsRequest::job), field("ended_max", &JobsRequest::ended_max),
    field("state", &JobsRequest::state), field("ended_only", &JobsRequest::ended_only),
    field("newest_first", &JobsRequest::newest_first),
    field("ended_before", &JobsRequest::ended_before),
    field("open_after", &JobsRequest::open_after));

template <>
inline constexpr auto layout<JobsReply> =
    structure("JobsReply", field("jobs", &JobsReply::jobs, up_to(jobs_reply_max)),
              field("left_out", &JobsReply::left_out), field("ended_kept", &JobsReply::ended_kept),
              field("ended_ever", &JobsReply::ended_ever));

template <>
inline constexpr auto layout<WhyRequest> =
    structure("WhyRequest", field("job_prefix", &WhyRequest::job_prefix, as_line));

template <>
inline constexpr auto layout<WhyReply> =
    structure("WhyReply", field("job", &WhyReply::job),
              field("decisions", &WhyReply::decisions, up_to(decisions_max)),
              field("candidates", &WhyReply::candidates, up_to(candidate_statuses_max)),
              field("candidates_of_decision", &WhyReply::candidates_of_decision),
              field("nearest", &WhyReply::nearest, up_to(nearest_max)),
              field("problem", &WhyReply::problem, as_text));

template <>
inline constexpr auto layout<SummaryRequest> = structure("SummaryRequest");

template <>
inline constexpr auto layout<EndRunRequest> = structure("EndRunRequest");

template <>
inline constexpr auto layout<SenderCount> = structure("SenderCount",
                                                      field("sender", &SenderCount::sender,
                                                            as_line),
                                                      field("count", &SenderCount::count));

template <>
inline constexpr auto layout<Summary> = structure(
    "Summary", field("started", &Summary::started), field("accepted", &Summary::accepted),
    field("refused", &Summary::refused), field("finished", &Summary::finished),
    field("failed", &Summary::failed), field("cancelled", &Summary::cancelled),
    field("queued", &Summary::queued), field("running", &Summary::running),
    field("input_tokens", &Summary::input_tokens), field("output_tokens", &Summary::output_tokens),
    field("fallbacks", &Summary::fallbacks), field("failures", &Summary::failures),
    field("queued_for", &Summary::queued_for), field("charged", &Summary::charged),
    field("wasted", &Summary::wasted), field("fleet_energy_j", &Summary::fleet_energy_j),
    field("fleet_cost_usd", &Summary::fleet_cost_usd), field("latency_s", &Summary::latency_s),
    field("first_token_s", &Summary::first_token_s), field("retries", &Summary::retries),
    field("preempted", &Summary::preempted), field("stale_results", &Summary::stale_results),
    field("undecodable", &Summary::undecodable),
    field("undecodable_by_sender", &Summary::undecodable_by_sender, up_to(senders_max)),
    field("sample_gaps", &Summary::sample_gaps), field("decisions", &Summary::decisions),
    field("estimate_error", &Summary::estimate_error), field("power_w", &Summary::power_w),
    field("power_reserved_w", &Summary::power_reserved_w),
    field("fallback_costs", &Summary::fallback_costs, up_to(reasons_max)),
    field("classes", &Summary::classes, up_to(classes_max)),
    field("tokens_work", &Summary::tokens_work), field("steps_work", &Summary::steps_work),
    field("pools", &Summary::pools, up_to(pools_max)),
    field("spend_usd_per_h", &Summary::spend_usd_per_h),
    field("budget_usd_per_h", &Summary::budget_usd_per_h));

template <>
inline constexpr auto layout<SnapshotRequest> = structure("SnapshotRequest");

template <>
inline constexpr auto layout<SnapshotPart> = structure(
    "SnapshotPart", field("snapshot", &SnapshotPart::snapshot), field("part", &SnapshotPart::part),
    field("parts", &SnapshotPart::parts), field("at_sequence", &SnapshotPart::at_sequence),
    field("messages", &SnapshotPart::messages, up_to(part_messages_max, Bytes{message_bytes_max})));

template <>
inline constexpr auto layout<RequestError> = structure("RequestError",
                                                       field("what", &RequestError::what, as_text),
                                                       field("retryable",
                                                             &RequestError::retryable));

// Published.

template <>
inline constexpr auto layout<GroupPool> = structure("GroupPool", field("group", &GroupPool::group),
                                                    field("pool", &GroupPool::pool, as_line));

template <>
inline constexpr auto layout<HostChanged> =
    structure("HostChanged", field("registration", &HostChanged::registration),
              field("health", &HostChanged::health), field("since", &HostChanged::since),
              field("sample_gaps", &HostChanged::sample_gaps),
              field("samples_thinned", &HostChanged::samples_thinned),
              field("undecodable", &HostChanged::undecodable),
              field("pools", &HostChanged::pools, up_to(groups_max, as_line)),
              field("secured_by", &HostChanged::secured_by, as_line),
              field("prices_usd_per_h", &HostChanged::prices_usd_per_h, up_to(groups_max)),
              field("further_pools", &HostChanged::further_pools, up_to(further_pools_max)),
              field("why", &HostChanged::why, as_text));

template <>
inline constexpr auto layout<HostForgotten> =
    structure("HostForgotten", field("host", &HostForgotten::host, as_name));

template <>
inline constexpr auto layout<ReplicaChanged> = structure("ReplicaChanged",
                                                         field("replica", &ReplicaChanged::replica),
                                                         field("pool", &ReplicaChanged::pool,
                                                               as_line));

template <>
inline constexpr auto layout<Decision> = structure(
    "Decision", field("number", &Decision::number), field("at", &Decision::at),
    field("job", &Decision::job), field("attempt", &Decision::attempt),
    field("kind", &Decision::kind), field("model", &Decision::model, as_name),
    field("action", &Decision::action), field("rule", &Decision::rule, as_line),
    field("preferred_pool", &Decision::preferred_pool, as_line),
    field("pool", &Decision::pool, as_line), field("target", &Decision::target, as_text),
    field("fallback_reason", &Decision::fallback_reason),
    field("fallback_step", &Decision::fallback_step), field("change", &Decision::change, as_line),
    field("work_class", &Decision::work_class, as_line),
    field("policy_version", &Decision::policy_version), field("primary", &Decision::primary),
    field("top", &Decision::top, up_to(candidates_max)),
    field("rejections", &Decision::rejections, up_to(rejections_max)),
    field("considered", &Decision::considered), field("fleet_version", &Decision::fleet_version),
    field("empty_pools", &Decision::empty_pools, up_to(pools_max, as_line)));

template <>
inline constexpr auto layout<Event> = structure("Event", field("severity", &Event::severity),
                                                field("subject", &Event::subject, as_line),
                                                field("text", &Event::text, as_text),
                                                field("bookmark", &Event::bookmark));

}  // namespace drover::codec
