// Archives that every tar can read (ustar), for a handful of files with short names.
#pragma once

#include <string>
#include <string_view>

namespace drover::launch {

/// Appends a file. REQUIRES a name of at most 100 bytes and less than 8 GiB.
void add_to_tar(std::string& tar, std::string_view name, unsigned mode, std::string_view content);

/// Ends the archive with two empty blocks.
void end_tar(std::string& tar);

}  // namespace drover::launch
