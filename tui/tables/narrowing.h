// What a filter leaves of the fleet: the one answer that map, tables, alerts and sums share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/filter/filter.h"
#include "tui/model/model.h"
#include "tui/tables/filter_things.h"
#include "tui/tables/news.h"

namespace drover::tui {

class Narrowing {
 public:
  bool active() const { return !filter_.empty(); }
  const std::string& text() const { return filter_.text(); }
  /// Counts up with each new filter.
  std::uint64_t version() const { return version_; }
  /// Of that text, from the next `judge` on; else what is wrong with it. An empty one shows all.
  std::optional<filter::Problem> set(std::string_view text);
  /// Which devices of a model are shown, as of `now`: asked for before what follows.
  void judge(const Model& model, Instant now);

  std::uint32_t devices() const { return devices_; }  // that are shown
  bool shows(DeviceTable::Row row) const {
    return !active() || (row < shown_.size() && shown_[row] != 0);
  }
  /// By its own facts; where the filter asks what only devices have, by those that it runs on.
  bool shows(const Model& model, const JobChanged& job) const;
  bool shows(const Model& model, const Decision& decision) const;
  bool shows(const Model& model, const News& news) const;
  /// With one of its devices.
  bool shows(const Model& model, const Replica& replica) const;

 private:
  bool shows_target(const Model& model, std::string_view target) const;

  filter::Filter filter_;
  bool asks_devices_ = false;  // for what only they have
  bool asks_jobs_ = false;     // which jobs a device has
  std::uint64_t version_ = 1;
  Instant now_{};
  JobsByDevice jobs_;
  std::vector<std::uint8_t> shown_;  // by row
  std::uint32_t devices_ = 0;
};

}  // namespace drover::tui
