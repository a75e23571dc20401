// Devices, jobs and alerts as filters see them.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "fleet/filter/filter.h"
#include "tui/model/model.h"
#include "tui/tables/news.h"

namespace drover::tui {

/// Which jobs run on which device, found once for all devices.
class JobsByDevice {
 public:
  JobsByDevice() = default;
  explicit JobsByDevice(const Model& model);
  const std::vector<const JobChanged*>& on(DeviceTable::Row row) const;

 private:
  std::map<DeviceTable::Row, std::vector<const JobChanged*>> jobs_;
};

/// What all devices of one judgement share.
struct Judged {
  const Model& model;
  Instant now{};
  const JobsByDevice& jobs;
};

class DeviceThing final : public filter::Thing {
 public:
  DeviceThing(const Judged& judged, DeviceTable::Row row) : judged_(judged), row_(row) {}
  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextTest& test) const override;

 private:
  void job_texts(filter::Field field, filter::TextTest& test) const;
  void model_texts(filter::TextTest& test) const;
  void pause_texts(filter::TextTest& test) const;

  const Judged& judged_;
  DeviceTable::Row row_;
};

class JobThing final : public filter::Thing {
 public:
  JobThing(const Judged& judged, const JobChanged& job);
  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextTest& test) const override;

 private:
  const Judged& judged_;
  const JobChanged& job_;
  std::optional<DeviceTable::Row> place_;  // the first of its devices
};

class DecisionThing final : public filter::Thing {
 public:
  DecisionThing(const Judged& judged, const Decision& decision);
  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextTest& test) const override;

 private:
  const Judged& judged_;
  const Decision& decision_;
  std::optional<DeviceTable::Row> place_;
};

/// Alerts and events; they answer for the device that they are about as well.
class NewsThing final : public filter::Thing {
 public:
  NewsThing(const Judged& judged, const News& news);
  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextTest& test) const override;

 private:
  const Judged& judged_;
  const News& news_;
  std::optional<DeviceTable::Row> place_;
};

/// The values of a text field that this fleet has, for completion.
std::vector<std::string> known_values(const Model& model, filter::Field field);

}  // namespace drover::tui
