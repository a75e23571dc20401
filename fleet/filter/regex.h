// Regular expressions of filters, in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax).
// Matching takes time linear in the text for every pattern, so untrusted patterns are safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace drover::filter {

class Regex {
 public:
  /// Memory limit of one expression with its automaton. A filter has at most 64 expressions.
  static constexpr int bytes_max = 256 * 1024;

  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  /// Why the pattern is invalid, and the part that is; empty for a valid pattern.
  const std::string& problem() const;
  const std::string& problem_part() const;

  /// Whether it matches anywhere in the text, case-insensitively. REQUIRES problem() is empty.
  bool is_in(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::filter
