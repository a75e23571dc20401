#include "commands/connection/filter_option.h"

#include <utility>
#include <variant>

namespace drover::commands {

namespace {

/// Both lines moved in, so that they stand apart from the message.
std::string indented(std::string lines) {
  lines.insert(0, "  ");
  lines.insert(lines.find('\n') + 1, "  ");
  return lines;
}

}  // namespace

Option filter_option() {
  return {"filter", "EXPR", "only those for which it holds, such as 'kind==tpu & temp>70'"};
}

filter::Filter read_filter(Arguments& arguments, filter::Subjects of) {
  const std::string text = arguments.text("filter");
  auto parsed = filter::Filter::parse(text, of);
  if (auto* const filter = std::get_if<filter::Filter>(&parsed)) return std::move(*filter);
  const auto& problem = std::get<filter::Problem>(parsed);
  arguments.complain(
      error("--filter: {}\n{}", problem.message, indented(filter::marked(text, problem))));
  return {};
}

}  // namespace drover::commands
