// Key files on disk. They are written atomically and never overwritten, and read only if their
// owner and mode are safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/shell/file_descriptor.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// Who may write besides the owner.
inline constexpr unsigned others_write = 022;

enum class Secrecy { secret, open };  // 0600 and 0644

/// Makes the folder (0700) and its parents if they do not exist.
Status make_key_folder(const std::string& path);

/// Writes a new file atomically. Returns false if the file exists already.
Result<bool> write_new_key_file(const std::string& path, const std::string& text, Secrecy secrecy);

/// The text of a key file. The error for a secret that others may read says how to fix its mode.
Result<std::string> read_key_text(const std::string& path, Secrecy secrecy);

/// An error if the path cannot be checked.
Result<bool> path_exists(const std::string& path);

/// The sorted names of a folder's files with this ending, without the ending. Empty if the folder
/// does not exist.
Result<std::vector<std::string>> names_in(const std::string& folder, std::string_view ending);

/// DIR/authorized, held open so that the folder that was checked is the one that is read. Not open
/// if one of the two folders does not exist.
struct AllowFolder {
  FileDescriptor files;
  std::string path;
  std::string unsafe;  // who else could grant access there, and how to fix it; empty: nobody
  std::string marks;   // of both folders; differ after a change of owner or mode
};
/// On an error the state of the folder is unknown.
Result<AllowFolder> open_allow_folder(const std::string& folder);
Result<std::vector<std::string>> names_in(const AllowFolder& folder, std::string_view ending);

/// A file of the folder: its text, or why it could not be read.
struct AllowText {
  enum class State : std::uint8_t {
    good,
    absent,
    bad,         // invalid: it grants no access
    unreadable,  // temporarily: its content is unknown
  };
  State state = State::good;
  std::string text;  // or the problem
};
AllowText read_allow_text(const AllowFolder& folder, const std::string& file);

}  // namespace drover::commands
