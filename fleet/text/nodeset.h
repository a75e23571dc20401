// Sets of host names as people of clusters write them: `node[01-20]`, `gpu[1-2]-[0-1]`,
// `a[01-03,07],b`.
//
// A bracket holds numbers and ranges joined by commas; zeros before a number are part of the name.
// Several brackets in one word multiply. Commas outside brackets join words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

/// More than any fleet; a set is refused before it would take room for more.
inline constexpr std::size_t nodeset_names_max = 10'000;

/// A name (`is_name`) that begins with a letter or digit, so that no program can take it for an
/// option, and no system for a folder above.
bool is_host_name(std::string_view text);

/// Every name, in the order in which they are written; each is a host's (`is_host_name`). A name
/// said twice is an error. Errors begin with `place`.
Result<std::vector<std::string>> expand_nodeset(std::string_view text, std::string_view place);

/// A short text that names exactly these, sorted: expanding it gives them back. "" for none.
std::string fold_nodeset(std::vector<std::string> names);

}  // namespace drover
