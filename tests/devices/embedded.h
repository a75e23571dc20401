// Short ways to the embedded specs, for tests.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "devices/catalogue/catalogue.h"
#include "devices/catalogue/spec_file.h"
#include "devices/operation/clock.h"
#include "devices/serving/performance.h"
#include "devices/training/layout.h"

namespace drover::devices {

inline const DeviceSpec& device_named(std::string_view id) {
  return (*Catalogue::embedded().device(id))->spec;
}
inline const ModelSpec& model_named(std::string_view id) {
  return (*Catalogue::embedded().model(id))->spec;
}
inline Placement on(std::string_view device, int devices = 1,
                    Precision precision = Precision::bf16) {
  return {&device_named(device), devices, precision};
}

/// The basis of a number; those without an entry are from the datasheet.
inline Basis basis_of(const DeviceSpec& spec, std::string_view section_and_key) {
  const auto found = spec.bases.find(section_and_key);
  return found == spec.bases.end() ? Basis::datasheet : found->second.basis;
}

inline TrainingJob job_on(const char* device, int devices, const char* model, double samples,
                          double sequence, Precision precision = Precision::bf16) {
  TrainingJob job;
  job.placement = on(device, devices, precision);
  job.model = &model_named(model);
  job.samples = samples;
  job.sequence = sequence;
  return job;
}

/// A spec whose file names no generation.
inline Result<DeviceSpec> parse_device_spec(std::string_view toml, std::string place) {
  const Result<toml_file::Table> parsed = toml_file::Table::parse(toml, std::move(place));
  if (!parsed) return parsed.error();
  return read_device_spec(*parsed, {});
}

/// Voltage at a clock, as a share of that at the nominal clock: switching power goes with f V^2.
inline double voltage_share(const DeviceSpec& device, double clock_share) {
  return std::sqrt(switching_share(device, clock_share) / switching_share(device, 1) / clock_share);
}

}  // namespace drover::devices
