#include "simulator/simulated_network.h"

#include <algorithm>

namespace drover::simulator {

std::string MessageTransport::carry(Channel, const std::string&, const std::string&,
                                    std::string bytes) {
  return bytes;
}

SimulatedLinks::SimulatedLinks(RandomStream random, Duration delay_min, Duration delay_max)
    : random_(random), delay_min_(delay_min), delay_max_(delay_max) {}

Instant SimulatedLinks::arrival(Instant now, const std::string& from, const std::string& to) {
  const auto key = std::make_pair(from, to);
  auto found = links_.find(key);
  if (found == links_.end()) {
    found = links_.emplace(key, Link{random_.child(from + ">" + to), Instant{}}).first;
  }
  Link& link = found->second;
  const double share = link.random.uniform();
  const auto spread = static_cast<double>((delay_max_ - delay_min_).count());
  const Instant drawn = now + delay_min_ + Duration(static_cast<std::int64_t>(share * spread));
  link.last = std::max(link.last, drawn);
  return link.last;
}

void SimulatedLinks::cut(const std::string& host, Instant until) { cut_until_[host] = until; }

bool SimulatedLinks::passes(Instant now, const std::string& from, const std::string& to) const {
  for (const std::string& node : {from, to}) {
    const auto found = cut_until_.find(node);
    if (found != cut_until_.end() && now < found->second) return false;
  }
  return true;
}

}  // namespace drover::simulator
