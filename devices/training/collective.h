// The time of one collective over a group of equal devices.
//
// `bytes` is the size as in nccl-tests. All-reduce, reduce-scatter and all-to-all: the input of
// each device. All-gather: the output of each device. Send, exchange and broadcast: the message.
#pragma once

#include "devices/case/case.h"
#include "devices/catalogue/topology.h"

namespace drover::devices {

/// The participants.
struct CollectiveGroup {
  int devices = 1;
  int per_host = 1;        // of the group, on one host (TPU: in one slice)
  int groups_at_once = 1;  // concurrent groups on the same host, which share its NICs

  int hosts() const { return per_host > 0 ? (devices + per_host - 1) / per_host : 1; }
};

/// Seconds. Monotonic in `bytes`; 0 for a group of one.
double collective_s(CollectiveKind collective, double bytes, const CollectiveGroup& group,
                    const LinkSpec& links, const NetworkSpec& network);

}  // namespace drover::devices
