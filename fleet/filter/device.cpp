#include "fleet/filter/device.h"

namespace drover::filter {

void show_states(const DeviceCondition& condition, TextMatcher& test) {
  for (const DeviceState state : active_states(condition)) {
    if (test.match(to_text(state))) return;
  }
}

bool is_about_device(std::string_view subject, std::string_view device, std::string_view host) {
  return subject == device || subject == host;
}

}  // namespace drover::filter
