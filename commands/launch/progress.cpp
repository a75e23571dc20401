#include "commands/launch/progress.h"

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
    : hosts_(std::move(hosts)), status_(hosts_.size(), "waiting"), style_(style) {}

LaunchProgress::Style LaunchProgress::style_for(std::size_t hosts) {
  if (isatty(STDERR_FILENO) == 0) return Style::plain;
  return hosts + 2 < terminal_size().ws_row ? Style::lines : Style::counter;
}

void LaunchProgress::set_status(std::size_t host, const std::string& status) {
  status_[host] = status;
  draw();
}

void LaunchProgress::done(std::size_t host, bool ok, const std::string& status) {
  status_[host] = status.empty() ? "done" : status;
  ++done_;
  if (!ok) ++failed_;
  if (style_ == Style::plain && !status.empty()) write_stderr("{}: {}\n", hosts_[host], status);
  draw();
}

void LaunchProgress::draw() {
  const std::size_t columns = terminal_size().ws_col;
  if (style_ == Style::counter) {
    write_stderr("{}{} of {} done, {} failed", clear_line, done_, counted(hosts_.size(), "host"),
                 failed_);
  }
  if (style_ == Style::lines) {
    std::string text;
    if (drawn_) text += fmt::format("\x1b[{}A", hosts_.size());
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const std::string line = fmt::format("{}: {}", hosts_[i], status_[i]);
      text += clear_line + excerpt(line, columns > 4 ? columns - 4 : 1) + "\n";
    }
    write_stderr_text(text);
  }
  drawn_ = true;
}

void LaunchProgress::finish() {
  if (style_ == Style::counter && drawn_) write_stderr("\n");
}

}  // namespace drover::commands
