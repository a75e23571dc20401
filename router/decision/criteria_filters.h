// The filters on kinds of placements, for the table in criteria.cpp.
#pragma once

#include "router/decision/criteria.h"

namespace drover::router {

// They fail for good: no change of a candidate's state can help.
bool fails_precision(const PlacementQuery& query, const PlacementKind& kind);
bool fails_ops(const PlacementQuery& query, const PlacementKind& kind);
bool fails_framework(const PlacementQuery& query, const PlacementKind& kind);
bool fails_context(const PlacementQuery& query, const PlacementKind& kind);
bool fails_kind_memory(const PlacementQuery& query, const PlacementKind& kind);
bool fails_topology(const PlacementQuery& query, const PlacementKind& kind);

}  // namespace drover::router
