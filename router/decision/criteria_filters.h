// The filters one by one, for the table in criteria.cpp.
#pragma once

#include "router/decision/criteria.h"

namespace drover::router {

// Kinds of places: what no state of a place could change.
bool fails_precision(const Question& question, const PlaceKind& kind);
bool fails_ops(const Question& question, const PlaceKind& kind);
bool fails_framework(const Question& question, const PlaceKind& kind);
bool fails_context(const Question& question, const PlaceKind& kind);
bool fails_kind_memory(const Question& question, const PlaceKind& kind);
bool fails_topology(const Question& question, const PlaceKind& kind);

}  // namespace drover::router
