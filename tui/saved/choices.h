// What the user chose on the screen and finds again after a restart: lines typed, bookmarks, the
// columns and the order of the devices table, folds. Settings are something else
// (tui/state/settings.h): they are stated in a file that the user writes, and override these.
//
// No file access: the shell keeps the text (commands/dashboard/choices_file.h).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "tui/state/bookmark.h"
#include "tui/state/playback_cursor.h"
#include "tui/state/ui_state.h"

namespace drover::tui {

// What is over these limits is left out, the oldest first. They keep the text below 1 MiB.
inline constexpr std::size_t kept_line_bytes_max = 1024;
inline constexpr std::size_t kept_lines_bytes_max = 64u << 10;  // of one kind
inline constexpr std::size_t kept_bookmarks_max = 500;          // of all places
inline constexpr std::size_t kept_folds_max = 500;              // of all names
inline constexpr std::size_t kept_name_bytes_max = 128;
inline constexpr Duration kept_bookmark_age_max = std::chrono::hours(24 * 90);

struct KeptBookmark {
  Bookmark mark;
  Instant made{};  // wall time: fleet time may be years away, and recordings are old
  bool operator==(const KeptBookmark&) const = default;
};

struct Choices {
  /// As the settings of these names; no value: never chosen.
  std::optional<std::vector<std::string>> device_columns, sort;
  std::map<std::string, std::vector<std::string>> typed;  // by kind, newest last
  std::map<std::string, std::set<std::string>> folds;
  /// By place (DashboardOptions::place), in order of time.
  std::map<std::string, std::vector<KeptBookmark>> bookmarks;
  bool operator==(const Choices&) const = default;
};

/// The text of a file. Reading it gives the same choices, if they are within the limits.
std::string to_toml(const Choices& choices);
/// The error is about text that is no TOML, or has values of another type. What is over the limits
/// or unknown is left out, and control characters are made visible. `place`: the file's name.
Result<Choices> read_choices(std::string_view text, const std::string& place);

/// What a file shall have after another dashboard may have written it. `base`: this dashboard's
/// choices when it last read or wrote the file; `mine`: now. Lines and bookmarks that changed since
/// `base` are added to `theirs`, or removed; of columns, order and each set of folds the one that
/// changed here replaces theirs. Bookmarks get the time `today`; old ones are dropped.
Choices merged(Choices theirs, const Choices& base, const Choices& mine, Instant today);

/// What is shown now. `place`: whose bookmarks; empty: they are not kept.
Choices choices_of(const UiState& ui, const PlaybackCursor& cursor, const std::string& place);
/// Shows it again.
void restore(const Choices& choices, UiState& ui, PlaybackCursor& cursor, const std::string& place);

}  // namespace drover::tui
