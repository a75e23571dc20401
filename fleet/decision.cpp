#include "fleet/decision.h"

#include <array>

#include "fleet/base/enum_tables.h"

namespace drover {

std::string_view to_text(Action action) {
  static constexpr std::array<std::string_view, 5> names{"assign", "queue", "reject",
                                                         "start_replica", "retire_replica"};
  return row_at(names, action);
}

}  // namespace drover
