// Asks a Prometheus server what a dashboard wants to know of the past, on a thread of its own: a
// slow server never stops the dashboard.
#pragma once

#include <memory>
#include <string>

#include "commands/dashboard/history_query.h"
#include "commands/readings/page_fetcher.h"
#include "commands/shell/options.h"
#include "tui/dashboard.h"

namespace drover::commands {

class HistoryClient {
 public:
  /// `url` has been checked.
  explicit HistoryClient(std::string url) : url_(std::move(url)) {}

  /// "prometheus:9090", without user and password.
  std::string name() const;
  /// Ends an earlier question.
  void ask(const tui::HistoryQuestion& question, const ClockPair& clocks);
  /// Gives the dashboard the answer, once it is there: the server's, or why it has not come.
  void pass_answer(tui::Dashboard& dashboard, Instant now);

 private:
  std::string url_;
  tui::HistoryQuestion question_;
  ClockPair clocks_;
  std::unique_ptr<PageFetcher> fetcher_;  // null: no question is open
};

/// The option `--history-from`, and the client of the server that it names; null: of none.
Option history_from_option();
std::unique_ptr<HistoryClient> read_history_from(Arguments& arguments);

}  // namespace drover::commands
