#include "commands/router/access_control.h"

#include "commands/connection/allow_list.h"
#include "commands/connection/keys.h"
#include "commands/shell/output.h"
#include "fleet/base/text.h"
#include "fleet/keys/keys.h"

namespace drover::commands {

namespace {

constexpr WallSpan allow_list_check_every = std::chrono::seconds(1);

}  // namespace

Status RouterAccessControl::open(const std::string& folder, Sockets& sockets) {
  if (folder.empty()) return {};
  DROVER_ASSIGN(const auto own, read_router_key(folder));
  DROVER_ASSIGN(const auto list, read_allow_list(folder));
  if (!list.unsafe.empty()) return error(ErrorKind::refused, "{}", list.unsafe);
  DROVER_TRY(sockets.require_keys(own.secret));
  folder_ = folder;
  reload(sockets);
  return {};
}

void RouterAccessControl::reload_if_changed(WallTime now, Sockets& sockets) {
  if (!on() || now < next_check_) return;
  next_check_ = now + allow_list_check_every;
  const auto state = allow_list_state(folder_);
  if (!state) return keep_list(state.error());
  if (*state != state_) return reload(sockets);
  problem_.clear();
}

void RouterAccessControl::reload(Sockets& sockets) {
  if (!on()) return;
  // The state is read before the files, so that the next check detects a change in between.
  const auto state = allow_list_state(folder_);
  if (!state) return keep_list(state.error());
  auto list = read_allow_list(folder_);
  if (!list) return keep_list(list.error());
  state_ = *state;
  problem_.clear();
  // A list that others may write to grants no access.
  if (!list->unsafe.empty()) {
    write_stderr("drover router: {}; no client is accepted\n", list->unsafe);
  }
  for (const std::string& problem : list->problems) {
    write_stderr("drover router: {}; this file grants no access\n", problem);
  }
  write_stderr("drover router: {} allowed\n", counted(list->keys.size(), "key"));
  sockets.allow_keys(std::move(list->keys));
}

void RouterAccessControl::keep_list(const Error& problem) {
  if (problem_ == problem.message) return;
  problem_ = problem.message;
  write_stderr("drover router: {}; the last allow-list stays in force until it can be read\n",
               problem_);
}

std::optional<std::string> RouterAccessControl::refuse(const Incoming& incoming,
                                                       const Envelope& envelope) const {
  if (incoming.key == nullptr) return std::nullopt;
  return refusal(*incoming.key, incoming.from.channel, envelope);
}

}  // namespace drover::commands
