// A minute of a small fleet's life as a dashboard hears it, drawn from one seed: samples, jobs,
// decisions, events, faults, alerts, audits and captions, each at its instant.
#pragma once

#include <vector>

#include "tests/tui/sample_fleet.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/history/stream_subscriber.h"

namespace drover::tui {

struct Told {
  Instant at{};
  Peer from;
  Envelope envelope;
};

/// The snapshot at the start, then `seconds` of news. In the middle a snapshot comes again, which
/// does not name what was raised before.
std::vector<Told> sample_stream(std::uint64_t seed, int seconds);

/// What is heard up to an instant, told to a dashboard from `next` on.
void tell(Dashboard& dashboard, const std::vector<Told>& stream, std::size_t& next, Instant to);

/// The same stream as a timeline, of which a dashboard can be the replay.
struct Remembered {
  explicit Remembered(const std::vector<Told>& stream, std::size_t bytes_max = timeline_bytes_max);
  InMemoryTimeline memory;
  Model model;
};

/// A dashboard that is told of the fleet as it lives.
std::unique_ptr<Dashboard> live_of(Size size, const std::string& view);

/// A dashboard that replays a timeline from an instant on, in a time that is the fleet's.
std::unique_ptr<Dashboard> replay_of(const Timeline& timeline, Size size, const std::string& view,
                                     Instant from, bool paused = false);

/// A frame as text and roles, but for its last row, where the connection speaks of itself, and for
/// so many below the first: of the past, 2 for the banner and the line of time.
std::string rows_of(const Canvas& canvas, int but = 0);

}  // namespace drover::tui
