#include "commands/dashboard/watched_frame.h"

#include <poll.h>

#include <algorithm>

#include "agents/scrape/texts.h"
#include "commands/dashboard/local_viewer.h"
#include "commands/shell/output.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

/// A page may take this long; the fetcher gives up before.
constexpr WallSpan pages_within = std::chrono::seconds(8);

/// The news of every target, in the order of the targets.
std::vector<agents::TargetNews> read_once(const SourceOptions& options) {
  PageFetcher fetcher(options.pages);
  const WallTime end = wall_now() + pages_within;
  fetcher.request(wall_now());
  std::vector<agents::TargetNews> all;
  while (all.size() < options.pages.size() && wall_now() < end) {
    pollfd ready{fetcher.descriptor(), POLLIN, 0};
    (void)::poll(&ready, 1, 100);
    for (agents::TargetNews& news : fetcher.take(wall_now())) all.push_back(std::move(news));
  }
  for (const std::string& note : fetcher.take_notes())
    write_stderr("drover frame: {}\n", printable(note));
  const auto place = [&](const agents::TargetNews& news) {
    return std::ranges::find(options.pages, news.target, &PageTarget::url);
  };
  std::ranges::stable_sort(all, {}, place);
  return all;
}

CommandOutcome outcome_of(const std::vector<agents::TargetNews>& all, std::size_t targets) {
  std::vector<std::string> failures;
  for (const agents::TargetNews& news : all) {
    if (!news.failure.empty()) {
      failures.push_back(
          fmt::format("{}: {}", agents::without_credentials(news.target), printable(news.failure)));
    }
  }
  const std::size_t silent = targets - all.size();
  if (silent > 0) failures.push_back(fmt::format("{} did not answer", counted(silent, "page")));
  if (failures.empty()) return CommandOutcome::done();
  const std::string why = joined(failures, "; ");
  if (failures.size() + (silent > 0 ? silent - 1 : 0) < targets) return CommandOutcome::partly(why);
  return error(ErrorKind::lost, "{}", why);
}

}  // namespace

CommandOutcome print_watched(const SourceOptions& sources, const tui::DashboardOptions& view,
                             const FrameOutput& form) {
  const std::vector<agents::TargetNews> all = read_once(sources);
  CommandOutcome outcome = outcome_of(all, sources.pages.size());
  if (outcome.exit == Exit::failed) return outcome;
  const Instant now = system_now();
  RouterStart start;
  start.start = now;
  agents::WatchedHostSettings hosts;
  hosts.read_every = sources.every;
  DROVER_ASSIGN(auto fleet, LocalFleet::make(start, hosts, devices::Catalogue::embedded()));
  tui::DashboardOptions options = view;
  options.connected_to = sources_text(sources);
  tui::Dashboard core(options, form.size, now);
  core.set_connected(now, true);
  LocalViewer viewer(*fleet, core);
  viewer.join(now);
  for (const agents::TargetNews& news : all) fleet->take(now, news);
  fleet->tick(now);
  viewer.exchange(now);
  DROVER_TRY(write_frame(core, now, form, options));
  return outcome;
}

}  // namespace drover::commands
