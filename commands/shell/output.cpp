#include "commands/shell/output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace drover::commands {

namespace {

int first_problem = 0;  // errno of the first failure on standard output
bool used = false;

void note_problem() {
  if (first_problem == 0) first_problem = errno;
}

}  // namespace

void reserve_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is this one. Opened for reading: writing fails.
    const int opened = ::open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != number) ::close(opened);
  }
}

void write_stdout_text(std::string_view text) {
  used = used || !text.empty();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_problem();
}

void write_stderr_text(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

OutputFacts output_facts(int descriptor) {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  OutputFacts facts;
  facts.terminal = ::isatty(descriptor) != 0;
  facts.no_colour = (no_colour != nullptr && *no_colour != '\0') ||
                    (terminal != nullptr && std::string_view(terminal) == "dumb");
  winsize size{};
  if (!facts.terminal || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return facts;
  facts.columns = size.ws_col;
  facts.rows = size.ws_row;
  return facts;
}

std::string wrapped_for_terminal(const std::string& lines, int descriptor) {
  constexpr std::size_t columns_min = 20;  // narrower ones wrap by themselves
  const std::size_t columns = output_facts(descriptor).columns;
  return columns < columns_min ? lines : wrapped_with_indent(lines, columns);
}

bool stdout_used() { return used; }

Status flush_output() {
  if (std::fflush(stdout) != 0) note_problem();
  if (first_problem == 0 || first_problem == EPIPE) return {};
  return error(ErrorKind::io, "standard output: {}", std::strerror(first_problem));
}

bool output_closed() {
  if (first_problem == EPIPE) return true;
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

}  // namespace drover::commands
