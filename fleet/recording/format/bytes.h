// The primitives of the file: little-endian numbers, length-prefixed texts, CRC-32 and zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover::recording {

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

/// One zstd frame with its content size.
std::string compressed(std::string_view bytes, int level);
/// Decompresses a frame. An error, before memory is allocated, unless its content size is that of
/// `out`.
Status decompress(std::string_view frame, std::span<char> out);

/// Appends numbers and texts as MCAP writes them.
class Bytes {
 public:
  Bytes& u8(std::uint8_t value) { return number(value, 1); }
  Bytes& u16(std::uint16_t value) { return number(value, 2); }
  Bytes& u32(std::uint32_t value) { return number(value, 4); }
  Bytes& u64(std::uint64_t value) { return number(value, 8); }
  Bytes& text(std::string_view value);  // u32 length, then the bytes
  Bytes& raw(std::string_view value);

  std::size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }
  std::string_view view() const { return bytes_; }

 private:
  Bytes& number(std::uint64_t value, std::size_t size);

  std::string bytes_;
};

/// Reads numbers and texts. The first incomplete one sets failed(); all later reads return 0 or an
/// empty text.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::string_view text() { return raw(u32()); }
  std::string_view raw(std::uint64_t size);

  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::uint64_t number(std::size_t size);

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace drover::recording
