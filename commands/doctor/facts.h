// What the checks of `drover doctor` look at, as values: probes.h collects them, judgements.h
// judges them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/drivers/device_workers.h"
#include "commands/connection/router_address.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct TerminalFacts {
  bool interactive = false;  // standard output is a terminal
  std::string term;          // $TERM
  std::string problem;       // why the terminal database cannot describe it; empty: it can
  int columns = 0, rows = 0;
  int colours = 0;           // by the terminal database
  bool no_colour = false;    // $NO_COLOR
  bool true_colour = false;  // 24 bits, by $COLORTERM or the database
};

struct LocaleFacts {
  std::string name;  // of $LC_ALL, $LC_CTYPE or $LANG; empty: none is set
  bool installed = false;
  bool utf8 = false;
};

/// One of the three ports of a router: control, samples, publishing.
struct PortFacts {
  int port = 0;
  int error = 0;  // errno of an attempt to listen there; 0: it is free
};
struct PortsFacts {
  std::string endpoint;
  bool here = false;    // on this machine
  bool router = false;  // a router answers there
  std::vector<PortFacts> ports;
};

struct RouterFacts {
  std::string endpoint;
  std::string problem;   // why it was not reached; empty: it was
  bool answers = false;  // it is there, and refuses this connection if there is a problem
  std::string software;  // of the router
  std::string own;       // of this program
  std::optional<ConnectRefusal> refusal{};
};

struct ClockFacts {
  double monotonic_s = 0;  // that passed by the monotonic clock in `slept_s`
  double slept_s = 0;
  std::optional<double> offset_s;  // the router's time minus this machine's; no value: no router
  double round_trip_s = 0;
  double speed = 1;  // of the router
};

struct KeysFacts {
  std::string folder;
  bool exists = false;
  bool wanted = false;  // $DROVER_KEYS or --keys names it
  int keys = 0;
  std::vector<std::string> problems;
  bool loopback = true;  // the router's endpoint
};

struct DescriptorFacts {
  std::uint64_t soft = 0, hard = 0;  // of RLIMIT_NOFILE
};

struct DriverFacts {
  std::vector<agents::FoundDriver> drivers;
  bool ended = false;    // the search
  int nvidia_cards = 0;  // on the PCI bus
};

struct DiskPlace {
  std::string what;  // "ledger"
  std::string folder;
  std::string problem;  // why nothing can be written there; empty: it can
  std::uint64_t free_bytes = 0;
};

struct SettingsFacts {
  std::string path;  // empty: there is no home folder
  bool exists = false;
  std::string problem;
};

}  // namespace drover::commands
