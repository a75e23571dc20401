#include "fleet/filter/regex.h"

#include <re2/re2.h>

namespace drover::filter {

namespace {

re2::RE2::Options options() {
  re2::RE2::Options chosen;
  chosen.set_case_sensitive(false);
  chosen.set_log_errors(false);
  chosen.set_never_capture(true);
  chosen.set_max_mem(Regex::bytes_max);
  return chosen;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Regex::State {
  explicit State(std::string_view pattern) : expression(piece(pattern), options()) {}
  re2::RE2 expression;
};

Regex::Regex(std::string_view pattern) : state_(std::make_unique<State>(pattern)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

const std::string& Regex::problem() const { return state_->expression.error(); }
const std::string& Regex::problem_part() const { return state_->expression.error_arg(); }

bool Regex::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), state_->expression);
}

}  // namespace drover::filter
