// A small mixed fleet as the router would publish it, drawn from one seed: what screens are tested
// with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fleet/base/random_stream.h"
#include "fleet/messages.h"
#include "tui/dashboard.h"
#include "tui/model/model.h"

namespace drover::tui {

class SampleFleet {
 public:
  static constexpr Instant start{std::chrono::seconds(1'763'692'681)};  // 2025-11-21T02:38:01Z
  static constexpr Instant after_2s = start + std::chrono::seconds(2);
  static constexpr Instant after_3s = start + std::chrono::seconds(3);
  static constexpr Instant after_40s = start + std::chrono::seconds(40);

  /// Five hosts in three racks: h100 x8, a100 x8, two tpu-v5e 2x4, l4 x4.
  SampleFleet();

  /// Every message that a snapshot would hold, as published envelopes.
  std::vector<Envelope> state();
  /// The same as a snapshot in `parts` parts, standing at the last published sequence.
  std::vector<Envelope> snapshot(std::uint32_t parts = 2);
  /// One batch of each host that is not lost, `seconds` after the start; every call is a new
  /// sample of the same story.
  std::vector<Envelope> samples(int seconds);
  Envelope published(Message body, Instant at = start);

  std::vector<HostChanged> hosts;
  std::vector<ReplicaChanged> replicas;
  std::vector<JobChanged> jobs;
  std::vector<Decision> decisions;
  std::vector<Event> events;
  Summary summary;
  PolicyChanged policy;
  std::vector<DeviceChanged> conditions;
  std::vector<Alert> alerts;
  std::vector<Audit> audits;

 private:
  void add_host(const std::string& name, const std::string& rack, std::vector<Group> groups);
  void add_replicas();
  void add_jobs();
  void add_decisions();
  void add_events();
  void add_summary();
  void add_classes();
  void add_pools();
  void add_policy();
  void add_conditions();
  void add_alerts();
  Envelope last_of_lost() const;

  RandomStream random_{7};
  std::uint64_t published_ = 0;
  std::uint64_t batches_ = 0;
};

/// Ready to look at: the snapshot and `seconds` samples are in, drawn once.
std::unique_ptr<Dashboard> dashboard_of(SampleFleet& fleet, Size size, const std::string& view,
                                        bool ascii = false, int seconds = 40, bool control = false);

/// Takes the effects of the dashboard and returns those of this kind.
template <typename Kind>
std::vector<Kind> take(Dashboard& dashboard) {
  std::vector<Kind> found;
  for (Effect& effect : dashboard.take_effects()) {
    if (auto* kind = std::get_if<Kind>(&effect)) found.push_back(std::move(*kind));
  }
  return found;
}
/// Whether there was one of this kind.
template <typename Kind>
bool takes(Dashboard& dashboard) {
  return !take<Kind>(dashboard).empty();
}

inline Model model_of(const std::vector<Envelope>& envelopes) {
  Model model{std::chrono::seconds(1)};
  for (const Envelope& envelope : envelopes) model.apply(SampleFleet::start, envelope);
  return model;
}

/// All parts of the fleet's snapshot, as the router answers a request.
inline void feed_snapshot(Dashboard& dashboard, SampleFleet& fleet, Instant now) {
  for (const Envelope& part : fleet.snapshot()) dashboard.receive(now, router_peer, part);
}

/// Facts of a device kind of the sample fleet. REQUIRES one of its kinds.
double sample_cap_w(const std::string& device);
std::string_view sample_spec_text(const std::string& device);

/// A fleet of nothing but devices, for counting: hosts of `devices_each` h100.
std::vector<Envelope> plain_hosts(int hosts, int devices_each);
std::vector<Envelope> plain_samples(int hosts, int devices_each, std::uint64_t sequence);

}  // namespace drover::tui
