// Key files on disk: written whole and never over another, read only when they are as safe as they
// must be.
#pragma once

#include <string>

#include "fleet/result.h"

namespace drover::commands {

enum class Secrecy { secret, open };  // 0600 and 0644

/// The folder (0700), made with those above it where they are absent.
Status make_key_folder(const std::string& path);
/// Nobody but its owner may write there: who may could let himself in.
Status check_key_folder(const std::string& path);

/// Writes a file that is not there yet, whole or not at all. Answers false when it was there.
Result<bool> write_new_key_file(const std::string& path, const std::string& text, Secrecy secrecy);

/// The text of a key file. A secret that others may read is refused, with how to mend it.
Result<std::string> read_key_text(const std::string& path, Secrecy secrecy);

}  // namespace drover::commands
