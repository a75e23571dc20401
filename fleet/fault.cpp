#include "fleet/fault.h"

#include <array>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/whole_text.h"

namespace drover {
namespace {

/// One row per kind, in the order of FaultKind.
struct FaultFacts {
  std::string_view name;
  bool takes_value;
  double low, high;      // of the value
  double default_value;  // 0: there is none
  std::string_view expected;
};
constexpr std::array<FaultFacts, fault_kind_count> fault_table{{
    {"throttle", true, 0.05, 0.95, 0.5, "a share of the clock, 0.05 to 0.95"},
    {"hang", false, 0, 0, 0, ""},
    {"xid", true, 1, 999, 0, "an Xid's number, 1 to 999"},
    {"ecc", false, 0, 0, 0, ""},
    {"lose", false, 0, 0, 0, ""},
    {"slow-link", true, 0.001, 0.95, 0.1, "a share of the bandwidth, 0.001 to 0.95"},
    {"inlet", true, -30, 60, 0, "degrees, -30C to +60C"},
    {"fan", true, 0.1, 0.95, 0.5, "a share of the air, 0.1 to 0.95"},
    // AWS gives two minutes, GCP 30 s (assumed: from their documentation).
    {"reclaim", true, 1, 604'800, 120, "a notice of 1s to 7d"},
}};

const FaultFacts& facts(FaultKind kind) { return fault_table[static_cast<std::size_t>(kind)]; }

std::string known_names() {
  std::string names;
  for (const FaultFacts& one : fault_table) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  }
  return names;
}

/// "+10C" for inlet, "30s" for reclaim, a bare number for the others.
std::optional<double> read_value(FaultKind kind, std::string_view text) {
  if (kind == FaultKind::inlet) {
    if (!text.empty() && (text.back() == 'C' || text.back() == 'K')) text.remove_suffix(1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  }
  if (kind == FaultKind::reclaim) {
    if (const auto span = parse_duration(text, "notice")) return to_seconds(*span);
  }
  return parse_whole_text<double>(text);
}

}  // namespace

Duration total_duration(const Fault& fault) {
  if (fault.kind != FaultKind::reclaim) return fault.duration;
  return fault.duration + from_seconds(fault.amount);
}

std::string_view to_text(FaultKind kind) { return facts(kind).name; }

std::string to_text(const Fault& fault) {
  const std::string_view name = to_text(fault.kind);
  if (fault.kind == FaultKind::xid) return fmt::format("{}={}", name, fault.code);
  if (fault.kind == FaultKind::inlet) return fmt::format("{}={:+g}C", name, fault.amount);
  if (!facts(fault.kind).takes_value) return std::string(name);
  return fmt::format("{}={:g}", name, fault.amount);
}

Result<Fault> parse_fault(std::string_view text) {
  const std::size_t sign = text.find('=');
  const std::string_view name = text.substr(0, sign);
  for (std::size_t i = 0; i < fault_table.size(); ++i) {
    const FaultFacts& one = fault_table[i];
    if (one.name != name) continue;
    const auto kind = static_cast<FaultKind>(i);
    const bool given = sign != std::string_view::npos;
    const auto read =
        given ? read_value(kind, text.substr(sign + 1)) : std::optional(one.default_value);
    const bool wrong = given != one.takes_value && (given || one.default_value == 0);
    if (wrong || !read || (one.takes_value && !(*read >= one.low && *read <= one.high))) {
      return one.takes_value
                 ? error("found \"{}\", expected {}=VALUE with {}", printable(text), name,
                         one.expected)
                 : error("found \"{}\", expected {} without a value", printable(text), name);
    }
    const double value = *read;
    if (kind != FaultKind::xid) return Fault{kind, 0, value, {}};
    if (value != static_cast<double>(static_cast<std::uint32_t>(value))) {
      return error("found \"{}\", expected {}", printable(text), one.expected);
    }
    return Fault{kind, static_cast<std::uint32_t>(value), 0, {}};
  }
  return error("found \"{}\", expected one of {}", printable(text), known_names());
}

}  // namespace drover
