// Reads MessagePack in place, one value at a time.
//
// msgpack::unpack is not used because it builds a tree (24 to 38 times the bytes) before any check,
// and an array header of five bytes makes it allocate GiB. msgpack::parse with a visitor is not
// used because each struct would need a state machine besides its table of fields. This reader
// pulls the next value. It allocates nothing; lengths are compared with a limit and with the bytes
// left before memory is allocated for them; the depth is that of the structs.
// Format: https://github.com/msgpack/msgpack/blob/master/spec.md
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover::codec {

enum class ValueType : std::uint8_t {
  nothing,  // nil
  boolean,
  positive,  // integers from 0
  negative,  // integers below 0
  decimal,   // float32, float64
  text,
  binary,
  array,
  map,
  extension,
  unused,  // 0xc1, which the format never uses
  end,     // the bytes end here or within this value's head
};

/// The head of a value: its type, and its number or length.
struct Head {
  ValueType form = ValueType::end;
  std::uint64_t bits = 0;  // the number (two's complement, or a double's bits), or the length
};

/// Reads forward. A call returns false at the first problem, which is kept. Its path is built from
/// the inside out as calls return: each struct that gets false calls `within` with its field.
class Reader {
 public:
  explicit Reader(std::string_view bytes);

  bool array(std::size_t count_max, std::size_t& count);
  bool map(std::size_t count_max, std::size_t& count);
  /// Reads valid UTF-8. The view is valid as long as the bytes.
  bool text(std::size_t bytes_max, std::string_view& text);
  bool binary(std::size_t bytes_max, std::string_view& bytes);
  bool boolean(bool& value);
  /// Reads a finite number; integers are accepted.
  bool number(double& value);
  /// REQUIRES high >= 0, and low < 2^63.
  template <std::integral Integer>
  bool integer(Integer& value, Integer low = std::numeric_limits<Integer>::min(),
               Integer high = std::numeric_limits<Integer>::max());
  /// Skips one value of any type.
  bool skip();

  /// Takes from the memory that decoding may use; false when it is exhausted.
  bool take_memory(std::size_t bytes);

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  /// Records a problem and returns false. `found` must be printable.
  bool fail(std::string_view found, std::string_view expected);
  void within(std::string_view field);
  void within(std::size_t index);
  /// "path: found X, expected Y". REQUIRES a problem.
  Error problem() const;

 private:
  Head head();
  bool sized(ValueType form, std::size_t limit, std::string_view what, std::size_t& size);
  bool bytes(ValueType form, std::size_t limit, std::string_view what, std::string_view& value);
  bool integer_within(std::int64_t low, std::uint64_t high, std::uint64_t& bits);
  std::string describe(const Head& head) const;

  const char* at_;
  const char* end_;
  std::size_t memory_left_;
  std::string path_;
  std::string problem_;
};

template <std::integral Integer>
bool Reader::integer(Integer& value, Integer low, Integer high) {
  // Fast path: most integers are one byte below 0x80, which is the value.
  if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
    const auto small = static_cast<Integer>(*at_);
    if (small >= low && small <= high) {
      ++at_;
      value = small;
      return true;
    }
  }
  std::uint64_t bits = 0;
  if (!integer_within(static_cast<std::int64_t>(low), static_cast<std::uint64_t>(high), bits))
    return false;
  value = static_cast<Integer>(bits);
  return true;
}

}  // namespace drover::codec
