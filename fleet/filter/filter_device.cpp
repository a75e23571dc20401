#include "fleet/filter/filter_device.h"

namespace drover::filter {

void show_states(const DeviceStanding& standing, TextTest& test) {
  for (const DeviceState state : states_of(standing)) {
    if (test.see(to_text(state))) return;
  }
}

bool is_about_device(std::string_view subject, std::string_view device, std::string_view host) {
  return subject == device || subject == host;
}

}  // namespace drover::filter
