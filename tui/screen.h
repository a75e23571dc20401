// One whole frame: title line, banner, view, hint row; and the lines that come and go: the prompt
// and the timeline (screen_lines.cpp).
#pragma once

#include "tui/state/frame_context.h"
#include "tui/state/view.h"

namespace drover::tui {

/// A smaller terminal shows one line that says so.
inline constexpr Size smallest_size{20, 3};

bool is_too_small(Size size);
/// The rectangle of the view: what title, banner, caption and hints leave.
Rect body_of(const FrameContext& frame, Size size);
/// The warning that the data shown is not live or not complete; empty when all is well. A shorter
/// text is used if it fits in `columns`; else the caller cuts the end.
std::string banner_of(const FrameContext& frame, int columns);
/// `body`: of the view's layout.
void draw_screen(const FrameContext& frame, const View& view, const Rect& body, Canvas& canvas);

/// Draws the prompt's line on the last row of the region. Errors, completions, what a search found
/// and the question of a confirmation are above it. `note`: beside the text; empty: the prompt's
/// own hint.
void draw_prompt(const Prompt& prompt, const std::string& note, DrawRegion region);

/// The resolution of clicks on the scrubber: the covered time is divided into this many parts.
inline constexpr int scrubber_parts = 10'000;

/// Draws on the first row of the region: "02:37:01 ──!──m──█──── 02:38:41".
void draw_scrubber(const FrameContext& frame, DrawRegion region);
/// The moment of a click.
Instant moment_at_part(const PlaybackCursor& cursor, Instant live_now, int part);

}  // namespace drover::tui
