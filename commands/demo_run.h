// One run of the demo: starts the fleet, watches over it, ends it and sums it up.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "commands/dashboard_loop.h"
#include "commands/dashboard_settings.h"
#include "commands/demo_fleet.h"
#include "commands/files.h"
#include "commands/outcome.h"
#include "commands/session.h"
#include "commands/stop_signals.h"
#include "commands/supervisor.h"
#include "fleet/json.h"

namespace drover::commands {

enum class DemoShow {
  dashboard,  // on this terminal, until q
  frame,      // one settled frame as text
  summary,    // nothing but a summary at the end
};

struct DemoPlan {
  DemoOptions fleet;
  DemoShow show = DemoShow::dashboard;
  bool json = false;
  std::optional<Wall> feed_for;  // wall time; absent: until the trace ends, or for ever
  DashboardSettings settings{GivenSettings{}};
  tui::Size size{120, 40};
};

class DemoRun {
 public:
  explicit DemoRun(DemoPlan plan) : plan_(std::move(plan)) {}
  Outcome run();

 private:
  enum class Phase { feeding, draining, over };

  Status start();
  Status start_router();
  Status start_agents();
  Status open_terminal();
  Status open_dashboard();
  Outcome loop();
  void turn();
  Status watch_children();
  void note_fault(const Ended& ended);
  void advance();
  void begin_draining();
  void read_feeder();
  bool frame_settled() const;
  Outcome print_frame();
  Outcome finish();
  Outcome print_summary(const Summary& summary);
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
  Wall begun_{0};
  Wall feeding_since_{0};
  Wall draining_since_{0};
  Wall summary_asked_{0};
  Summary latest_;
  bool latest_fresh_ = false;  // `latest_` was sent after the feeder had ended
  Json fed_;                   // the feeder's own summary
  std::vector<std::string> faults_;
};

}  // namespace drover::commands
