// Where the time of a request went: in the queue, in prefill (until the first token), in decode.
#pragma once

#include <string>
#include <vector>

#include "fleet/messages.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// In fleet seconds since the request was submitted.
struct RequestPart {
  std::string name;
  double from_s = 0, until_s = 0;
  std::string note;  // tokens, or what is not known yet
  bool operator==(const RequestPart&) const = default;
};

/// Only what is known: prefill and decode are told with the result. Empty for other work, and for a
/// request that ended without a result.
std::vector<RequestPart> request_parts(const JobChanged& job, Instant now);

/// Heading and parts; 0 if there are none.
int request_chart_rows(const std::vector<RequestPart>& parts);
/// Draws from `row` on, which may be above the region; returns the row after it.
int draw_request_chart(DrawRegion& region, int row, const std::vector<RequestPart>& parts);

}  // namespace drover::tui
