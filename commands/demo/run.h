// One run of the demo: starts the fleet, supervises it, ends it and prints a summary.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "commands/connection/session.h"
#include "commands/dashboard/dashboard_loop.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/demo/fleet.h"
#include "commands/shell/files.h"
#include "commands/shell/outcome.h"
#include "commands/shell/stop_signals.h"
#include "commands/shell/supervisor.h"
#include "fleet/text/json.h"

namespace drover::commands {

enum class DemoOutput {
  dashboard,  // on this terminal, until q
  frame,      // one frame of the busy fleet as text
  summary,    // only a summary at the end
};

struct DemoPlan {
  DemoOptions fleet;
  std::string listen;  // the router's control endpoint; empty: the default, else free ports
  DemoOutput output = DemoOutput::dashboard;
  bool json = false;
  std::optional<WallSpan> feed_for;  // wall time; no value: until the trace ends, or for ever
  DashboardSettings settings{CommandLineSettings{}};
  tui::Size size;
};

class DemoRun {
 public:
  explicit DemoRun(DemoPlan plan) : plan_(std::move(plan)) {}
  CommandOutcome run();

 private:
  enum class Phase { feeding, draining, over };

  Status start();
  Status start_router();
  RouterAddress address() const;
  Status start_agents();
  Status open_terminal();
  Status open_dashboard();
  CommandOutcome loop();
  void turn();
  void note_summary(const Envelope& envelope);
  Status watch_children();
  void report_child_failure(const Ended& ended);
  void advance();
  void begin_draining();
  void read_feeder();
  bool frame_settled() const;
  CommandOutcome print_frame();
  CommandOutcome finish();
  CommandOutcome print_summary(const Summary& summary);
  Error child_error(const std::string& name, const std::string& what);

  DemoPlan plan_;
  StopSignals signals_;  // before the sockets, whose threads must not take signals
  std::optional<TemporaryFolder> folder_;
  std::optional<Supervisor> children_;
  std::string endpoint_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<tui::Terminal> terminal_;
  std::unique_ptr<DashboardLoop> dashboard_;
  Phase phase_ = Phase::feeding;
  WallTime begun_{};
  WallTime feeding_since_{};
  WallTime draining_since_{};
  WallTime summary_asked_{};
  Summary latest_;
  bool latest_fresh_ = false;  // `latest_` arrived after the feeder had ended
  Json fed_;                   // the feeder's own summary
  std::vector<std::string> failures_;
};

}  // namespace drover::commands
