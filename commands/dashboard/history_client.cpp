#include "commands/dashboard/history_client.h"

#include <algorithm>
#include <utility>

#include "agents/scrape/texts.h"

namespace drover::commands {
namespace {

constexpr PageFetcherSettings fetch_settings{.connect_within = std::chrono::seconds(2),
                                             .answer_within = std::chrono::seconds(10),
                                             .threads_max = 1,
                                             .page_bytes_max = std::size_t{4} << 20};

}  // namespace

std::string HistoryClient::name() const {
  const std::string url = agents::without_credentials(url_);
  const std::size_t begin = url.find("://") + 3;
  return url.substr(begin, url.find_first_of("/?#", begin) - begin);
}

void HistoryClient::ask(const tui::HistoryQuestion& question, const ClockPair& clocks) {
  question_ = question;
  clocks_ = clocks;
  HistoryQuery query = history_query(question, clocks);
  fetcher_ = std::make_unique<PageFetcher>(
      std::vector{PageTarget{url_, std::move(query.query), std::move(query.range)}},
      fetch_settings);
  fetcher_->request(wall_now());
}

void HistoryClient::pass_answer(tui::Dashboard& dashboard, Instant now) {
  if (!fetcher_) return;
  std::vector<FetchedText> texts = fetcher_->take_texts();
  if (texts.empty()) return fetcher_->request(wall_now());  // ends one that takes too long
  fetcher_.reset();
  std::string& failure = texts.front().failure;
  dashboard.take_history(now, failure.empty()
                                  ? read_history_answer(texts.front().text, question_, clocks_)
                                  : tui::HistoryAnswer{question_, std::move(failure), {}});
}

Option history_from_option() {
  return {"history-from", "URL",
          "charts of devices reach back beyond memory, up to 7 days, with what the Prometheus or "
          "VictoriaMetrics server at URL knows"};
}

std::unique_ptr<HistoryClient> read_history_from(Arguments& arguments) {
  if (!arguments.has("history-from")) return nullptr;
  const std::string url = arguments.text("history-from");
  if (const auto target = parse_page_target(url, "--history-from"); !target) {
    arguments.add_problem(target.error());
    return nullptr;
  }
  return std::make_unique<HistoryClient>(url);
}

}  // namespace drover::commands
