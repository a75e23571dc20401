// Damage as disks and people do it to files, drawn from a seed.
#pragma once

#include <algorithm>
#include <string>

#include "fleet/base/random_stream.h"

namespace drover::recording_test {

struct Damage {
  enum class Kind : std::uint8_t { flip, cut, insert, remove, zero_page };
  static constexpr int kinds = 5;
  Kind kind = Kind::flip;
  std::size_t at = 0;     // in the file as it was
  std::size_t bytes = 1;  // from there on

  /// What was done to bytes [begin, end) of the file as it was; an insertion within them counts.
  bool touches(std::size_t begin, std::size_t end) const {
    if (kind == Kind::insert) return begin < at && at < end;
    return at < end && begin < at + bytes;
  }
};

inline const char* to_text(Damage::Kind kind) {
  constexpr const char* names[] = {"flip", "cut", "insert", "remove", "zero page"};
  return names[static_cast<int>(kind)];
}

/// Draws what happens to a file of this size.
inline Damage draw_damage(RandomStream& random, std::size_t size) {
  Damage damage;
  damage.kind = static_cast<Damage::Kind>(random.below(Damage::kinds));
  damage.at = random.below(size);
  switch (damage.kind) {
    case Damage::Kind::flip:
      break;
    case Damage::Kind::cut:
      damage.bytes = size - damage.at;
      break;
    case Damage::Kind::insert:
    case Damage::Kind::remove:
      damage.bytes = std::min<std::size_t>(1 + random.below(200), size - damage.at);
      break;
    case Damage::Kind::zero_page:
      // Pages of a disk; of a small file a smaller one, or nothing of it would be left.
      damage.bytes = size > 40'960 ? 4'096 : 512;
      damage.at -= damage.at % damage.bytes;
      damage.bytes = std::min(damage.bytes, size - damage.at);
      break;
  }
  return damage;
}

inline std::string damaged(std::string file, const Damage& damage, RandomStream& random) {
  switch (damage.kind) {
    case Damage::Kind::flip:
      file[damage.at] ^= static_cast<char>(1 << random.below(8));
      break;
    case Damage::Kind::cut:
      file.resize(damage.at);
      break;
    case Damage::Kind::insert: {
      std::string bytes(damage.bytes, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random.below(256));
      file.insert(damage.at, bytes);
      break;
    }
    case Damage::Kind::remove:
      file.erase(damage.at, damage.bytes);
      break;
    case Damage::Kind::zero_page:
      std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(damage.at), damage.bytes, '\0');
      break;
  }
  return file;
}

}  // namespace drover::recording_test
