#include "tui/page_commands.h"

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

constexpr std::size_t page_words_max = 200;

}  // namespace

Status mark_moment(DashboardState& state, std::string_view) {
  state.mark_moment();
  return {};
}

Status show_changes(DashboardState& state, std::string_view) {
  if (!state.ui().mark) return error("no moment is marked: :mark marks the one shown");
  if (!state.ui().shows(DevicePlace::changes)) state.show_changes();
  return {};
}

std::vector<std::string> host_words(const DashboardState& state, std::string_view prefix) {
  std::vector<std::string> words;
  for (const HostRow& host : state.model().hosts()) {
    if (words.size() >= page_words_max) break;
    const std::string& name = host.reported.registration.host;
    if (name.starts_with(prefix)) words.push_back(name);
  }
  return words;
}

Status show_topology(DashboardState& state, std::string_view argument) {
  const auto selected = state.selected_host();
  if (argument.empty() && !selected) return error("expected a host: no host is selected");
  const std::string host = argument.empty() ? *selected : std::string(argument);
  if (state.model().find_host(host) == nullptr) {
    return error("no host {}{}", excerpt(host), suggestion(host, host_words(state, {})));
  }
  state.show_topology(host);
  return {};
}

Status explain_named(DashboardState& state, std::string_view argument) {
  return state.explain(argument);
}

std::vector<std::string> known_job_words(const DashboardState& state, std::string_view prefix) {
  std::vector<std::string> words;
  for (const auto& [id, row] : state.model().jobs()) {
    if (words.size() >= page_words_max) break;
    std::string word = to_short_text(id);
    if (word.starts_with(prefix)) words.push_back(std::move(word));
  }
  return words;
}

}  // namespace drover::tui
