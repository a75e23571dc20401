// Sets of host names in the notation of clusters: `node[01-20]`, `gpu[1-2]-[0-1]`, `a[01-03,07],b`.
//
// A bracket contains numbers and ranges separated by commas; leading zeros are part of the name.
// Several brackets in one word form all combinations. Commas outside brackets separate words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

/// Maximum number of names, checked before memory is allocated.
inline constexpr std::size_t nodeset_names_max = 10'000;

/// Whether the text is a name (`is_name`) that begins with a letter or digit, so that it cannot be
/// mistaken for an option or a parent directory.
bool is_host_name(std::string_view text);

/// All names in the order of the text. Each must satisfy `is_host_name`. A repeated name is an
/// error. Errors begin with `place`.
Result<std::vector<std::string>> expand_nodeset(std::string_view text, std::string_view place);

/// A short text for exactly these names, sorted. Its expansion is the names again. "" for none.
std::string fold_nodeset(std::vector<std::string> names);

}  // namespace drover
