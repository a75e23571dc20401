#include "commands/launch/launch_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "commands/shell/output.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

winsize terminal_size() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size = {24, 80, 0, 0};
  return size;
}

constexpr const char* clear_line = "\r\x1b[K";

}  // namespace

LaunchProgress::LaunchProgress(std::vector<std::string> hosts, Style style)
    : hosts_(std::move(hosts)), said_(hosts_.size(), "waiting"), style_(style) {}

LaunchProgress::Style LaunchProgress::style_for(std::size_t hosts) {
  if (isatty(STDERR_FILENO) == 0) return Style::plain;
  return hosts + 2 < terminal_size().ws_row ? Style::lines : Style::counter;
}

void LaunchProgress::tell(std::size_t host, const std::string& what) {
  said_[host] = what;
  draw();
}

void LaunchProgress::done(std::size_t host, bool well, const std::string& what) {
  said_[host] = what;
  ++done_;
  if (!well) ++failed_;
  if (style_ == Style::plain) put_error("{}: {}\n", hosts_[host], what);
  draw();
}

void LaunchProgress::draw() {
  const std::size_t columns = terminal_size().ws_col;
  if (style_ == Style::counter) {
    put_error("{}{} of {} done, {} failed", clear_line, done_, counted(hosts_.size(), "host"),
              failed_);
  }
  if (style_ == Style::lines) {
    std::string text;
    if (drawn_) text += fmt::format("\x1b[{}A", hosts_.size());
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const std::string line = fmt::format("{}: {}", hosts_[i], said_[i]);
      text += clear_line + excerpt(line, columns > 4 ? columns - 4 : 1) + "\n";
    }
    put_error_text(text);
  }
  drawn_ = true;
}

void LaunchProgress::finish() {
  if (style_ == Style::counter && drawn_) put_error("\n");
}

}  // namespace drover::commands
