#include "commands/router/bundles.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/limits.h"

namespace drover::commands {

void Bundles::add(WallTime now, Topic topic, std::string bytes) {
  if (bytes_ + bytes.size() > bundle_bytes_max ||
      open_.messages.size() >= codec::bundle_messages_max) {
    close();
  }
  bytes_ += bytes.size();
  open_.messages.push_back(std::move(bytes));
  due_ = std::min(due_, now + (topic == Topic::samples ? samples_wait_max : changes_wait_max));
}

void Bundles::close() {
  if (open_.messages.empty()) return;
  full_.push_back(std::exchange(open_, {}));
  bytes_ = 0;
  due_ = WallTime::min();  // full ones go out with the next turn
}

std::vector<Bundle> Bundles::take_due(WallTime now) {
  if (now >= due_) return take_all();
  return {};
}

std::vector<Bundle> Bundles::take_all() {
  close();
  due_ = WallTime::max();
  return std::exchange(full_, {});
}

}  // namespace drover::commands
