#include "tui/tables/grouping.h"

namespace drover::tui {

const std::vector<std::string>& grouping_names() {
  static const std::vector<std::string> names = {"host", "rack", "pool", "kind", "state"};
  return names;
}

std::string_view to_text(Grouping grouping) {
  return grouping_names()[static_cast<std::size_t>(grouping)];
}

}  // namespace drover::tui
