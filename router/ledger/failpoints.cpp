#include "router/ledger/failpoints.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iterator>
#include <string>
#include <string_view>

#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"

namespace drover::router {
namespace {

constexpr std::string_view names[] = {"ledger.before_writes",     "ledger.before_commit",
                                      "ledger.after_commit",      "ledger.after_acknowledgement",
                                      "compaction.before_writes", "compaction.before_commit",
                                      "compaction.after_commit"};

constexpr int none = -1;
std::atomic<int> armed{none};
std::atomic<std::uint64_t> passings_left{0};

Error not_understood(std::string_view found) {
  std::string known;
  for (const std::string_view name : names) known += fmt::format(" {}", name);
  return error("DROVER_FAIL_AT: found \"{}\", expected STAGE:N with N from 1 and STAGE one of{}",
               excerpt(found), known);
}

}  // namespace

Status arm_failpoint(const char* text) {
  armed = none;
  const std::string_view said = text == nullptr ? "" : text;
  if (said.empty()) return {};
  const std::size_t colon = said.find(':');
  if (colon == std::string_view::npos) return not_understood(said);
  const auto count = parse_whole_text<std::uint64_t>(said.substr(colon + 1));
  if (!count || *count == 0) return not_understood(said);
  for (std::size_t stage = 0; stage < std::size(names); ++stage) {
    if (names[stage] != said.substr(0, colon)) continue;
    passings_left = *count;
    armed = static_cast<int>(stage);
    return {};
  }
  return not_understood(said);
}

void pass(LedgerFailpoint stage) {
  if (armed.load(std::memory_order_relaxed) != static_cast<int>(stage)) return;
  if (--passings_left > 0) return;
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

}  // namespace drover::router
