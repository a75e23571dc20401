#include "fleet/codec/values.h"

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::codec {
namespace {

constexpr std::size_t id_bytes = 16;

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", printable(text)); }

}  // namespace

bool read_name(Reader& reader, std::string& value, Name rule) {
  std::string_view text;
  if (!reader.text(name_bytes_max, text)) return false;
  if (!is_name(text) && !(text.empty() && rule.or_nothing)) {
    return reader.fail(quoted(text), "a name of 1 to 64 letters, digits and . _ : -");
  }
  value = text;
  return true;
}

bool read_text(Reader& reader, std::size_t bytes_max, std::string& value) {
  std::string_view text;
  if (!reader.text(bytes_max, text)) return false;
  value = text;
  return true;
}

bool read_id(Reader& reader, std::uint64_t& high, std::uint64_t& low) {
  std::string_view bytes;
  if (!reader.binary(id_bytes, bytes)) return false;
  if (bytes.size() != id_bytes) {
    return reader.fail(fmt::format("{} bytes", bytes.size()), fmt::format("{} bytes", id_bytes));
  }
  high = low = 0;
  for (std::size_t i = 0; i < id_bytes; ++i) {
    std::uint64_t& word = i < id_bytes / 2 ? high : low;
    word = word << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return true;
}

bool read(Reader& reader, double& value, StrictlyPositive) {
  if (!reader.number(value)) return false;
  return value > 0 || reader.fail(fmt::format("{}", value), "a number above 0");
}

bool read(Reader& reader, Instant& value, Plain) {
  std::int64_t nanoseconds = 0;
  if (!reader.integer(nanoseconds)) return false;
  value = Instant{Duration{nanoseconds}};
  return true;
}

bool read(Reader& reader, Duration& value, NonNegative) {
  std::int64_t nanoseconds = 0;
  if (!reader.integer<std::int64_t>(nanoseconds, 0)) return false;
  value = Duration{nanoseconds};
  return true;
}

bool read(Reader& reader, std::string& value, Bytes rule) {
  std::string_view bytes;
  if (!reader.binary(rule.bytes_max, bytes)) return false;
  value = bytes;
  return true;
}

bool read(Reader& reader, std::vector<std::uint16_t>& values, Packed rule) {
  std::string_view bytes;
  if (!reader.binary(2 * rule.count_max, bytes)) return false;
  if (bytes.size() % 2 != 0) {
    return reader.fail(fmt::format("{} bytes", bytes.size()), "two bytes for each number");
  }
  values.resize(bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto low = static_cast<unsigned char>(bytes[2 * i]);
    const auto high = static_cast<unsigned char>(bytes[2 * i + 1]);
    values[i] = static_cast<std::uint16_t>(low | high << 8);
  }
  return true;
}

bool read(Reader& reader, std::map<std::string, std::string>& values, UpTo<FreeText> rule) {
  std::size_t count = 0;
  if (!reader.map(rule.count_max, count)) return false;
  values.clear();
  for (std::size_t i = 0; i < count; ++i) {
    std::string key;
    std::string value;
    if (!read_name(reader, key, as_name)) return false;
    if (!read_text(reader, rule.element.bytes_max, value)) {
      reader.within(key);
      return false;
    }
    const auto [place, fresh] = values.emplace(std::move(key), std::move(value));
    if (!fresh) return reader.fail(fmt::format("the key {} twice", place->first), "each key once");
  }
  return true;
}

bool read(Reader& reader, std::map<Reason, std::uint64_t>& counts, Plain) {
  std::size_t size = 0;
  if (!reader.map(reason_count, size)) return false;
  counts.clear();
  for (std::size_t i = 0; i < size; ++i) {
    std::string_view key;
    if (!reader.text(name_bytes_max, key)) return false;
    const std::optional<Reason> reason = parse_reason(key);
    if (!reason) return reader.fail(quoted(key), "the name of a reason");
    std::uint64_t count = 0;
    if (!reader.integer(count)) {
      reader.within(key);
      return false;
    }
    if (!counts.emplace(*reason, count).second) {
      return reader.fail(fmt::format("{} twice", key), "each reason once");
    }
  }
  return true;
}

}  // namespace drover::codec
