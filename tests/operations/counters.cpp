#include "tests/operations/counters.h"

#include <fmt/format.h>

namespace drover::operations {

Mismatches Counters::take(const FleetSnapshot& look) {
  Mismatches complaints;
  growth_.hold_status(look.json("status --json"), complaints);
  const Json& hosts = look.table("hosts");
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    for (const char* const column : {"router_sample_gaps", "samples_skipped", "undecodable"}) {
      const std::string name = fmt::format("hosts: {} {}", hosts[at]["host"].text(), column);
      growth_.hold(name, hosts[at][column].number(), complaints);
    }
  }
  return complaints;
}

}  // namespace drover::operations
