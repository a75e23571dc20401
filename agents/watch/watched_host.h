// The core of a host whose devices are real: they are read, by a driver on that host or from a page
// of metrics, and never emulated. It registers the host, publishes its readings, and passes power
// caps on. No work runs there. A state machine without clock, socket, file, thread or log: readings
// arrive as values.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agents/agent.h"
#include "agents/watch/reading.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::agents {

struct WatchedHostSettings {
  std::string host;
  std::string rack;  // empty: not known
  std::string site;
  std::map<std::string, std::string> labels;
  Incarnation incarnation;
  Duration read_every = std::chrono::seconds(1);  // fleet time between readings
  bool control = false;                           // power caps may be set
};

/// Readings that failed in a row for this long make the host lost: the longer of the two.
inline constexpr Duration unreachable_after = std::chrono::seconds(12);
inline constexpr int unreachable_readings = 4;

/// Set the power cap of a device, and answer with `cap_set`.
struct CapBoard {
  std::string identity;
  double watts = 0;
};
using WatchEffect = std::variant<Send, Replaced, Left, CapBoard>;

class WatchedHost {
 public:
  /// The catalogue must outlive this.
  WatchedHost(WatchedHostSettings settings, const devices::Catalogue& catalogue);
  ~WatchedHost();

  /// Handles JoinAccepted: sets the heartbeat, and sends Register once there is a reading.
  void handle_join_accepted(Instant now, const JoinAccepted& accepted);
  void receive(Instant now, const Envelope& envelope);
  /// One reading of all devices. Devices that were not there before are added; those that are
  /// missing have no sample.
  void read(Instant now, const HostReading& reading);
  /// The host, or what reads it, did not answer.
  void failed(Instant now, const std::string& why);
  /// The driver's answer to CapBoard.
  void cap_set(Instant now, const CapBoard& asked, const Status& answer);
  void tick(Instant now);
  Instant next_deadline() const;
  std::vector<WatchEffect> take_effects();
  /// Restores the power caps and sends Leave.
  void leave(Instant now, const std::string& why);
  /// Counts a message that the shell could not decode; the count is sent to the router.
  void count_undecodable();

  std::size_t device_count() const;
  const WatchedHostSettings& settings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::agents
