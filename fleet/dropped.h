// What came in at a router's door and went no further. The doors and the guard tell it, the
// router's core counts it and puts refusals on record.
#pragma once

#include <string>
#include <string_view>

#include "fleet/outbox.h"

namespace drover {

struct Dropped {
  Peer from;           // number 0: nobody who could be answered
  std::string sender;  // in words, printable: "connection 5 from 10.0.0.7", "key eve from 10.0.0.7"
  std::string why;
  std::string key{};      // the name of the allowed key that it came with; empty: none
  std::string address{};  // the other end's, where it has one
  /// What was refused: a kind of message ("Submit"), "connect", "subscribe". Empty: it was no
  /// message at all, and nobody asked for anything.
  std::string asked{};
  bool passing = false;  // too much of its sender's waits already: it may be said again
  bool operator==(const Dropped&) const = default;
};

/// Whose it is, in words: the key's name, where there is one, else the connection.
std::string sender_text(const Peer& from, std::string_view address, std::string_view key = {});

}  // namespace drover
