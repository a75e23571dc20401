// Job totals as text, for the ledger when their rows are compacted.

#include "fleet/base/text.h"
#include "router/jobs/accounting.h"

namespace drover::router {
namespace {

struct CountRow {
  const char* name;
  std::uint64_t Summary::*member;
};
constexpr CountRow count_rows[] = {{"accepted", &Summary::accepted},
                                   {"finished", &Summary::finished},
                                   {"failed", &Summary::failed},
                                   {"input_tokens", &Summary::input_tokens},
                                   {"output_tokens", &Summary::output_tokens},
                                   {"retries", &Summary::retries},
                                   {"stale_results", &Summary::stale_results},
                                   {"preempted", &Summary::preempted},
                                   {"cancelled", &Summary::cancelled}};

Json counts_json(const std::map<Reason, std::uint64_t>& counts) {
  Json json = Json::object();
  for (const auto& [reason, count] : counts) json.set(to_text(reason), count);
  return json;
}

std::uint64_t count_of(const Json& json) { return static_cast<std::uint64_t>(json.integer()); }

/// `value_of(reason, json)`: the value of each reason.
template <typename Value, typename ValueOf>
Status take_by_reason(const Json& json, std::map<Reason, Value>& values, ValueOf value_of) {
  values.clear();
  for (const std::string& name : json.keys()) {
    const auto reason = parse_reason(name);
    if (!reason) return error("sums: unknown reason \"{}\"", excerpt(name));
    values[*reason] = value_of(*reason, json[name]);
  }
  return {};
}

Status take_counts(const Json& json, std::map<Reason, std::uint64_t>& counts) {
  return take_by_reason(json, counts, [](Reason, const Json& count) { return count_of(count); });
}

Json costs_json(const std::map<Reason, FallbackCost>& costs) {
  Json json = Json::object();
  for (const auto& [reason, sum] : costs) {
    json.set(to_text(reason), Json::array()
                                  .add(sum.jobs)
                                  .add(sum.cost_usd)
                                  .add(sum.energy_j)
                                  .add(sum.finish_s)
                                  .add(sum.timed));
  }
  return json;
}

Status take_costs(const Json& json, std::map<Reason, FallbackCost>& costs) {
  return take_by_reason(json, costs, [](Reason reason, const Json& sum) {
    return FallbackCost{reason,
                        count_of(sum[0]),
                        plausible(sum[1].number()),
                        plausible(sum[2].number()),
                        plausible(sum[3].number()),
                        count_of(sum[4])};
  });
}

Json usage_json(const Usage& usage) {
  return Json::array().add(usage.device_s).add(usage.energy_j).add(usage.cost_usd);
}

Usage usage_of(const Json& json) {
  return plausible(Usage{json[0].number(), json[1].number(), json[2].number()});
}

Json production_json(const DeliveredWork& work) {
  return Json::array().add(work.jobs).add(work.units).add(usage_json(work.charged));
}

DeliveredWork production_of(const Json& json) {
  return {count_of(json[0]), count_of(json[1]), usage_of(json[2])};
}

}  // namespace

Json Histogram::to_json() const {
  Json filled = Json::array();
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (buckets_[bucket] == 0) continue;
    filled.add(Json::array().add(bucket).add(buckets_[bucket]));
  }
  return Json::object().set("max", max_).set("buckets", std::move(filled));
}

Status Histogram::take(const Json& json) {
  *this = Histogram();
  max_ = json["max"].number();
  const Json& filled = json["buckets"];
  for (std::size_t at = 0; at < filled.size(); ++at) {
    const std::uint64_t bucket = count_of(filled[at][0]);
    if (bucket >= buckets_.size()) {
      return error("sums: bucket {}, expected less than {}", bucket, buckets_.size());
    }
    buckets_[bucket] = count_of(filled[at][1]);
    count_ += buckets_[bucket];
  }
  return {};
}

std::string Accounting::job_sums() const {
  Json json = Json::object();
  json.set("started_ns", sums_.started.time_since_epoch().count());
  for (const CountRow& count : count_rows) json.set(count.name, sums_.*count.member);
  json.set("fallbacks", counts_json(sums_.fallbacks)).set("failures", counts_json(sums_.failures));
  json.set("fallback_costs", costs_json(fallback_costs_));
  json.set("charged", usage_json(sums_.charged)).set("wasted", usage_json(sums_.wasted));
  json.set("tokens_work", production_json(sums_.tokens_work));
  json.set("steps_work", production_json(sums_.steps_work));
  json.set("latency_s", latency_s_.to_json()).set("first_token_s", first_token_s_.to_json());
  return json.dump();
}

Status Accounting::restore_job_sums(std::string_view text) {
  DROVER_ASSIGN(const auto json, Json::parse(text));
  for (const char* name : {"started_ns", "fallbacks", "failures", "fallback_costs", "charged",
                           "wasted", "tokens_work", "steps_work", "latency_s", "first_token_s"}) {
    if (!json.has(name)) return error("sums: {} is missing", name);
  }
  sums_.started = Instant(Duration(json["started_ns"].integer()));
  for (const CountRow& count : count_rows) {
    if (!json.has(count.name)) return error("sums: {} is missing", count.name);
    sums_.*count.member = count_of(json[count.name]);
  }
  sums_.charged = usage_of(json["charged"]);
  sums_.wasted = usage_of(json["wasted"]);
  sums_.tokens_work = production_of(json["tokens_work"]);
  sums_.steps_work = production_of(json["steps_work"]);
  for (const Status& status :
       {take_counts(json["fallbacks"], sums_.fallbacks),
        take_counts(json["failures"], sums_.failures),
        take_costs(json["fallback_costs"], fallback_costs_), latency_s_.take(json["latency_s"]),
        first_token_s_.take(json["first_token_s"])}) {
    if (!status) return status;
  }
  return {};
}

}  // namespace drover::router
