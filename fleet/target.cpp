#include "fleet/target.h"

#include <array>

#include <fmt/format.h>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, 5> target_kind_names{"device", "host", "rack", "pool",
                                                            "site"};

constexpr std::string_view forms = "device:HOST/N, host:HOST, rack:RACK, pool:POOL or site";

}  // namespace

std::string to_text(const Target& target) {
  const std::string_view kind = target_kind_names[static_cast<std::size_t>(target.kind)];
  if (target.kind == TargetKind::site) return std::string(kind);
  if (target.kind != TargetKind::device) return fmt::format("{}:{}", kind, target.name);
  return fmt::format("{}:{}/{}", kind, target.name, target.device);
}

Result<Target> parse_target(std::string_view text) {
  if (text == "site" || text == "all") return Target{};
  const std::size_t colon = text.find(':');
  for (std::size_t i = 0; i < target_kind_names.size(); ++i) {
    const auto kind = static_cast<TargetKind>(i);
    if (text.substr(0, colon) != target_kind_names[i] || colon == std::string_view::npos) continue;
    const std::string_view name = text.substr(colon + 1);
    if (kind == TargetKind::device) {
      const auto device = parse_device_id(name);
      if (!device) return error("target \"{}\": {}", printable(text), device.error().message);
      return Target{kind, device->host, device->index};
    }
    if (kind != TargetKind::site && is_name(name)) return Target{kind, std::string(name), 0};
  }
  if (const auto device = parse_device_id(text)) {
    return Target{TargetKind::device, device->host, device->index};
  }
  return error("target \"{}\": expected {}", printable(text), forms);
}

}  // namespace drover
