// A family of metrics of `/metrics`: its name, type and meaning. docs/metrics.md lists all of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::commands {

/// untyped: for a maker's name that Prometheus' rules forbid for its type: a counter that does not
/// end in `_total`, or a gauge that does.
enum class FamilyType : std::uint8_t { gauge, counter, histogram, untyped };
inline constexpr FamilyType gauge = FamilyType::gauge;
inline constexpr FamilyType counter = FamilyType::counter;
inline constexpr FamilyType histogram = FamilyType::histogram;
inline constexpr FamilyType untyped = FamilyType::untyped;
std::string_view to_text(FamilyType type);

struct Family {
  std::string_view name;
  FamilyType type = FamilyType::gauge;
  std::string_view unit;    // of the values; empty: a number of things, or a code
  std::string_view labels;  // "class, state"; of devices, the set's name: "GPU"
  std::string_view help;
};

/// The two forms of a page. Prometheus asks for OpenMetrics, which has exemplars.
enum class PageFormat : std::uint8_t { text, openmetrics };
inline constexpr int page_format_count = 2;
std::string_view content_type_of(PageFormat format);

}  // namespace drover::commands
