// What the codec sends, as a table for people and tests: docs/protocol.md says the same in words,
// and a test compares the two.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::codec {

struct FieldLayout {
  std::string name;          // "priority"
  std::string type;          // "int8", "name", "list of Group, up to 1024"
  std::string default_text;  // what an absent field means: "0", "\"default\"", "empty", "none"
  bool operator==(const FieldLayout&) const = default;
};

struct StructLayout {
  std::string name;
  std::optional<std::size_t> kind;  // of messages; absent for what messages hold
  std::vector<FieldLayout> fields;
};

/// Every message in the order of its kind, then every struct that messages hold, as first met.
std::vector<StructLayout> layouts();

struct EnumerationLayout {
  std::string name;
  std::vector<std::string> enumerators;  // the place is the number
};
/// Every enumeration that a field may hold.
std::vector<EnumerationLayout> enumerations();

struct Limit {
  std::string_view name;
  std::size_t most;
};
/// The limits of fleet/codec/limits.h, fleet/codec/codec.h and fleet/messages.h.
std::vector<Limit> limits();

}  // namespace drover::codec
