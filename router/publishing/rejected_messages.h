// Messages that the router does not accept: undecodable ones are counted; requests that their
// sender may not make are refused, answered and audited; implausible figures are clamped and
// counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "router/health/connection_table.h"
#include "router/health/sender_counters.h"
#include "router/publishing/outbox_builder.h"
#include "router/publishing/publisher.h"

namespace drover::router {

/// Why the connection's role may not send this; nothing: it may.
std::optional<std::string> why_refused(const ConnectionTable& connections, Peer from,
                                       const Message& message);

struct RejectedMessagesDependencies {
  ConnectionTable& connections;
  OutboxBuilder& outbox;
  Publisher& publisher;
};

/// Counts them by sender, and reports each sender now and then.
class RejectedMessages : RejectedMessagesDependencies {
 public:
  /// `report_interval`: between two events about one sender.
  RejectedMessages(const RejectedMessagesDependencies& uses, Duration report_interval)
      : RejectedMessagesDependencies(uses),
        dropped_(report_interval),
        deferred_(report_interval),
        implausible_(report_interval),
        refusals_(report_interval) {}

  void reject(Instant now, const Dropped& what);
  /// Counts an unusable message. `key`: its sender's, if it has one.
  void drop(Instant now, const std::string& sender, const std::string& why,
            const std::string& key = {});
  /// Counts an implausible `what` that the host reported.
  void count_implausible(Instant now, const std::string& host, const std::string& what);
  /// Audits the refusals that were only counted until now; `never`: all.
  void audit_due(Instant now, Instant due);
  /// The entry of this connection; there may be too many, then the oldest is dropped.
  ConnectionEntry& touch_connection(Instant now, std::uint64_t number);

  const DropCounter& dropped() const { return dropped_; }
  /// Senders of dropped messages since the last call.
  std::vector<SenderCount> take_senders() { return dropped_.changed(); }

 private:
  void defer(Instant now, const Dropped& what, const std::string& sender);
  void audit_refused(Instant now, const Dropped& what, const std::string& sender);
  void reply_to_refused(Instant now, const Dropped& what, ConnectionEntry& peer);

  DropCounter dropped_;
  DropCounter deferred_;     // requests that clients may repeat
  DropCounter implausible_;  // from agents, by host
  RefusalAudit refusals_;
};

}  // namespace drover::router
