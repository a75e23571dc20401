#include "commands/shell/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
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
