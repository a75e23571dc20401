// What could stand at the cursor of a filter that is being written.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/filter/filter_fields.h"

namespace drover::filter {

/// More are not offered.
inline constexpr std::size_t completions_max = 50;

/// Each of `words` may replace the text from `at` up to the cursor. Both in bytes.
struct Completion {
  std::size_t at = 0;
  std::vector<std::string> words;
  bool operator==(const Completion&) const = default;
};

/// The values of a text field that are known, in the order in which they are offered; may be null.
using KnownValues = std::function<std::vector<std::string>(Field)>;

/// Only what stands before the cursor counts. A field that is whole is offered with its signs,
/// values that are no plain words in quotes. A cursor beyond the text is at its end.
Completion complete(std::string_view text, std::size_t cursor, const KnownValues& known = nullptr,
                    Subjects of = anything);

}  // namespace drover::filter
