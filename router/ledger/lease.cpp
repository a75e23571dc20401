// How a lease is stored in the ledger: as a JobChanged of the host (for a multi-host gang, of the
// first member's host), with the placement as text in `detail`.
#include <algorithm>

#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"
#include "fleet/codec/codec.h"
#include "fleet/codec/limits.h"
#include "router/decision/candidates.h"
#include "router/ledger/ledger.h"

namespace drover::router::ledger {
namespace {

constexpr std::string_view replica_word = "replica";
constexpr std::string_view devices_word = "devices";
constexpr std::string_view gang_word = "gang";

/// "7" or "0-3".
bool read_range(std::string_view text, std::vector<std::uint16_t>& numbers) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = parse_whole_text<std::uint16_t>(text.substr(0, dash));
  const auto last =
      dash < text.size() ? parse_whole_text<std::uint16_t>(text.substr(dash + 1)) : first;
  if (!first || !last || *last < *first) return false;
  if (std::size_t{*last} - *first >= devices_per_host_max) return false;
  for (std::uint32_t number = *first; number <= *last; ++number) {
    numbers.push_back(static_cast<std::uint16_t>(number));
  }
  return true;
}

bool read_numbers(const std::vector<std::string>& words, std::vector<std::uint16_t>& numbers) {
  return std::ranges::all_of(words,
                             [&](const std::string& word) { return read_range(word, numbers); });
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
    return rest.size() > 1 && std::ranges::all_of(rest, [&](const std::string& word) {
             return read_member(word, lease);
           });
  }
  Member& member = lease.members.emplace_back();
  member.host = host;
  if (words[0] == devices_word) {
    return rest.size() == 1 && read_numbers(split(rest[0], ','), member.devices);
  }
  if (words[0] != replica_word || rest.size() > 1) return false;
  lease.replica = parse_whole_text<std::uint32_t>(rest[0]);
  return lease.replica.has_value();
}

}  // namespace

std::string place_text(const Lease& lease) {
  if (lease.replica) return fmt::format("{} {}", replica_word, *lease.replica);
  if (!lease.over_hosts()) {
    const std::string numbers = target_text("", lease.members.front().devices).substr(1);
    return fmt::format("{} {}", devices_word, numbers);
  }
  std::string text(gang_word);
  for (const Member& member : lease.members) {
    text += ' ' + target_text(member.host, member.devices);
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
  lease.more = {0, change->latency_s, change->usage.energy_j, change->usage.cost_usd,
                change->progress == 0};
  if (read_place(change->detail, payload.sender, lease)) return lease;
  return error(
      "place is \"{}\", expected \"replica N\", \"devices N-N,N\" or \"gang HOST/N-N,N ..\"",
      printable(change->detail));
}

}  // namespace drover::router::ledger
