// Regular expressions of filters: RE2's syntax, which takes time linear in the text whatever the
// pattern is, so that a hostile one can stop nobody. https://github.com/google/re2/wiki/Syntax
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace drover::filter {

class Regex {
 public:
  /// Of one expression, its automaton included. A filter has at most 64 of them.
  static constexpr int bytes_max = 256 * 1024;

  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  /// Why the pattern is none, and the part of it that is to blame; empty: it is one.
  const std::string& problem() const;
  const std::string& problem_part() const;

  /// Whether it matches anywhere in the text, letters without regard to case. REQUIRES problem()
  /// is empty.
  bool is_in(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::filter
