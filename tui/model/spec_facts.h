// Every number of a device spec's text, with how it is known: what the limits of a device and the
// formulas behind its figures are told by. It reads the text that travels in Hello.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace drover::tui {

enum class Known : std::uint8_t { read, fitted, assumed };
std::string_view to_text(Known known);

struct SpecFact {
  double value = 0;
  Known known = Known::read;
  std::string note;  // fitted to what, assumed why
};

class SpecFacts {
 public:
  /// A text that does not parse tells nothing.
  explicit SpecFacts(std::string_view text);

  /// By "section.key"; null: not told.
  const SpecFact* find(std::string_view name) const;
  /// NaN: not told. Zeros of a spec say that nothing is known, but for what counts from zero.
  double value(std::string_view name) const;
  bool is_assumed(std::string_view name) const;
  /// Where the plain numbers of a section were read; empty: not told.
  std::string_view source_of(std::string_view section) const;

 private:
  std::map<std::string, SpecFact, std::less<>> facts_;
  std::map<std::string, std::string, std::less<>> sources_;  // "" for what no section says itself
};

}  // namespace drover::tui
