// Seconds of one collective over a group of equal devices.
//
// `bytes` is what nccl-tests calls the size: all-reduce, reduce-scatter and all-to-all: what every
// device gives; all-gather: what every device ends with; send, exchange and broadcast: the message.
#pragma once

#include <optional>
#include <string_view>

#include "devices/topology.h"

namespace drover::devices {

enum class Collective {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  send,      // one device to one other
  exchange,  // every device sends to the next and receives from the one before
};

/// "all_reduce", "allreduce", "AllReduce", "send_recv" (one way), "sendrecv" (both ways), ..
std::optional<Collective> parse_collective(std::string_view name);
std::string_view to_text(Collective collective);

/// Who takes part.
struct Group {
  int devices = 1;
  int per_host = 1;        // of the group, on one host (TPU: in one slice)
  int groups_at_once = 1;  // of the same host, that share its network cards

  int hosts() const { return per_host > 0 ? (devices + per_host - 1) / per_host : 1; }
};

/// Grows with `bytes`; 0 for a group of one. REQUIRES a network where the group spans hosts.
double collective_s(Collective collective, double bytes, const Group& group, const LinkSpec& links,
                    const NetworkSpec& network);

}  // namespace drover::devices
