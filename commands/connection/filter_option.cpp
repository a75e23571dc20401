#include "commands/connection/filter_option.h"

#include <utility>
#include <variant>

namespace drover::commands {

namespace {

/// Indents both lines, which sets them apart from the message.
std::string indented(std::string lines) {
  lines.insert(0, "  ");
  lines.insert(lines.find('\n') + 1, "  ");
  return lines;
}

}  // namespace

Option filter_option() {
  return {"filter", "EXPR", "show only what matches EXPR, such as 'kind==tpu & temp>70'"};
}

filter::Filter read_filter(Arguments& arguments, filter::Subjects of) {
  const std::string text = arguments.text("filter");
  auto parsed = filter::Filter::parse(text, of);
  if (auto* const filter = std::get_if<filter::Filter>(&parsed)) return std::move(*filter);
  const auto& problem = std::get<filter::Problem>(parsed);
  arguments.add_problem(error("--filter: {}\n{}", problem.message,
                              indented(filter::underline_problem(text, problem))));
  return {};
}

}  // namespace drover::commands
