#include "fleet/messages.h"

#include <array>

#include "fleet/result.h"

namespace drover {
namespace {

template <typename Enumeration, std::size_t count>
std::string_view name_of(const std::array<std::string_view, count>& names, Enumeration value) {
  const auto index = static_cast<std::size_t>(value);
  DROVER_REQUIRE(index < count);
  return names[index];
}

constexpr std::array<std::string_view, 2> device_class_names{"gpu", "tpu"};
constexpr std::array<std::string_view, 5> replica_state_names{"loading", "compiling", "ready",
                                                              "draining", "gone"};
constexpr std::array<std::string_view, 4> submit_status_names{"accepted", "exists", "conflict",
                                                              "refused"};
constexpr std::array<std::string_view, 3> health_names{"ok", "suspect", "lost"};
constexpr std::array<std::string_view, 3> severity_names{"info", "warning", "critical"};

}  // namespace

std::string_view to_text(DeviceClass device_class) {
  return name_of(device_class_names, device_class);
}

std::string_view to_text(ReplicaState state) { return name_of(replica_state_names, state); }

std::string_view to_text(SubmitStatus status) { return name_of(submit_status_names, status); }

std::string_view to_text(Health health) { return name_of(health_names, health); }

std::string_view to_text(Severity severity) { return name_of(severity_names, severity); }

}  // namespace drover
