// A dashboard of a fleet in this process: passes the fleet's messages to it, and its requests back.
#pragma once

#include "commands/readings/local_fleet.h"
#include "tui/dashboard.h"

namespace drover::commands {

class LocalViewer {
 public:
  LocalViewer(LocalFleet& fleet, tui::Dashboard& core) : fleet_(fleet), core_(core) {}

  /// Joins the fleet. Call it once, before `exchange`.
  void join(Instant now);
  /// Passes messages both ways until neither side has any. Returns the dashboard's other effects,
  /// which are its shell's.
  std::vector<tui::Effect> exchange(Instant now);
  /// Called with each message before the dashboard gets it.
  std::function<void(Peer, const Envelope&)> on_message;

 private:
  LocalFleet& fleet_;
  tui::Dashboard& core_;
  std::uint64_t sequence_ = 0;
};

}  // namespace drover::commands
