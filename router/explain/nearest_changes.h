// The changes one by one, for the table in nearest_change.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "router/explain/nearest_change.h"

namespace drover::router {

using Found = std::optional<Change>;

Change change_of(double amount, std::string words, std::function<void(Trial&)> make);

// Each of these takes away one reason.
Found try_again(const Missed& missed);
Found cool_down(const Missed& missed);
Found allow_later_token(const Missed& missed);
Found wait_longer(const Missed& missed);
Found raise_power(const Missed& missed);
Found raise_budget(const Missed& missed);
Found resume_replica(const Missed& missed);
Found hear_of_it(const Missed& missed);
Found mend_replica(const Missed& missed);
Found raise_share(const Missed& missed);
Found allow_precision(const Missed& missed);
Found add_memory(const Missed& missed);
Found take_fewer_tokens(const Missed& missed);
Found take_other_topology(const Missed& missed);
Found allow_transfer(const Missed& missed);
Found take_other_framework(const Missed& missed);
Found without_operations(const Missed& missed);

}  // namespace drover::router
