// The table of settings: key, type, allowed values and help of each. Reading, writing and
// documenting use it; nothing else refers to a setting by its key.
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

/// A number of bytes, written as "96MiB"; without a value, "auto".
using AutoBytes = std::optional<std::uint64_t>;

/// A setting in `Owner`. Its type determines what the file may contain.
template <typename Owner>
using Member = std::variant<std::string Owner::*, std::vector<std::string> Owner::*,
                            std::int64_t Owner::*, std::uint64_t Owner::*, AutoBytes Owner::*>;

template <typename Owner>
struct Setting {
  std::string_view key;
  Member<Owner> member;
  std::string_view help;
  const std::vector<std::string>& (*names)() = nullptr;  // allowed texts; null: any text
  Status (*check)(const std::string& text) = nullptr;    // of a text, or of each text of a list
  std::uint64_t low = 0, high = 0;                       // range of a number or of a list's length
};

/// The settings of ViewSettings, which saved views have too, and the others, in the file's order.
std::span<const Setting<ViewSettings>> view_settings();
std::span<const Setting<Settings>> other_settings();

inline constexpr std::size_t saved_views_max = 64;

}  // namespace drover::tui
