#include "router/hosts/boards.h"

namespace drover::router {

void Boards::handle(Instant now, const Caller& caller, const BoardReport& report) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  const Board& board = report.board;
  if (board.device >= fleet_state.hosts()[*host].devices.size()) {
    return rejected.drop(now, caller.entry.host,
                         fmt::format("device {}: no such device", board.device));
  }
  Board& known = boards[{*host, board.device}];
  if (known == board) return;
  known = board;
  outbox.publish(now, BoardChanged{caller.entry.host, board});
}

void Boards::forget_host(HostIndex host) {
  boards.erase(boards.lower_bound({host, 0}), boards.upper_bound({host, UINT16_MAX}));
}

}  // namespace drover::router
