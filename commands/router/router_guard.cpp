#include "commands/router/router_guard.h"

#include "commands/connection/allow_list.h"
#include "commands/connection/keys.h"
#include "commands/shell/output.h"
#include "fleet/base/text.h"
#include "fleet/keys/keys.h"

namespace drover::commands {

namespace {

constexpr Wall look_every = std::chrono::seconds(1);

}  // namespace

Status RouterGuard::open(const std::string& folder, Sockets& sockets) {
  if (folder.empty()) return {};
  const auto own = read_router_key(folder);
  if (!own) return own.error();
  const auto list = read_allow_list(folder);
  if (!list) return list.error();
  if (!list->unsafe.empty()) return error("{}", list->unsafe);
  if (const Status guarded = sockets.guard(own->secret); !guarded) return guarded;
  folder_ = folder;
  reload(sockets);
  return {};
}

void RouterGuard::look(Wall now, Sockets& sockets) {
  if (!on() || now < next_look_) return;
  next_look_ = now + look_every;
  const auto state = allow_list_state(folder_);
  if (!state) return keep_for_now(state.error());
  if (*state != state_) return reload(sockets);
  trouble_.clear();
}

void RouterGuard::reload(Sockets& sockets) {
  if (!on()) return;
  // Before the files: a change that comes between is seen at the next look.
  const auto state = allow_list_state(folder_);
  if (!state) return keep_for_now(state.error());
  auto list = read_allow_list(folder_);
  if (!list) return keep_for_now(list.error());
  state_ = *state;
  trouble_.clear();
  // Nobody is let in by a list that others may write.
  if (!list->unsafe.empty()) put_error("drover router: {}; nobody is let in\n", list->unsafe);
  for (const std::string& problem : list->problems) {
    put_error("drover router: {}; it lets nobody in\n", problem);
  }
  put_error("drover router: {} may come in\n", counted(list->keys.size(), "key"));
  sockets.admit(std::move(list->keys));
}

void RouterGuard::keep_for_now(const Error& trouble) {
  if (trouble_ == trouble.message) return;
  trouble_ = trouble.message;
  put_error("drover router: {}; who may come in stays as it was until that can be read\n",
            trouble_);
}

std::optional<std::string> RouterGuard::refuse(const Incoming& incoming,
                                               const Envelope& envelope) const {
  if (incoming.key == nullptr) return std::nullopt;
  return refusal(*incoming.key, incoming.from.channel, envelope);
}

}  // namespace drover::commands
