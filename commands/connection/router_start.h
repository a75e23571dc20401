// The inputs from which a router core is made: settings, the policy's text, and the instant at
// which it begins. The same value starts the live core and, read from a journal, its replay.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "router/ledger/compactor.h"
#include "router/router.h"

namespace drover::commands {

struct RouterStart {
  double speed = 1;
  std::uint64_t seed = 1;
  std::string samples_endpoint;
  std::string publish_endpoint;
  std::string policy_text;
  std::string policy_place;  // the file's name, for messages; empty: the built-in policy
  Instant start{};
  router::Retention retention;
  bool control = false;  // power caps may be set on real devices
  bool operator==(const RouterStart&) const = default;
};

/// The policy, with its durations in fleet time. The error names file, line and key.
Result<router::Policy> read_policy(const RouterStart& start);

/// The core's settings; limits of wall time are converted to fleet time.
router::RouterSettings router_settings(const RouterStart& start);

/// The catalogue must outlive the router.
Result<std::unique_ptr<router::Router>> make_router(const RouterStart& start,
                                                    const devices::Catalogue& catalogue);

/// The text of the journal's first record, and its parser.
std::string to_text(const RouterStart& start);
Result<RouterStart> parse_router_start(std::string_view text);

}  // namespace drover::commands
