// The demo's story: planned faults and bursts of work, with captions. It takes a quarter of an hour
// of fleet time (90 wall seconds at the demo's speed) and repeats, from one seed.
//
// Pure: time goes in, messages for the router come out. The faults are those of `drover inject`,
// the cap is that of `drover cap`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fleet/base/random_stream.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::commands {

/// One part of the story, until the next one begins.
struct Chapter {
  double begins_s;           // fleet seconds since the start of the story
  std::string_view caption;  // cause, effect and reason; with "Story 1/8: " two rows of 80 columns
  std::string_view key;      // of the dashboard's view that shows it
  std::string_view view;     // its name
  std::string_view metric;   // of the heat map
  std::string_view device;   // that it is about; or empty
};
std::span<const Chapter> chapters();

/// The length of the story in fleet seconds; then it repeats.
inline constexpr double story_s = 900;

class Story {
 public:
  /// `load` multiplies the requests of its bursts.
  Story(std::uint64_t seed, double load, Instant start);

  /// Uses the fleet's current power: the story's cap is a share of it.
  void receive(Instant now, const Summary& summary);

  /// The actions that are due, with at most `room` jobs; none while the story is paused. Further
  /// jobs come later, or not at all if the story repeats before.
  struct StoryActions {
    std::vector<Message> messages;  // InjectFault, SetPowerCap
    std::vector<Job> jobs;
    bool empty() const { return messages.empty() && jobs.empty(); }
  };
  StoryActions due(Instant now, std::size_t room = SIZE_MAX);
  Instant next_deadline();

  /// Pauses or continues. Faults that are in force end by themselves meanwhile.
  void toggle(Instant now);
  bool paused() const { return paused_.has_value(); }

  /// The current caption.
  Caption caption() const;

 private:
  struct StoryEvent {
    double at_s;
    std::function<void(StoryActions&)> act;
  };
  /// Similar requests, drawn one by one: with a large load not all of them fit into memory.
  struct Requests {
    RandomStream random;
    double every_s;  // mean time between two
    double to_s;
    Job like;
    double at_s;  // of the next one; `to_s` or later: there is none
  };
  void write_next_round();
  void add(double at_s, Message message);
  void add_requests(const char* name, double from_s, double to_s, double rate_per_s, Job like);
  Requests* next_requests();  // with the earliest next request; null: none is left
  static Job draw(Requests& requests);
  Instant at(double second) const;

  RandomStream random_;
  double load_;
  Instant start_;                   // of this round, shifted by pauses
  std::optional<Instant> paused_;   // since
  std::vector<StoryEvent> events_;  // of this round, by time
  std::vector<Requests> requests_;
  std::size_t next_ = 0;
  std::size_t chapter_ = 0;
  std::uint64_t round_ = 0;
  double site_w_ = 0;                // moving mean of the site's power
  std::optional<Instant> received_;  // the last summary
};

}  // namespace drover::commands
