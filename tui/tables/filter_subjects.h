// Adapters that give filters the fields of devices, jobs, decisions and log entries.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "fleet/filter/device_subject.h"
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
  bool real() const override { return context_.model.spec_of(row_).real; }
  const Board* board() const override { return context_.model.board_of(row_); }
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

class DecisionSubject final : public filter::FilterSubject {
 public:
  DecisionSubject(const EvaluationContext& context, const Decision& decision);
  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextMatcher& test) const override;

 private:
  const EvaluationContext& context_;
  const Decision& decision_;
  std::optional<DeviceTable::Row> device_;
};

/// Alerts and events; they also have the fields of the device that they concern.
class LogEntrySubject final : public filter::FilterSubject {
 public:
  LogEntrySubject(const EvaluationContext& context, const LogEntry& entry);
  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextMatcher& test) const override;

 private:
  const EvaluationContext& context_;
  const LogEntry& entry_;
  std::optional<DeviceTable::Row> device_;
};

/// The values of a text field that occur in this fleet, for completion.
std::vector<std::string> known_values(const Model& model, filter::Field field);

}  // namespace drover::tui
