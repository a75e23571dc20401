#include "commands/query/repeated_output.h"

#include <unistd.h>

#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

constexpr WallSpan every_usual = std::chrono::seconds(1);
constexpr WallSpan every_min = std::chrono::milliseconds(100);

/// Cursor to the top left; what follows replaces the old text, and the rest of that is erased.
constexpr std::string_view cursor_home = "\x1b[H", erase_line = "\x1b[K", erase_below = "\x1b[J";
constexpr std::string_view clear_screen = "\x1b[H\x1b[2J";

/// Each line erases what the text before had to its right, so that nothing flickers. Lines that the
/// screen has no room for are counted.
std::string in_place(const std::string& text, std::size_t rows) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  if (rows > 1 && lines.size() > rows - 1) {
    const std::size_t hidden = lines.size() - (rows - 2);
    lines.resize(rows - 2);
    lines.push_back(counted(hidden, "more line"));
  }
  std::string shown(cursor_home);
  for (const std::string& line : lines) shown.append(line).append(erase_line).append("\n");
  return shown.append(erase_below);
}

}  // namespace

struct RepeatedOutput::Signals {
  StopSignals stop;
};

Option watch_option() {
  return {"watch", "[=DURATION]", "print it again every second, or DURATION, until Ctrl-C"};
}

std::optional<WallSpan> read_watch(Arguments& arguments) {
  if (!arguments.has("watch")) return std::nullopt;
  if (arguments.text("watch").empty()) return every_usual;
  const WallSpan every = arguments.duration("watch", every_usual);
  if (every < every_min) arguments.add_problem(error("--watch: expected at least 100ms"));
  return every;
}

RepeatedOutput::RepeatedOutput(std::optional<WallSpan> every) : every_(every) {
  if (every) signals_ = std::make_unique<Signals>();
}

RepeatedOutput::~RepeatedOutput() = default;

CommandOutcome RepeatedOutput::print(Session& session, const Text& text) {
  if (!signals_) {
    DROVER_ASSIGN(const auto once, text());
    write_stdout_text(once);
    return CommandOutcome::done();
  }
  session.sockets().watch(signals_->stop.descriptor());
  const bool terminal = output_facts(STDOUT_FILENO).rows > 0;
  if (terminal) write_stdout_text(clear_screen);
  while (!signals_->stop.stopped() && !output_closed()) {
    const WallTime next = wall_now() + *every_;
    auto shown = text();
    // A router that restarts comes back: on a terminal the reason stands in the place of the table
    // until then. What other programs read are tables only.
    if (!shown && shown.error().kind != ErrorKind::lost) return shown.error();
    if (shown && !terminal) write_stdout_text(*shown);
    if (!shown && !terminal) write_stderr("{}\n", shown.error().message);
    if (terminal) {
      const std::string table = shown ? *shown : shown.error().message + "\n";
      write_stdout_text(in_place(table, output_facts(STDOUT_FILENO).rows));
    }
    DROVER_TRY(flush_output());
    while (wall_now() < next && !signals_->stop.stopped() && !output_closed()) {
      session.wait_until(next);
      session.keep_joined();
    }
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
