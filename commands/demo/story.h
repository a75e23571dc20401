// The demo's story: what happens to its fleet on purpose, told while it happens. A quarter of an
// hour of fleet time (90 wall seconds at the demo's speed), again and again, from one seed.
//
// Pure: time comes in, messages for the router come out. The faults are the ones that
// `drover inject` knows, the cap is that of `drover cap`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/dice.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::commands {

/// One part of the story, from its beginning to the next one's.
struct Chapter {
  double begins_s;           // fleet seconds into the story
  std::string_view caption;  // at most 61 columns: 80 less " Story 1/8, key 5: " and an edge
  std::string_view key;      // of the dashboard, which shows it
};
std::span<const Chapter> chapters();

/// After so long the story begins anew.
inline constexpr double story_s = 900;

class Story {
 public:
  /// `load` multiplies the requests of its bursts.
  Story(std::uint64_t seed, double load, Instant start);

  /// What the fleet draws now: the story's cap is a share of it.
  void heard(Instant now, const Summary& summary);

  /// All that is due, of jobs as many as there is room for; nothing while the story is paused. Jobs
  /// for which there is no room come later, or not at all where the story begins anew before.
  struct Doings {
    std::vector<Message> messages;  // Inject, SetPowerCap
    std::vector<Job> jobs;
    bool empty() const { return messages.empty() && jobs.empty(); }
  };
  Doings due(Instant now, std::size_t room = SIZE_MAX);
  Instant next_deadline();

  /// Pauses or goes on. Faults that are in force run out by themselves meanwhile.
  void toggle(Instant now);
  bool paused() const { return paused_.has_value(); }

  /// What is to be said now.
  Caption caption() const;

 private:
  struct Beat {
    double at_s;
    std::function<void(Doings&)> act;
  };
  /// Requests like one another, drawn one by one: a large load has more of them than fit in memory.
  struct Requests {
    Dice dice;
    double every_s;  // in the mean
    double to_s;
    Job like;
    double at_s;  // the next one's; `to_s` or later: there is none
  };
  void write_next_round();
  void add(double at_s, Message message);
  void add_requests(const char* name, double from_s, double to_s, double rate_per_s, Job like);
  Requests* next_requests();  // those whose next one is the soonest; null: none is left
  static Job draw(Requests& requests);
  Instant at(double second) const;

  Dice dice_;
  double load_;
  Instant start_;                  // of this round, moved on by pauses
  std::optional<Instant> paused_;  // since
  std::vector<Beat> beats_;        // of this round, by time
  std::vector<Requests> requests_;
  std::size_t next_ = 0;
  std::size_t chapter_ = 0;
  std::uint64_t round_ = 0;
  double site_w_ = 0;  // usually drawn
  std::optional<Instant> heard_;
};

}  // namespace drover::commands
