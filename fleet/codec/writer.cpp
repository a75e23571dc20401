#include "fleet/codec/writer.h"

#include <array>
#include <bit>

#include "fleet/base/text.h"

namespace drover::codec {

// msgpack's pack_double casts 2^64 to an integer, which is undefined behaviour.
void Packer::pack_number(double value) {
  constexpr double exact = 0x1p53;
  if (std::fabs(value) <= exact && value == std::trunc(value)) {
    pack_int64(static_cast<std::int64_t>(value));
    return;
  }
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::array<char, 9> bytes{'\xcb'};
  for (std::size_t i = 0; i < 8; ++i) bytes[1 + i] = static_cast<char>(bits >> (56 - 8 * i));
  output_.write(bytes.data(), bytes.size());
}

void write_text(Packer& packer, std::string_view text) {
  packer.pack_str(static_cast<std::uint32_t>(text.size()));
  packer.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
}

void write_binary(Packer& packer, std::string_view bytes) {
  packer.pack_bin(static_cast<std::uint32_t>(bytes.size()));
  packer.pack_bin_body(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

void write_id(Packer& packer, std::uint64_t high, std::uint64_t low) {
  std::array<char, 16> bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<char>(low >> (56 - 8 * i));
  }
  write_binary(packer, {bytes.data(), bytes.size()});
}

std::string fitting(std::string_view text, std::size_t bytes_max) {
  std::string valid = is_utf8(text) ? std::string(text) : valid_utf8(text);
  if (valid.size() <= bytes_max) return valid;
  std::size_t end = bytes_max;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && (static_cast<unsigned char>(valid[end]) & 0xc0) == 0x80) --end;
  valid.resize(end);
  return valid;
}

void write(Packer& packer, const std::vector<std::uint16_t>& values, Packed) {
  packer.pack_bin(static_cast<std::uint32_t>(2 * values.size()));
  std::string bytes(2 * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    bytes[2 * i] = static_cast<char>(values[i] & 0xff);
    bytes[2 * i + 1] = static_cast<char>(values[i] >> 8);
  }
  packer.pack_bin_body(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

void write(Packer& packer, const std::map<Reason, std::uint64_t>& counts, Plain) {
  packer.pack_map(static_cast<std::uint32_t>(counts.size()));
  for (const auto& [reason, count] : counts) {
    write_text(packer, to_text(reason));
    packer.pack_uint64(count);
  }
}

}  // namespace drover::codec
