// Key files on disk: written whole and never over another, read only when they are as safe as they
// must be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover::commands {

enum class Secrecy { secret, open };  // 0600 and 0644

/// The folder (0700), made with those above it where they are absent.
Status make_key_folder(const std::string& path);

/// Writes a file that is not there yet, whole or not at all. Answers false when it was there.
Result<bool> write_new_key_file(const std::string& path, const std::string& text, Secrecy secrecy);

/// The text of a key file. A secret that others may read is refused, with how to mend it.
Result<std::string> read_key_text(const std::string& path, Secrecy secrecy);

/// Whether there is something; the error: it cannot be known.
Result<bool> is_there(const std::string& path);

/// The names of a folder's files that end so, without the ending, in order; no folder has no files.
Result<std::vector<std::string>> names_in(const std::string& folder, std::string_view ending);

// ---- What a router goes by: held open, so that what was checked is what is read.

/// A descriptor that closes itself.
class OpenFile {
 public:
  explicit OpenFile(int descriptor = -1) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

/// DIR/authorized; not open where one of both folders is absent.
struct AllowFolder {
  OpenFile files;
  std::string path;
  std::string unsafe;  // who else could let himself in there, and how to mend it; empty: nobody
  std::string marks;   // of both folders; others after a change of owner or mode
};
/// The error: nothing can be said about it now.
Result<AllowFolder> open_allow_folder(const std::string& folder);
Result<std::vector<std::string>> names_in(const AllowFolder& folder, std::string_view ending);

/// A file of it: its text, or why that cannot be had.
struct AllowText {
  enum class State : std::uint8_t {
    good,
    absent,
    bad,         // not as it should be: it lets nobody in
    unreadable,  // for now: nothing can be said about it
  };
  State state = State::good;
  std::string text;  // or the problem
};
AllowText read_allow_text(const AllowFolder& folder, const std::string& file);

}  // namespace drover::commands
