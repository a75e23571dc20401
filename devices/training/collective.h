// Seconds of one collective over a group of equal devices.
//
// `bytes` is what nccl-tests calls the size: all-reduce, reduce-scatter and all-to-all: what every
// device gives; all-gather: what every device ends with; send, exchange and broadcast: the message.
#pragma once

#include "devices/case/case.h"
#include "devices/catalogue/topology.h"

namespace drover::devices {

/// Who takes part.
struct Group {
  int devices = 1;
  int per_host = 1;        // of the group, on one host (TPU: in one slice)
  int groups_at_once = 1;  // of the same host, that share its network cards

  int hosts() const { return per_host > 0 ? (devices + per_host - 1) / per_host : 1; }
};

/// Grows with `bytes`; 0 for a group of one.
double collective_s(CollectiveKind collective, double bytes, const Group& group,
                    const LinkSpec& links, const NetworkSpec& network);

/// The same in a cluster of such devices.
double collective_s(CollectiveKind collective, double bytes, const Group& group,
                    const DeviceSpec& device);

}  // namespace drover::devices
