#include "agents/drivers/nvml/nvidia_device.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/search.h"

namespace drover::agents {

namespace {

using nvml::Answer;
using nvml::Library;

constexpr double read_facts_every_s = 600;
constexpr std::chrono::milliseconds end_paths_within{500};

/// Metrics that one call answers with a whole number, and what one is in the metric's unit.
struct Number {
  Metric metric;
  nvml::Function<nvml::Device, unsigned*> Library::*function;
  double unit;
};
constexpr std::array<Number, 5> number_table{{
    {Metric::power, &Library::power, 1e-3},          // mW
    {Metric::power_cap, &Library::power_cap, 1e-3},  // mW
    {Metric::pcie_generation, &Library::pcie_generation, 1},
    {Metric::pcie_lanes, &Library::pcie_lanes, 1},
    {Metric::fan, &Library::fan, 0.01},  // %
}};

/// Metrics of no real device, or of the host.
constexpr std::array<Metric, 3> others{Metric::queue, Metric::running, Metric::busiest_cpu_core};

}  // namespace

NvidiaDevice::NvidiaDevice(const Library& library, NvidiaBoard board, const DriverPlaces& places)
    : library_(library),
      use_(library_),
      board_(std::move(board)),
      questions_(library_, board_.driver),
      owners_(places.root) {}

NvidiaDevice::~NvidiaDevice() {
  // The process may be ending, and with it the library: no call should be in it.
  if (paths_.valid()) (void)paths_.wait_for(end_paths_within);
  if (events_) (void)library_.free_event_set(events_);
  if (activity_before_) (void)library_.free_gpm_sample(activity_before_);
  if (activity_now_) (void)library_.free_gpm_sample(activity_now_);
}

BoardReading NvidiaDevice::read(double now_s) {
  questions_.begin(now_s);
  BoardReading reading;
  reading.identity = board_.identity;
  reading.index = static_cast<std::uint16_t>(board_.index);
  reading.vendor = "nvidia";
  if (facts_read_s_ == 0 || now_s - facts_read_s_ >= read_facts_every_s) read_facts(now_s);
  read_links(now_s);
  read_paths();
  reading.board = facts_;
  read_partitions(reading.board);
  read_events(reading);  // after what may forget the questions
  read_numbers(reading.values);
  read_memory(reading.values);
  read_counters(reading.values);
  read_fields(reading.values, now_s);
  read_activity(reading.values);
  read_processes(reading.board, now_s);
  reading.lost = questions_.lost();
  if (reading.lost.empty()) {
    fill_in_missing(reading);
  } else {
    read_events(reading);  // the Xid that tells why may have come during this reading
    reading.values = {};
    reading.board = facts_;
  }
  return reading;
}

void NvidiaDevice::read_facts(double now_s) {
  facts_read_s_ = now_s;
  facts_.name = board_.name;
  facts_.uuid = board_.uuid;
  facts_.bus = board_.bus;
  facts_.driver = "NVIDIA " + board_.driver;
  facts_.read_by = "NVML";
  facts_.numa_node = board_.numa_node;
  const auto ask = [&](const auto& function, auto... arguments) {
    return questions_.lost().empty() && questions_.note(question_of_facts, function.symbol(),
                                                        function(board_.handle, arguments...));
  };
  unsigned low = 0;
  unsigned high = 0;
  if (ask(library_.power_cap_range, &low, &high)) {
    facts_.power_cap_min_w = low * 1e-3;
    facts_.power_cap_max_w = high * 1e-3;
  }
  unsigned value = 0;
  if (ask(library_.power_cap_default, &value)) facts_.power_cap_default_w = value * 1e-3;
  if (ask(library_.clock_max, nvml::clock_sm, &value)) facts_.clock_max_mhz = value;
  if (ask(library_.temperature_threshold, nvml::threshold_slowdown, &value))
    facts_.slowdown_c = value;
  if (ask(library_.pcie_generation_max, &value))
    facts_.pcie_generation_max = static_cast<std::uint16_t>(value);
  if (ask(library_.pcie_lanes_max, &value))
    facts_.pcie_lanes_max = static_cast<std::uint16_t>(value);
}

void NvidiaDevice::read_numbers(Sample& values) {
  for (const Number& number : number_table) {
    unsigned value = 0;
    if (questions_.ask(about(number.metric), library_.*number.function, board_.handle, &value))
      values[number.metric] = value * number.unit;
  }
  const auto ask = [&](Metric metric, double unit, const auto& function, auto choice) {
    unsigned value = 0;
    if (questions_.ask(about(metric), function, board_.handle, choice, &value))
      values[metric] = value * unit;
  };
  ask(Metric::temperature, 1, library_.temperature, nvml::sensor_gpu);
  ask(Metric::clock, 1, library_.clock, nvml::clock_sm);
  ask(Metric::memory_clock, 1, library_.clock, nvml::clock_memory);
  ask(Metric::pcie_sent, 1e3, library_.pcie_throughput, nvml::pcie_sent);  // kB/s
  ask(Metric::pcie_received, 1e3, library_.pcie_throughput, nvml::pcie_received);
  nvml::Utilization utilization{};
  if (questions_.ask(about(Metric::utilization), library_.utilization, board_.handle, &utilization))
    values[Metric::utilization] = utilization.gpu / 100.0;
}

void NvidiaDevice::read_memory(Sample& values) {
  nvml::MemoryVersion2 newer{};
  newer.version = nvml::memory_tag_2;
  nvml::Memory older{};
  if (questions_.ask(about(Metric::memory_used), library_.memory_version_2, board_.handle,
                     &newer)) {
    values[Metric::memory_used] = static_cast<double>(newer.used);
    values[Metric::memory_total] = static_cast<double>(newer.total);
  } else if (questions_.ask(question_memory_version_1, library_.memory, board_.handle, &older)) {
    values[Metric::memory_used] = static_cast<double>(older.used);
    values[Metric::memory_total] = static_cast<double>(older.total);
  }
}

void NvidiaDevice::read_counters(Sample& values) {
  std::uint64_t count = 0;
  if (questions_.ask(about(Metric::energy), library_.energy, board_.handle, &count))
    values[Metric::energy] = static_cast<double>(count) * 1e-3;  // mJ
  if (questions_.ask(about(Metric::throttle), library_.throttle, board_.handle, &count))
    values[Metric::throttle] = static_cast<double>(count & 0xFFFFFFFF);
  const auto ask_ecc = [&](Metric metric, nvml::ErrorType type) {
    if (questions_.ask(about(metric), library_.ecc_errors, board_.handle, type,
                       nvml::counter_volatile, &count))
      values[metric] = static_cast<double>(count);
  };
  ask_ecc(Metric::ecc_corrected, nvml::errors_corrected);
  ask_ecc(Metric::ecc_uncorrected, nvml::errors_uncorrected);
  const auto ask_violation = [&](Metric metric, nvml::Policy policy) {
    nvml::ViolationTime time{};
    if (questions_.ask(about(metric), library_.violation, board_.handle, policy, &time))
      values[metric] = static_cast<double>(time.violation_ns) * 1e-9;
  };
  ask_violation(Metric::power_violation, nvml::policy_power);
  ask_violation(Metric::thermal_violation, nvml::policy_thermal);
  ask_violation(Metric::board_limit_violation, nvml::policy_board_limit);
}

void NvidiaDevice::fill_in_missing(BoardReading& reading) const {
  for (int number = 0; number < metric_count; ++number) {
    const auto metric = static_cast<Metric>(number);
    if (contains(others, metric) || !std::isnan(reading.values[metric])) continue;
    Question question = about(metric);
    if (metric == Metric::memory_total) question = about(Metric::memory_used);
    if (metric == Metric::memory_activity) question = about(Metric::tensor_activity);
    reading.board.missing.push_back(
        {static_cast<std::uint8_t>(number), questions_.why_not(question)});
  }
}

Status NvidiaDevice::set_power_cap(double watts) {
  unsigned low = 0;
  unsigned high = 0;
  Answer answer = library_.power_cap_range(board_.handle, &low, &high);
  if (answer == Answer::ok && !(watts * 1e3 >= low && watts * 1e3 <= high)) {
    return error("{} W: the driver accepts power caps from {} W to {} W", watts, low * 1e-3,
                 high * 1e-3);
  }
  if (answer == Answer::ok)
    answer = library_.set_power_cap(board_.handle, static_cast<unsigned>(std::lround(watts * 1e3)));
  if (answer == Answer::ok) return {};
  if (answer == Answer::no_permission)
    return error(ErrorKind::refused, "the driver lets only root set power caps");
  // What is not supported will not be the next time.
  const bool lasting = answer == Answer::not_supported || answer == Answer::function_not_found;
  return error(lasting ? ErrorKind::refused : ErrorKind::io, "driver: {}",
               library_.text_of(answer));
}

}  // namespace drover::agents
