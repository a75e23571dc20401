#include "devices/topology.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fleet/result.h"

namespace drover::devices {

namespace {

constexpr std::array<std::pair<std::string_view, LinkKind>, 5> kinds = {{
    {"host", LinkKind::host},
    {"pair", LinkKind::pair},
    {"mesh", LinkKind::mesh},
    {"switch", LinkKind::switched},
    {"torus", LinkKind::torus},
}};

/// The largest divisor of `number` that is at most its `root`-th root.
int divisor_near_root(int number, int root) {
  auto divisor = static_cast<int>(std::pow(number, 1.0 / root) + 1e-9);
  while (number % divisor != 0) --divisor;
  return divisor;
}

}  // namespace

std::optional<LinkKind> parse_link_kind(std::string_view name) {
  for (const auto& [known, kind] : kinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

std::string_view to_text(LinkKind kind) {
  for (const auto& [name, known] : kinds) {
    if (known == kind) return name;
  }
  return "host";
}

Torus torus_of(const LinkSpec& links, int chips) {
  DROVER_REQUIRE(chips >= 1 && links.axes >= 1 && links.axes <= 3);
  Torus torus;
  int left = chips;
  for (int axis = 0; axis < links.axes; ++axis) {
    const auto place = static_cast<std::size_t>(axis);
    torus.shape[place] = divisor_near_root(left, links.axes - axis);
    left /= torus.shape[place];
  }
  std::ranges::sort(torus.shape);
  for (std::size_t i = 0; i < 3; ++i) {
    torus.wraps[i] =
        links.wrap_min > 0 && torus.shape[i] > 1 && torus.shape[i] % links.wrap_min == 0;
  }
  return torus;
}

bool joined_by_links(const LinkSpec& links, int devices) {
  switch (links.kind) {
    case LinkKind::host:
      return false;
    case LinkKind::pair:
      return devices <= 2;
    default:
      return devices <= links.domain;
  }
}

double reach(const LinkSpec& links, int devices) {
  if (!joined_by_links(links, devices)) return links.host_bandwidth;
  if (links.kind != LinkKind::mesh || links.domain < 2) return links.bandwidth;
  // Of its links to all peers of the domain, a device can use those to the group's members.
  const double peers = std::max(1, devices - 1);
  return links.bandwidth * peers / static_cast<double>(links.domain - 1);
}

}  // namespace drover::devices
