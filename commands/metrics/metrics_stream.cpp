#include "commands/metrics/metrics_stream.h"

#include <utility>

namespace drover::commands {

void MetricsStream::receive(Instant now, Peer from, Envelope envelope) {
  auto update = stream_.receive(now, from, envelope);
  if (update.is_new) {
    const bool state = !std::holds_alternative<SampleBatch>(envelope.body);
    if (!pages_.add(now, std::move(envelope)) && state) stream_.request_snapshot();
  }
  if (update.snapshot && !pages_.add_snapshot(now, std::move(*update.snapshot))) {
    stream_.request_snapshot();
  }
}

}  // namespace drover::commands
