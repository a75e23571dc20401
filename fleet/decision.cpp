#include "fleet/decision.h"

#include <array>

#include "fleet/base/result.h"

namespace drover {

std::string_view to_text(Action action) {
  static constexpr std::array<std::string_view, 5> names{"assign", "queue", "reject",
                                                         "start_replica", "retire_replica"};
  const auto index = static_cast<std::size_t>(action);
  DROVER_REQUIRE(index < names.size());
  return names[index];
}

}  // namespace drover
