// The wire fields of jobs, decisions and totals; see fleet/codec/messages.h.
#pragma once

#include "fleet/codec/fields.h"
#include "fleet/codec/limits.h"
#include "fleet/messages.h"

namespace drover::codec {

template <>
inline constexpr Enumeration<WorkKind> enumeration<WorkKind>{"WorkKind", WorkKind::batch};

template <>
inline constexpr Enumeration<Precision> enumeration<Precision>{"Precision", Precision::fp64};

template <>
inline constexpr Enumeration<Reason> enumeration<Reason>{"Reason", Reason::data};

template <>
inline constexpr Enumeration<ClassMetric> enumeration<ClassMetric>{"ClassMetric",
                                                                   ClassMetric::energy_per_unit};

template <>
inline constexpr auto layout<MeasuredThroughput> =
    structure("MeasuredThroughput", field("device", &MeasuredThroughput::device, as_name),
              field("devices", &MeasuredThroughput::devices),
              field("steps_per_s", &MeasuredThroughput::steps_per_s),
              field("over_hosts", &MeasuredThroughput::over_hosts));

template <>
inline constexpr auto layout<Workload> = structure(
    "Workload", field("kind", &Workload::kind), field("model", &Workload::model, as_name),
    field("precisions", &Workload::precisions, up_to(precisions_max)),
    field("loss_scaling", &Workload::loss_scaling),
    field("framework", &Workload::framework, as_name),
    field("ops", &Workload::ops, up_to(operations_max, as_name)),
    field("versions", &Workload::versions, up_to(versions_max, as_line)),
    field("input_tokens", &Workload::input_tokens),
    field("output_tokens", &Workload::output_tokens), field("items", &Workload::items),
    field("prefix", &Workload::prefix, up_to(prefix_blocks_max)), field("steps", &Workload::steps),
    field("batch", &Workload::batch), field("sequence", &Workload::sequence),
    field("devices", &Workload::devices), field("checkpoint_steps", &Workload::checkpoint_steps),
    field("throughputs", &Workload::throughputs, up_to(throughputs_max)));

template <>
inline constexpr auto layout<Job> = structure(
    "Job", field("id", &Job::id), field("work", &Job::work), field("tenant", &Job::tenant, as_name),
    field("work_class", &Job::work_class, as_name), field("stage", &Job::stage, as_name),
    field("data_set", &Job::data_set, as_name), field("priority", &Job::priority),
    field("deadline", &Job::deadline, non_negative));

template <>
inline constexpr auto layout<Usage> = structure("Usage", field("device_s", &Usage::device_s),
                                                field("energy_j", &Usage::energy_j),
                                                field("cost_usd", &Usage::cost_usd));

template <>
inline constexpr auto layout<Outcome> = structure("Outcome",
                                                  field("input_tokens", &Outcome::input_tokens),
                                                  field("output_tokens", &Outcome::output_tokens),
                                                  field("steps", &Outcome::steps),
                                                  field("first_token_s", &Outcome::first_token_s),
                                                  field("run_s", &Outcome::run_s));

template <>
inline constexpr auto layout<ScorePart> = structure("ScorePart",
                                                    field("scorer", &ScorePart::scorer, as_line),
                                                    field("value", &ScorePart::value),
                                                    field("weight", &ScorePart::weight));

template <>
inline constexpr auto layout<Estimate> = structure("Estimate", field("start_s", &Estimate::start_s),
                                                   field("finish_s", &Estimate::finish_s),
                                                   field("energy_j", &Estimate::energy_j),
                                                   field("cost_usd", &Estimate::cost_usd),
                                                   field("wait_known", &Estimate::wait_known));

template <>
inline constexpr auto layout<Candidate> =
    structure("Candidate", field("target", &Candidate::target, as_text),
              field("pool", &Candidate::pool, as_line), field("score", &Candidate::score),
              field("parts", &Candidate::parts, up_to(scores_max)),
              field("estimate", &Candidate::estimate), field("price", &Candidate::price, as_line));

template <>
inline constexpr auto layout<Rejection> =
    structure("Rejection", field("pool", &Rejection::pool, as_line),
              field("device_class", &Rejection::device_class, as_name),
              field("reason", &Rejection::reason), field("count", &Rejection::count));

template <>
inline constexpr auto layout<CandidateStatus> =
    structure("CandidateStatus", field("target", &CandidateStatus::target, as_text),
              field("pool", &CandidateStatus::pool, as_line),
              field("device_class", &CandidateStatus::device_class, as_line),
              field("score", &CandidateStatus::score),
              field("reasons", &CandidateStatus::reasons, up_to(reasons_max)));

template <>
inline constexpr auto layout<NearestFit> = structure("NearestFit",
                                                     field("reason", &NearestFit::reason),
                                                     field("target", &NearestFit::target, as_text),
                                                     field("pool", &NearestFit::pool, as_line),
                                                     field("amount", &NearestFit::amount),
                                                     field("change", &NearestFit::change, as_text));

template <>
inline constexpr auto layout<FallbackCost> = structure(
    "FallbackCost", field("reason", &FallbackCost::reason), field("jobs", &FallbackCost::jobs),
    field("cost_usd", &FallbackCost::cost_usd), field("energy_j", &FallbackCost::energy_j),
    field("finish_s", &FallbackCost::finish_s), field("timed", &FallbackCost::timed));

template <>
inline constexpr auto layout<Percentiles> = structure("Percentiles",
                                                      field("count", &Percentiles::count),
                                                      field("p50", &Percentiles::p50),
                                                      field("p90", &Percentiles::p90),
                                                      field("p99", &Percentiles::p99),
                                                      field("max", &Percentiles::max));

template <>
inline constexpr auto layout<ClassOutcomes> = structure("ClassOutcomes",
                                                        field("judged", &ClassOutcomes::judged),
                                                        field("missed", &ClassOutcomes::missed));

template <>
inline constexpr auto layout<ClassReport> =
    structure("ClassReport", field("name", &ClassReport::name, as_line),
              field("metric", &ClassReport::metric), field("target", &ClassReport::target),
              field("met", &ClassReport::met), field("values", &ClassReport::values),
              field("short_window", &ClassReport::short_window),
              field("long_window", &ClassReport::long_window),
              field("first_bucket", &ClassReport::first_bucket),
              field("buckets", &ClassReport::buckets, up_to(class_bucket_count)));

template <>
inline constexpr auto layout<DeliveredWork> = structure("DeliveredWork",
                                                        field("jobs", &DeliveredWork::jobs),
                                                        field("units", &DeliveredWork::units),
                                                        field("charged", &DeliveredWork::charged));

template <>
inline constexpr auto layout<PoolReport> = structure(
    "PoolReport", field("name", &PoolReport::name, as_line), field("devices", &PoolReport::devices),
    field("usable", &PoolReport::usable), field("unusable", &PoolReport::unusable),
    field("drained", &PoolReport::drained), field("ejected", &PoolReport::ejected),
    field("suspect", &PoolReport::suspect), field("lost", &PoolReport::lost),
    field("power_w", &PoolReport::power_w), field("power_cap_w", &PoolReport::power_cap_w),
    field("power_reserved_w", &PoolReport::power_reserved_w),
    field("spend_usd_per_h", &PoolReport::spend_usd_per_h), field("queued", &PoolReport::queued));

}  // namespace drover::codec
