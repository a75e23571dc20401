// The dashboard's filter and its result, which map, tables, alerts and sums share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/filter/filter.h"
#include "tui/model/model.h"
#include "tui/tables/filter_subjects.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

/// A condition of a filter: "host == gpu-a"; an empty value: the field is not known.
struct FilterCondition {
  std::string_view field;
  std::string value;
};

class FleetFilter {
 public:
  bool active() const { return !filter_.empty(); }
  const std::string& text() const { return filter_.text(); }
  /// Incremented with each new filter.
  std::uint64_t version() const { return version_; }
  /// Incremented with each new filter, and whenever it shows other devices than before.
  std::uint64_t result() const { return result_; }
  /// Sets the filter, from the next `evaluate` on, or returns the error in the text. An empty text
  /// shows everything.
  std::optional<filter::Problem> set(std::string_view text);
  void use(filter::Filter filter);
  /// Determines which devices are shown as of `now`. REQUIRED before the calls below.
  void evaluate(const Model& model, Instant now);

  std::uint32_t devices() const { return devices_; }  // that are shown
  bool shows(DeviceTable::Row row) const {
    return !active() || (row < shown_.size() && shown_[row] != 0);
  }
  /// Matches the job's own fields; for fields that only devices have, those of its devices.
  bool shows(const Model& model, const JobChanged& job) const;
  bool shows(const Model& model, const Decision& decision) const;
  bool shows(const Model& model, const LogEntry& entry) const;
  /// Whether one of its devices is shown.
  bool shows(const Model& model, const Replica& replica) const;

 private:
  bool shows_target(const Model& model, std::string_view target) const;

  filter::Filter filter_;
  bool asks_devices_ = false;  // for fields that only devices have
  bool asks_jobs_ = false;     // for the jobs of a device
  std::uint64_t version_ = 1;
  std::uint64_t result_ = 1;
  Instant now_{};
  JobsByDevice jobs_;
  std::vector<std::uint8_t> shown_;   // by row
  std::vector<std::uint8_t> before_;  // at the previous `evaluate`
  std::uint32_t devices_ = 0;
};

}  // namespace drover::tui
