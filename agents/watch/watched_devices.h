// The devices of a watched host in the order in which they were found, and the specs that a
// Register has of them. Whatever a page says, there are no more than a router accepts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/watch/board_spec.h"
#include "agents/watch/reading.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::agents {

struct WatchedDevice {
  std::string identity;
  SpecFacts facts;      // from which its spec is made
  std::string spec_id;  // of that spec
  Board board;
  Board sent;  // as last reported
  Instant sent_at{};
  bool reported = false;    // since the last Register
  std::string lost;         // why it does not answer; empty: it does
  double cap_w = 0;         // its power cap at the last reading; 0: not known
  double cap_before_w = 0;  // before the router set one; 0: it has set none
  bool capped = false;      // the driver has set one since
  bool takes_caps = true;   // the driver has not refused one
};

class WatchedDevices {
 public:
  /// The catalogue must outlive this. `control`: power caps may be set.
  WatchedDevices(const devices::Catalogue& catalogue, bool control)
      : catalogue_(catalogue), control_(control) {}

  /// Adds those that were not there before, in the order of their numbers.
  void add_new(const HostReading& reading);
  /// Takes over what the reading says about the device and its spec.
  void update(WatchedDevice& device, const BoardReading& reading);

  /// Null: there is none with this identity.
  WatchedDevice* find(std::string_view identity);
  std::vector<WatchedDevice>& list() { return devices_; }
  const std::vector<WatchedDevice>& list() const { return devices_; }

  /// Neighbours of the same kind. Which of them share a fast interconnect is not known.
  std::vector<Group> groups() const;
  /// The specs of these groups, each once. From then on `specs_changed` is false.
  std::vector<SpecText> take_specs(const std::vector<Group>& groups);
  bool specs_changed() const { return specs_changed_; }

 private:
  void drop_unused_specs();

  const devices::Catalogue& catalogue_;
  bool control_;
  std::vector<WatchedDevice> devices_;
  std::vector<SpecText> specs_;
  bool specs_changed_ = false;
};

}  // namespace drover::agents
