// Completions for a filter that is being typed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/filter/fields.h"

namespace drover::filter {

/// Maximum number of completions.
inline constexpr std::size_t completions_max = 50;

/// Each of `words` can replace the text from byte `at` up to the cursor.
struct Completion {
  std::size_t at = 0;
  std::vector<std::string> words;
  bool operator==(const Completion&) const = default;
};

/// Returns the known values of a text field, in the order in which they are offered. May be null.
using KnownValues = std::function<std::vector<std::string>(Field)>;

/// Completes the text before the cursor (in bytes; limited to the text's length). A complete field
/// is offered with its operators. Values that are not plain words are quoted.
Completion complete(std::string_view text, std::size_t cursor, const KnownValues& known = nullptr,
                    Subjects of = anything);

}  // namespace drover::filter
