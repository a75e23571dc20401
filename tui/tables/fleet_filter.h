// The dashboard's filter and its result, which map, tables, alerts and sums share; and the adapters
// that give filters and tables the fields of devices and jobs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/filter/device_subject.h"
#include "fleet/filter/filter.h"
#include "tui/model/model.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

/// The jobs that run on each device, computed once for all devices, or for those of one host.
class JobsByDevice {
 public:
  JobsByDevice() = default;
  explicit JobsByDevice(const Model& model, const HostRow* only = nullptr);
  const std::vector<const JobChanged*>& on(DeviceTable::Row row) const;

 private:
  std::map<DeviceTable::Row, std::vector<const JobChanged*>> jobs_;
};

/// What all subjects of one evaluation share.
struct EvaluationContext {
  const Model& model;
  Instant now{};
  const JobsByDevice& jobs;
};

/// A device of the model.
class ModelDevice : public filter::DeviceSubject {
 public:
  ModelDevice(const EvaluationContext& context, DeviceTable::Row row)
      : context_(context), row_(row) {}
  double reading(Metric metric) const override { return context_.model.reading(row_, metric); }
  DeviceCondition condition() const override;
  const Register& registration() const override {
    return context_.model.host_of(row_).reported.registration;
  }
  const Group& group() const override;
  std::uint16_t index() const override { return context_.model.devices().index(row_); }
  DeviceClass device_class() const override { return context_.model.spec_of(row_).device_class; }
  double slowdown_c() const override { return context_.model.spec_of(row_).slowdown_c; }
  double price_usd_per_h() const override { return context_.model.price_usd_per_h(row_); }
  void each_pool(const PoolVisitor& visit) const override;
  void each_replica(const ReplicaVisitor& visit) const override;
  void each_job(const JobVisitor& visit) const override;
  void each_alert(const AlertVisitor& visit) const override;

 private:
  const EvaluationContext& context_;
  DeviceTable::Row row_;
};

class JobSubject final : public filter::FilterSubject {
 public:
  JobSubject(const EvaluationContext& context, const JobChanged& job);
  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextMatcher& test) const override;

 private:
  const EvaluationContext& context_;
  const JobChanged& job_;
  std::optional<DeviceTable::Row> device_;  // the first of its devices
};

class FleetFilter {
 public:
  bool active() const { return !filter_.empty(); }
  const std::string& text() const { return filter_.text(); }
  /// Incremented with each new filter.
  std::uint64_t version() const { return version_; }
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
  Instant now_{};
  JobsByDevice jobs_;
  std::vector<std::uint8_t> shown_;  // by row
  std::uint32_t devices_ = 0;
};

/// The values of a text field that occur in this fleet, for completion.
std::vector<std::string> known_values(const Model& model, filter::Field field);

}  // namespace drover::tui
