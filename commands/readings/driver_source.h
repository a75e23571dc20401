// The devices of this machine as a source of readings.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agents/drivers/cpu.h"
#include "agents/drivers/device_workers.h"
#include "agents/drivers/driver.h"
#include "commands/readings/reading_source.h"

namespace drover::commands {

class DriverSource : public ReadingSource {
 public:
  explicit DriverSource(agents::DriverPlaces places = {});

  int descriptor() const override { return workers_.descriptor(); }
  void request(WallTime now) override;
  /// All devices of the machine together, as soon as each has answered, or a moment later without
  /// those that have not.
  std::vector<agents::TargetNews> take(WallTime now) override;
  WallTime next_deadline() const override;
  std::vector<std::string> take_notes() override { return std::exchange(notes_, {}); }
  void set_power_cap(const agents::CapBoard& cap) override;
  std::vector<CapAnswer> take_cap_answers() override { return std::exchange(cap_answers_, {}); }

  /// What the last search found; empty until it has ended.
  const std::vector<agents::FoundDriver>& found() const { return found_; }

 private:
  void add_silent(WallTime now, agents::HostReading& reading);
  void note_once(std::string note);

  agents::DriverPlaces places_;
  agents::BusiestCore cpu_;
  agents::DeviceWorkers workers_;
  std::vector<agents::FoundDriver> found_;
  bool searched_ = false;
  std::size_t devices_ = 0;  // that the last search found
  std::vector<agents::BoardReading> fresh_;
  std::map<std::string, agents::BoardReading> last_;  // by identity
  WallTime requested_ = WallTime::max();
  std::vector<std::string> notes_;
  std::set<std::string> noted_;  // ever
  std::vector<CapAnswer> cap_answers_;
};

}  // namespace drover::commands
