// The table of settings: what each is called, may be, and is for. Reading, writing and documenting
// walk it; nothing else knows a setting by its key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tui/state/settings.h"

namespace drover::tui {

/// A number of bytes as a person writes it, "96MiB"; nothing: "auto".
using AutoBytes = std::optional<std::uint64_t>;

/// A setting of `Owner`: its type says what may stand in the file.
template <typename Owner>
using Member = std::variant<std::string Owner::*, std::vector<std::string> Owner::*,
                            std::int64_t Owner::*, std::uint64_t Owner::*, AutoBytes Owner::*>;

template <typename Owner>
struct Setting {
  std::string_view key;
  Member<Owner> member;
  std::string_view help;
  std::vector<std::string> (*names)() = nullptr;       // of a text: what it may be; null: any text
  Status (*check)(const std::string& text) = nullptr;  // of a text, or each text of a list
  std::uint64_t low = 0, high = 0;                     // of a number; of a list its length
};

/// Those of what is shown, which saved views have too, and the others, in the order of the file.
std::span<const Setting<ViewSettings>> view_settings();
std::span<const Setting<Settings>> other_settings();

inline constexpr std::size_t saved_views_max = 64;

}  // namespace drover::tui
