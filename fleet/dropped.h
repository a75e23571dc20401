// A message that a router's endpoint dropped. The endpoints and the authenticator report it; the
// router's core counts it and audits refusals.
#pragma once

#include <string>
#include <string_view>

#include "fleet/outbox.h"

namespace drover {

struct Dropped {
  Peer from;           // number 0: the sender cannot be answered
  std::string sender;  // printable: "connection 5 from 10.0.0.7", "key eve from 10.0.0.7"
  std::string why;
  std::string key{};      // name of the allowed key that it was sent with; empty: none
  std::string address{};  // of the sender, where it has one
  /// What was refused: a kind of message ("Submit"), "connect", "subscribe". Empty: it was no
  /// message.
  std::string asked{};
  bool retryable = false;  // the sender's queue is full; it may send the message again
  bool operator==(const Dropped&) const = default;
};

/// The sender as text: the name of its key, or else its connection.
std::string sender_text(const Peer& from, std::string_view address, std::string_view key = {});

}  // namespace drover
