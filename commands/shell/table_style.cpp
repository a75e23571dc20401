#include "commands/shell/table_style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "fleet/base/text.h"

namespace drover::commands {
namespace {

bool refuses_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_colour != nullptr && *no_colour != '\0') ||
         (terminal != nullptr && std::string_view(terminal) == "dumb");
}

}  // namespace

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (::isatty(descriptor) == 0 || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

Option colour_option() {
  return {"colour", "WHEN",
          "auto (default: on a terminal, unless NO_COLOR is set), always or never"};
}

TableStyle table_style(std::string_view mode, const OutputFacts& facts) {
  TableStyle style;
  style.colour = mode == "always" || (mode == "auto" && facts.terminal && !facts.no_colour);
  style.columns_max = facts.terminal ? facts.columns : 0;
  return style;
}

TableStyle read_table_style(Arguments& arguments) {
  const std::string mode = arguments.one_of("colour", {"auto", "always", "never"}, "auto");
  return table_style(
      mode, {::isatty(STDOUT_FILENO) != 0, refuses_colour(), terminal_size(STDOUT_FILENO).columns});
}

std::string wrapped_for_terminal(const std::string& lines, int descriptor) {
  const std::size_t columns = terminal_size(descriptor).columns;
  constexpr std::size_t least = 20;  // narrower ones wrap by themselves
  return columns < least ? lines : wrapped_with_indent(lines, columns);
}

}  // namespace drover::commands
