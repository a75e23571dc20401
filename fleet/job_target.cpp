#include "fleet/job_target.h"

#include <algorithm>

#include "fleet/base/whole_text.h"

namespace drover {

std::optional<TargetPart> take_target_part(std::string_view& target) {
  if (target.empty()) return std::nullopt;
  const std::string_view part = target.substr(0, target.find(' '));
  target.remove_prefix(std::min(part.size() + 1, target.size()));
  const std::size_t slash = part.find('/');
  if (slash == 0 || slash == std::string_view::npos) return TargetPart{};
  return TargetPart{part.substr(0, slash), part.substr(slash + 1)};
}

std::optional<std::uint32_t> replica_in(std::string_view place) {
  if (!place.starts_with('r')) return std::nullopt;
  return parse_whole_text<std::uint32_t>(place.substr(1));
}

bool lists_device(std::string_view place, std::uint32_t index) {
  while (!place.empty()) {
    const std::string_view range = place.substr(0, place.find(','));
    place.remove_prefix(std::min(place.size(), range.size() + 1));
    const std::size_t dash = range.find('-');
    const auto from = parse_whole_text<std::uint32_t>(range.substr(0, dash));
    const auto to = dash == std::string_view::npos
                        ? from
                        : parse_whole_text<std::uint32_t>(range.substr(dash + 1));
    if (from && to && *from <= index && index <= *to) return true;
  }
  return false;
}

}  // namespace drover
