#include "fleet/base/identity.h"

#include <optional>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"

namespace drover {
namespace {

// An id of zero means "no job", so it is drawn again in that case (probability 2^-128).
std::array<std::uint64_t, 2> draw_words(RandomStream& random) {
  std::array<std::uint64_t, 2> words{};
  while (words[0] == 0 && words[1] == 0) words = {random.bits(), random.bits()};
  return words;
}

}  // namespace

std::string to_text(const JobId& id) { return fmt::format("{:016x}{:016x}", id.high, id.low); }

std::string to_short_text(const JobId& id) { return fmt::format("{:08x}", id.high >> 32); }

std::string to_text(const DeviceId& id) { return fmt::format("{}/{}", id.host, id.index); }

std::string to_text(const ReplicaId& id) { return fmt::format("{}/r{}", id.host, id.number); }

Result<JobId> parse_job_id(std::string_view text) {
  constexpr std::size_t half = 16;
  if (text.size() == 2 * half) {
    const auto high = parse_whole_text<std::uint64_t>(text.substr(0, half), 16);
    const auto low = parse_whole_text<std::uint64_t>(text.substr(half), 16);
    if (high && low) return JobId{*high, *low};
  }
  return error("job id: found \"{}\", expected 32 hexadecimal digits",
               printable(text.substr(0, 2 * name_bytes_max)));
}

Result<DeviceId> parse_device_id(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash != std::string_view::npos && is_name(text.substr(0, slash))) {
    const std::string_view digits = text.substr(slash + 1);
    const auto index = parse_whole_text<std::uint16_t>(digits);
    // A device has only one name: "h1/03" is refused.
    const bool canonical = digits == "0" || !digits.starts_with('0');
    if (index && canonical) return DeviceId{std::string(text.substr(0, slash)), *index};
  }
  return error("device: found \"{}\", expected HOST/N, such as \"h1/3\" (N: 0..65535)",
               printable(text.substr(0, 2 * name_bytes_max)));
}

JobId generate_job_id(RandomStream& random) {
  const auto [high, low] = draw_words(random);
  return {high, low};
}

Incarnation generate_incarnation(RandomStream& random) {
  const auto [high, low] = draw_words(random);
  return {high, low};
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > name_bytes_max) return false;
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
