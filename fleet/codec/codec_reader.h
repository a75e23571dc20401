// MessagePack taken apart in place, one value at a time.
//
// Why not msgpack::unpack: it builds a tree (24 to 38 times the bytes) before anyone can object,
// and its array header of five bytes asks for GiB. Why not msgpack::parse with a visitor: it
// pushes, so that each struct would need a state machine beside its table of fields. This reader is
// asked for what the struct wants next: nothing is allocated here, lengths are compared with a
// limit and with the bytes that are left before anyone takes memory for them, and depth is that of
// our structs. Format: https://github.com/msgpack/msgpack/blob/master/spec.md
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover::codec {

enum class Form : std::uint8_t {
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
  end,     // the bytes end here, or within this value's head
};

/// A value's first bytes: its form, and its number or its length.
struct Head {
  Form form = Form::end;
  std::uint64_t bits = 0;  // the number (two's complement, or a double's bits), or the length
};

/// Reads forward. Each call answers false at the first problem, which sticks; `path` grows from the
/// inside out as calls return: each struct that gets false calls `within` with its field.
class Reader {
 public:
  explicit Reader(std::string_view bytes);

  bool array(std::size_t count_max, std::size_t& count);
  bool map(std::size_t count_max, std::size_t& count);
  /// Valid UTF-8. The view lives as long as the bytes.
  bool text(std::size_t bytes_max, std::string_view& text);
  bool binary(std::size_t bytes_max, std::string_view& bytes);
  bool boolean(bool& value);
  /// Finite; integers are numbers, too.
  bool number(double& value);
  /// REQUIRES high >= 0, and low < 2^63.
  template <std::integral Integer>
  bool integer(Integer& value, Integer low = std::numeric_limits<Integer>::min(),
               Integer high = std::numeric_limits<Integer>::max());
  /// Passes over one value, whatever it is.
  bool skip();

  /// Takes from the memory that decoding these bytes may use.
  bool take_memory(std::size_t bytes);

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  /// Records a problem; always false. `found` must be printable.
  bool fail(std::string_view found, std::string_view expected);
  void within(std::string_view field);
  void within(std::size_t index);
  /// "path: found X, expected Y". REQUIRES a problem.
  Error problem() const;

 private:
  Head head();
  bool sized(Form form, std::size_t limit, std::string_view what, std::size_t& size);
  bool bytes(Form form, std::size_t limit, std::string_view what, std::string_view& value);
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
  // Most integers are small: one byte below 0x80 is its own value.
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
