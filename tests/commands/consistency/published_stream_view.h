// What is published, as one who only listens has it: decisions and flows counted once more, and for
// how long what alert rules are about has held without a break.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fleet/messages.h"
#include "fleet/sample/sample.h"
#include "router/policy/policy.h"

namespace drover::commands {

/// Since when without a break what a rule is about holds, and since when it is over; `never`: it
/// does not, or is not. Between the two thresholds of a rule it is neither.
struct Held {
  Instant holds_since = never;
  Instant over_since = never;
};

class PublishedStreamView {
 public:
  /// The policy must outlive it.
  PublishedStreamView(const router::Policy& policy, Instant now);

  void hear(Instant now, const Envelope& envelope);
  /// Another router runs: it counts decisions anew, and its rules begin to look anew.
  void begin_life(Instant now);

  Instant life_began() const { return life_began_; }
  const std::optional<Summary>& summary() const { return summary_; }
  const std::optional<PolicyChanged>& policy() const { return told_policy_; }
  const std::deque<Decision>& decisions() const { return decisions_; }
  /// Wanted pool, pool and reason of placements, over all lives.
  using Flow = std::tuple<std::string, std::string, std::optional<Reason>, bool>;
  const std::map<Flow, std::uint64_t>& flows() const { return flows_; }
  /// By rule and subject, what summaries and samples tell. Absent: never looked at in this life.
  const std::map<std::pair<std::string, std::string>, Held>& held() const { return held_; }
  /// What has come of the device since the last look.
  const std::vector<Sample>& samples_of(const DeviceId& device) const;
  void end_look() { samples_.clear(); }
  /// When the alert was last told to everybody.
  Instant told_at(const std::string& rule, const std::string& subject) const {
    const auto told = alerts_told_.find({rule, subject});
    return told == alerts_told_.end() ? life_began_ : told->second;
  }
  /// A cap is set there that holds back new work and slows nothing down.
  bool admits_only(const std::string& subject) const { return admits_only_.contains(subject); }
  double site_cap_w() const { return told_policy_ ? told_policy_->site_power_cap_w : 0; }

 private:
  void take(Instant now, const Summary& summary);
  void take(Instant now, const SampleBatch& batch);
  void take(const Audit& audit);
  void note(Instant now, std::string_view rule, const std::string& subject, bool holds, bool over);
  void look_at_caps(Instant now, const Summary& summary);
  void look_at_rules(Instant now, const Summary& summary);
  void look_at_junk(Instant now, const Summary& summary);

  const router::Policy& policy_;
  Instant life_began_{};
  std::optional<Summary> summary_;
  std::optional<PolicyChanged> told_policy_;
  std::deque<Decision> decisions_;
  std::map<Flow, std::uint64_t> flows_;
  std::map<std::pair<std::string, std::string>, Held> held_;
  std::map<std::string, std::map<std::uint16_t, bool>> hot_;  // slowed for heat, by host
  std::map<DeviceId, std::vector<Sample>> samples_;
  std::map<std::pair<std::string, std::string>, Instant> alerts_told_;
  std::set<std::string> admits_only_;
  struct Junk {
    std::uint64_t count = 0;
    Instant came{};  // the last that was seen to come
  };
  std::map<std::string, Junk> junk_;  // messages dropped, by sender
};

}  // namespace drover::commands
