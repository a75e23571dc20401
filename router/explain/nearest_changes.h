// The individual changes for the table in nearest_change.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "router/explain/nearest_change.h"

namespace drover::router {

Change change_of(double amount, std::string words, std::function<void(WhatIf&)> make);

// Each of these removes one reason.
std::optional<Change> try_again(const RejectedCandidate& rejected);
std::optional<Change> cool_down(const RejectedCandidate& rejected);
std::optional<Change> allow_later_token(const RejectedCandidate& rejected);
std::optional<Change> wait_longer(const RejectedCandidate& rejected);
std::optional<Change> raise_power(const RejectedCandidate& rejected);
std::optional<Change> raise_budget(const RejectedCandidate& rejected);
std::optional<Change> resume_replica(const RejectedCandidate& rejected);
std::optional<Change> refresh_samples(const RejectedCandidate& rejected);
std::optional<Change> repair_replica(const RejectedCandidate& rejected);
std::optional<Change> raise_share(const RejectedCandidate& rejected);
std::optional<Change> allow_precision(const RejectedCandidate& rejected);
std::optional<Change> add_memory(const RejectedCandidate& rejected);
std::optional<Change> take_fewer_tokens(const RejectedCandidate& rejected);
std::optional<Change> take_other_topology(const RejectedCandidate& rejected);
std::optional<Change> allow_transfer(const RejectedCandidate& rejected);
std::optional<Change> take_other_framework(const RejectedCandidate& rejected);
std::optional<Change> without_operations(const RejectedCandidate& rejected);

}  // namespace drover::router
