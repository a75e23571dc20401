// Collects the facts that `drover doctor` judges. Nothing is changed: no file is left, no key made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/connection/router_address.h"
#include "commands/connection/session.h"
#include "commands/doctor/facts.h"

namespace drover::commands {

/// An attempt to reach the router, which several checks share.
struct RouterProbe {
  RouterAddress address;
  std::unique_ptr<Session> session;  // null: not reached
  std::string problem;
  bool answers = false;  // there is a router, though perhaps it does not let this user in
  double round_trip_s = 0;
  double offset_s = 0;
  std::optional<ConnectRefusal> refusal{};
};
/// Waits at most a second and a half for each of two answers.
RouterProbe probe_router(const RouterAddress& address);

TerminalFacts probe_terminal();
LocaleFacts probe_locale();
PortsFacts probe_ports(const RouterProbe& router);
ClockFacts probe_clock(const RouterProbe& router);
KeysFacts probe_keys(const RouterAddress& address);
DescriptorFacts probe_descriptors();
/// Waits for drivers at most five seconds.
DriverFacts probe_drivers();
std::vector<DiskPlace> probe_disk();
SettingsFacts probe_settings();

}  // namespace drover::commands
