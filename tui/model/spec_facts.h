// Every number of a device spec's text, with its provenance. The limits of a device and the
// formulas of its metrics use it. It parses the spec text of the Register message.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace drover::tui {

enum class Provenance : std::uint8_t { read, fitted, assumed };
std::string_view to_text(Provenance known);

struct SpecFact {
  double value = 0;
  Provenance known = Provenance::read;
  std::string note;  // what it was fitted to, or why it was assumed
};

class SpecFacts {
 public:
  /// A text that does not parse gives no facts.
  explicit SpecFacts(std::string_view text);

  /// Finds "section.key"; null if the spec lacks it.
  const SpecFact* find(std::string_view name) const;
  /// NaN if unknown. A zero in a spec means unknown, except for counts that may be zero.
  double value(std::string_view name) const;
  bool is_assumed(std::string_view name) const;
  /// The class as the spec has it, such as "gpu" or "tpu"; empty if it has none.
  std::string_view device_class() const { return device_class_; }
  /// Whether the device is real: read, not emulated.
  bool real() const { return real_; }
  /// "nvidia"; empty: the spec has none.
  std::string_view vendor() const { return vendor_; }
  /// Empty: the spec has none.
  std::string_view name() const { return name_; }
  bool has_section(std::string_view section) const;
  /// The source of a section's plain numbers; empty if unknown.
  std::string_view source_of(std::string_view section) const;

 private:
  std::string device_class_, name_, vendor_;
  bool real_ = false;
  std::map<std::string, SpecFact, std::less<>> facts_;
  std::map<std::string, std::string, std::less<>> sources_;  // "": for sections without their own
};

}  // namespace drover::tui
