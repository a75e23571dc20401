#include "fleet/base/identity.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover {
namespace {

constexpr std::size_t name_length_max = 64;

// Both halves zero mean "no job", so an id is drawn again in that case (once in 2^128).
std::array<std::uint64_t, 2> draw_words(Dice& dice) {
  std::array<std::uint64_t, 2> words{};
  while (words[0] == 0 && words[1] == 0) words = {dice.bits(), dice.bits()};
  return words;
}

std::optional<std::uint64_t> parse_hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value, 16);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::string to_text(const JobId& id) { return fmt::format("{:016x}{:016x}", id.high, id.low); }

std::string to_short_text(const JobId& id) { return fmt::format("{:08x}", id.high >> 32); }

std::string to_text(const DeviceId& id) { return fmt::format("{}/{}", id.host, id.index); }

std::string to_text(const ReplicaId& id) { return fmt::format("{}/r{}", id.host, id.number); }

Result<JobId> parse_job_id(std::string_view text) {
  constexpr std::size_t half = 16;
  if (text.size() == 2 * half) {
    const auto high = parse_hexadecimal(text.substr(0, half));
    const auto low = parse_hexadecimal(text.substr(half));
    if (high && low) return JobId{*high, *low};
  }
  return error("job id: found \"{}\", expected 32 hexadecimal digits",
               printable(text.substr(0, 2 * name_length_max)));
}

Result<DeviceId> parse_device_id(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash != std::string_view::npos && is_name(text.substr(0, slash))) {
    const std::string_view digits = text.substr(slash + 1);
    std::uint16_t index = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, index);
    // One device has one name: "h1/03" is refused.
    const bool canonical = digits == "0" || !digits.starts_with('0');
    if (problem == std::errc{} && stop == end && canonical) {
      return DeviceId{std::string(text.substr(0, slash)), index};
    }
  }
  return error("device: found \"{}\", expected HOST/N, such as \"h1/3\" (N: 0..65535)",
               printable(text.substr(0, 2 * name_length_max)));
}

JobId draw_job_id(Dice& dice) {
  const auto [high, low] = draw_words(dice);
  return {high, low};
}

Incarnation draw_incarnation(Dice& dice) {
  const auto [high, low] = draw_words(dice);
  return {high, low};
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > name_length_max) return false;
  for (const char character : text) {
    const bool letter =
        (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    const bool digit = character >= '0' && character <= '9';
    const bool mark = character == '.' || character == '_' || character == ':' || character == '-';
    if (!letter && !digit && !mark) return false;
  }
  return true;
}

}  // namespace drover
