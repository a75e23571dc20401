// How a lease stands in the ledger: as a JobChanged of the host's (a gang over hosts: of the first
// member's), with the place as text in `detail`.
#include <algorithm>
#include <charconv>

#include "fleet/codec.h"
#include "fleet/text.h"
#include "router/ledger.h"

namespace drover::router::ledger {
namespace {

constexpr std::string_view replica_word = "replica";
constexpr std::string_view devices_word = "devices";
constexpr std::string_view gang_word = "gang";

template <typename Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && stop == text.data() + text.size();
}

bool read_numbers(const std::vector<std::string>& words, std::vector<std::uint16_t>& numbers) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return parse_whole(word, numbers.emplace_back());
  });
}

bool read_member(std::string_view text, Lease& lease) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return false;
  Member& member = lease.members.emplace_back();
  member.host = text.substr(0, slash);
  return read_numbers(split(text.substr(slash + 1), ','), member.devices);
}

bool read_place(std::string_view text, const std::string& host, Lease& lease) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() < 2) return false;
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words[0] == gang_word) {
    return rest.size() > 1 && std::all_of(rest.begin(), rest.end(), [&](const std::string& word) {
             return read_member(word, lease);
           });
  }
  Member& member = lease.members.emplace_back();
  member.host = host;
  if (words[0] == devices_word) return read_numbers(rest, member.devices);
  std::uint32_t number = 0;
  if (words[0] != replica_word || rest.size() > 1 || !parse_whole(rest[0], number)) return false;
  lease.replica = number;
  return true;
}

}  // namespace

std::string place_text(const Lease& lease) {
  if (lease.replica) return fmt::format("{} {}", replica_word, *lease.replica);
  if (!lease.over_hosts()) {
    return fmt::format("{} {}", devices_word, fmt::join(lease.members.front().devices, " "));
  }
  std::string text(gang_word);
  for (const Member& member : lease.members) {
    text += fmt::format(" {}/{}", member.host, fmt::join(member.devices, ","));
  }
  return text;
}

Result<Lease> read_lease(const Envelope& payload) {
  const auto* change = std::get_if<JobChanged>(&payload.body);
  if (change == nullptr) return error("payload is a {}", kind_name(payload.body));
  Lease lease;
  lease.target = change->target;
  lease.pool = change->pool;
  lease.fallback = change->reason;
  lease.predicted_s = change->remaining_s;
  lease.more = {0, change->latency_s, change->usage.energy_j, change->usage.cost_usd};
  if (read_place(change->detail, payload.sender, lease)) return lease;
  return error(
      "place is \"{}\", expected \"replica N\", \"devices N N ..\" or \"gang HOST/N,N ..\"",
      printable(change->detail));
}

}  // namespace drover::router::ledger
