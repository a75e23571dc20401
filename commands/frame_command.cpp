// `drover frame`: the exact frame that top would show, as text.
#include <fmt/format.h>

#include "commands/dashboard_loop.h"
#include "commands/output.h"
#include "commands/replay.h"
#include "commands/verbs.h"

namespace drover::commands {

namespace {

constexpr Wall patience = std::chrono::seconds(5);

}  // namespace

Usage frame_usage() {
  return {
      "usage: drover frame [options]",
      "One frame of the dashboard as text, without a terminal: for scripts, tickets and tests.\n"
      "Waits until the whole fleet is known and each host has reported once, at most 5 s.\n"
      "With --replay the frame of one moment of a recording, always the same.",
      {connect_option(),
       replay_option(),
       replay_at_option(),
       view_option(),
       ascii_option(),
       history_option(),
       size_option(),
       {"ansi", "", "with colours"}},
      {},
      "  drover frame\n"
      "  drover frame --view devices --size 160x50\n"
      "  drover frame --ansi > frame.txt\n"
      "  drover frame --replay today.mcap --at 90s --view devices"};
}

Outcome run_frame(Arguments& arguments) {
  const DashboardView view = read_view(arguments);
  const tui::Size size = read_size(arguments, {120, 40});
  const auto replay = read_replay(arguments);
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  if (replay) return print_replay(*replay, view, size, arguments.has("ansi"));
  const RouterAddress endpoint = endpoint_of(arguments);
  auto session = Session::open({endpoint, Role::viewer, "frame"});
  if (!session) return Outcome::failed(session.error());
  auto loop = DashboardLoop::open(**session, view, endpoint, size);
  if (!loop) return Outcome::failed(loop.error());
  const Wall end = wall_now() + patience;
  while (!(*loop)->core().settled() && wall_now() < end) {
    (*loop)->turn(std::chrono::milliseconds(50));
  }
  const tui::Canvas& canvas = (*loop)->core().draw((*session)->clock().now());
  put_text(arguments.has("ansi") ? canvas.to_ansi() : canvas.to_text());
  if ((*loop)->core().settled()) return Outcome::done();
  return Outcome::partly("not every host had reported after 5 s");
}

}  // namespace drover::commands
