// How a router core is made: settings in fleet time from limits in wall time, the policy's text,
// and the instant at which it begins. The same value starts the live core and, from a journal, its
// replay.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "router/ledger/retention.h"
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
  bool operator==(const RouterStart&) const = default;
};

/// The policy as the core will follow it. The error names file, line and key.
Result<router::Policy> read_policy(const RouterStart& start);

/// Limits of wall time as spans of fleet time.
router::RouterSettings router_settings(const RouterStart& start);

/// The catalogue must outlive the router.
Result<std::unique_ptr<router::Router>> make_router(const RouterStart& start,
                                                    const devices::Catalogue& catalogue);

/// For the journal's first record, and back.
std::string to_text(const RouterStart& start);
Result<RouterStart> parse_router_start(std::string_view text);

}  // namespace drover::commands
