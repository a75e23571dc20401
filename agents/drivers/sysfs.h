// Small files of the kernel, in /sys and /proc: what one says, or why it says nothing.
//
// An absent file, an empty one, and one that answers with an error are all common: each driver
// shows what its board has. Such an error is a value here, in words for people who ask why a
// metric is missing. Its kind is not_found for an absent file, refused where only root may.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover::agents {

inline constexpr std::size_t kernel_file_bytes_max = 4096;  // a page: files of /sys have no more
inline constexpr std::size_t folder_names_max = 100'000;

/// The file's text without the white space around it. Longer files are an error.
Result<std::string> read_kernel_file(const std::string& path,
                                     std::size_t bytes_max = kernel_file_bytes_max);

/// The file's bytes as they are; of a longer one, the beginning.
Result<std::string> read_kernel_bytes(const std::string& path, std::size_t bytes_max);

/// The number that the file consists of, times `scale`.
Result<double> read_kernel_number(const std::string& path, double scale = 1);

/// Whether the driver has no such file. One that cannot be read now is there: the board may be
/// suspended.
bool is_absent(const std::string& path);

/// Writes to a file that exists, such as power1_cap.
Status write_kernel_file(const std::string& path, std::string_view text);

/// Why a file with this name cannot be read: "the driver does not support it (EINVAL)".
std::string reason_of_errno(int code, std::string_view name);

/// Calls with each name in the folder, in no order, `.` and `..` left out. The result is an errno.
int for_each_name(const std::string& folder, const std::function<void(const char*)>& call);

/// The names in a folder that begin with `prefix`, in natural order; none without the folder.
std::vector<std::string> folder_names(const std::string& folder, std::string_view prefix = "");

/// Where a symbolic link leads; empty: it is none.
std::string link_target(const std::string& path);

/// The value of a line KEY=VALUE or `KEY: VALUE`; empty: there is none.
std::string_view value_of_key(std::string_view text, std::string_view key, char separator = '=');

}  // namespace drover::agents
