#include "fleet/diagnosis/diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/xid.h"

namespace drover {
namespace {

constexpr double busy_utilization = 0.5;
constexpr double parked_share = 0.5;                // of the greatest clock
constexpr double full_clock_share = 0.99;           // of the greatest clock: it is not reduced
constexpr double chosen_cap_share = 0.995;          // of the default cap: readings are rounded
constexpr double saturated_core = 0.95;             // share of its time
constexpr double memory_bound_share = 0.6;          // of the memory bandwidth
constexpr double idle_matrix_share = 0.3;           // of the peak of the matrix units
constexpr std::uint32_t applications_clocks = 0x2;  // NVML's reason: a clock that somebody set

struct CauseName {
  SlowCause cause;
  std::string_view name;
};
constexpr std::array<CauseName, slow_cause_count> cause_names = {{
    {SlowCause::hardware_thermal, "hw thermal"},
    {SlowCause::power_brake, "power brake"},
    {SlowCause::hardware_slowdown, "hw slowdown"},
    {SlowCause::xid, "xid"},
    {SlowCause::ecc, "ecc"},
    {SlowCause::injected_fault, "injected fault"},
    {SlowCause::software_thermal, "thermal"},
    {SlowCause::power_cap, "power cap"},
    {SlowCause::parked_clock, "parked clock"},
    {SlowCause::pcie_link, "pcie link"},
    {SlowCause::device_links, "device links"},
    {SlowCause::starved, "starved"},
    {SlowCause::peer, "peer"},
    {SlowCause::preparing, "preparing"},
    {SlowCause::memory_bound, "memory bound"},
    {SlowCause::chosen_limit, "chosen limit"},
}};
static_assert(is_in_order(cause_names, &CauseName::cause));

constexpr std::array cause_metrics = {Metric::utilization,
                                      Metric::tensor_activity,
                                      Metric::memory_activity,
                                      Metric::clock,
                                      Metric::throttle,
                                      Metric::link_sent,
                                      Metric::pcie_sent,
                                      Metric::pcie_generation,
                                      Metric::pcie_lanes,
                                      Metric::ecc_uncorrected,
                                      Metric::xid,
                                      Metric::busiest_cpu_core};

/// Throttle reasons, without "idle", which is none; 0 if they are not known.
std::uint32_t reasons_in(double throttle) {
  if (!(throttle >= 0)) return 0;
  return static_cast<std::uint32_t>(std::min(throttle, 4e9)) & ~std::uint32_t{throttle_gpu_idle};
}

class Diagnosis {
 public:
  explicit Diagnosis(const DeviceEvidence& device)
      : device_(device), reasons_(reasons_in(device.values[Metric::throttle])) {}

  std::vector<LikelyCause> take() {
    add_throttling();
    add_errors();
    add_parked_clock();
    add_pcie_link();
    add_silent_links();
    add_starved();
    add_pause();
    add_memory_bound();
    std::ranges::stable_sort(causes_, [](const LikelyCause& a, const LikelyCause& b) {
      return a.severity != b.severity ? a.severity > b.severity : a.cause < b.cause;
    });
    return std::move(causes_);
  }

 private:
  void add(SlowCause cause, Severity severity, std::string what, std::string signal) {
    causes_.push_back({cause, severity, std::move(what), std::move(signal)});
  }
  double now(Metric metric) const { return device_.values[metric]; }
  bool is_busy() const { return now(Metric::utilization) >= busy_utilization; }

  std::string clock_text() const {
    const double mhz = now(Metric::clock), most = device_.clock_max_mhz;
    if (std::isnan(mhz)) return {};
    return most > 0 ? fmt::format(", clock {:.0f} of {:.0f} MHz", mhz, most)
                    : fmt::format(", clock {:.0f} MHz", mhz);
  }
  std::string temperature_text() const {
    const double celsius = now(Metric::temperature);
    return std::isnan(celsius) ? std::string() : fmt::format(", {:.0f}C", celsius);
  }

  /// The hardware's reasons always reduce the clock; those of the software only if it is below its
  /// maximum, where both are known.
  void add_throttling() {
    if ((reasons_ & throttle_hw_thermal_slowdown) != 0) {
      add(SlowCause::hardware_thermal, Severity::critical,
          "the board is too hot: its hardware has at least halved the clock",
          "throttle reason hw thermal" + temperature_text() + clock_text());
    } else if ((reasons_ & throttle_hw_power_brake) != 0) {
      add(SlowCause::power_brake, Severity::critical,
          "the power supply makes the hardware at least halve the clock",
          "throttle reason power brake" + clock_text());
    } else if ((reasons_ & throttle_hw_slowdown) != 0) {
      add(SlowCause::hardware_slowdown, Severity::critical,
          "its hardware at least halves the clock: heat, a power brake or too high a draw",
          "throttle reason hw slowdown" + clock_text());
    }
    if (now(Metric::clock) >= full_clock_share * device_.clock_max_mhz) return;
    if ((reasons_ & throttle_sw_thermal_slowdown) != 0) {
      add(SlowCause::software_thermal, Severity::warning,
          "the board is warm: its driver reduces the clock to cool it",
          "throttle reason thermal" + temperature_text() + clock_text());
    }
    if ((reasons_ & throttle_sw_power_cap) != 0) add_power_cap();
    if ((reasons_ & applications_clocks) != 0) {
      add(SlowCause::chosen_limit, Severity::info,
          "no fault: somebody set a lower clock for applications",
          "throttle reason applications clocks" + clock_text());
    }
  }

  void add_power_cap() {
    const double cap = now(Metric::power_cap), usual = device_.power_cap_default_w;
    std::string signal = "throttle reason power cap";
    if (!std::isnan(now(Metric::power))) signal += ", " + watts_text(now(Metric::power));
    if (!std::isnan(cap)) signal += ", cap " + watts_text(cap);
    signal += clock_text();
    if (cap < chosen_cap_share * usual) {
      add(SlowCause::chosen_limit, Severity::info,
          fmt::format("no fault: a power cap below the usual {} was set for it", watts_text(usual)),
          signal);
    } else {
      add(SlowCause::power_cap, Severity::warning,
          "its work needs more power than its cap allows, so the clock is reduced", signal);
    }
  }

  void add_errors() {
    const double last = now(Metric::xid);
    if (last > 0 && last < 4e9) add_xid(static_cast<std::uint32_t>(last));
    const double errors = now(Metric::ecc_uncorrected);
    if (errors > 0) {
      add(SlowCause::ecc, Severity::warning,
          "its memory has errors that ECC cannot correct: work fails or is repeated",
          fmt::format("{:.0f} uncorrected since the driver was loaded", errors));
    }
    if (!device_.injected.empty()) {
      add(SlowCause::injected_fault, Severity::warning, "a fault was injected into it",
          joined(device_.injected, ", "));
    }
  }

  /// The driver keeps its last Xid through a reset, until it is loaded again.
  void add_xid(std::uint32_t number) {
    switch (effect_of_xid(number)) {
      case XidEffect::reset:
      case XidEffect::off_bus:
        if (now(Metric::utilization) > 0) {
          return add(SlowCause::xid, Severity::warning,
                     "its last error calls for a reset, but work runs on it", xid_text(number));
        }
        return add(SlowCause::xid, Severity::critical, "the device needs a reset after an error",
                   xid_text(number));
      case XidEffect::work_fails:
        return add(SlowCause::xid, Severity::info,
                   "its work failed with an error; new work can run", xid_text(number));
      case XidEffect::none:
        return add(SlowCause::xid, Severity::warning, "the driver has reported an error",
                   xid_text(number));
    }
  }

  /// Work on the clock of an idle board. That a board is awake is known only where an idle one
  /// would report the reason "idle".
  void add_parked_clock() {
    const double mhz = now(Metric::clock), most = device_.clock_max_mhz;
    if (reasons_ != 0 || !(mhz < parked_share * most)) return;
    const bool awake = device_.tells_idle && now(Metric::throttle) == 0 && device_.memory_taken;
    if (!is_busy() && !awake) return;
    add(SlowCause::parked_clock, Severity::warning,
        "it has work, but its clock is that of an idle board",
        fmt::format("clock {:.0f} of {:.0f} MHz without a throttle reason, {}", mhz, most,
                    is_busy() ? fmt::format("utilization {:.0f}%", 100 * now(Metric::utilization))
                              : "processes hold memory"));
  }

  void add_pcie_link() {
    if (!is_busy()) return;
    const double generation = now(Metric::pcie_generation), lanes = now(Metric::pcie_lanes);
    const bool older = generation > 0 && generation < device_.pcie_generation_max;
    const bool narrower = lanes > 0 && lanes < device_.pcie_lanes_max;
    if (!older && !narrower) return;
    std::string signal = "PCIe";
    if (older) {
      signal += fmt::format(" generation {:.0f} of {}", generation, device_.pcie_generation_max);
    }
    if (narrower) signal += fmt::format(" x{:.0f} of x{}", lanes, device_.pcie_lanes_max);
    add(SlowCause::pcie_link, Severity::warning,
        "its PCIe link is slower than board and slot allow: transfers from the host take longer",
        signal + " while it is busy");
  }

  /// Links to other devices that carry nothing, while those of most like it do. A job on one device
  /// needs no links, so this alone is no fault.
  void add_silent_links() {
    const double own = now(Metric::link_sent) + now(Metric::link_received);
    if (!is_busy() || !(own == 0)) return;
    if (!(now(Metric::pcie_sent) + now(Metric::pcie_received) > 0)) return;
    std::size_t known = 0, moving = 0;
    for (const NeighbourEvidence& other : device_.neighbours) {
      if (!std::isnan(other.links)) ++known;
      if (other.links > 0) ++moving;
    }
    if (moving == 0 || 2 * moving < known) return;
    add(SlowCause::device_links, Severity::info,
        "its links to other devices carry nothing: its work is its own, or uses PCIe",
        fmt::format("0B/s over its links, while {} of {} beside it use theirs", moving,
                    counted(known, "device")));
  }

  void add_starved() {
    const double core = now(Metric::busiest_cpu_core), load = now(Metric::utilization);
    if (!device_.has_work || !(core > saturated_core)) return;
    // A process is not work yet: a desktop holds an idle board.
    if (!(load > 0 && load < busy_utilization)) return;
    add(SlowCause::starved, Severity::warning,
        "its work waits for input: a CPU core of the host is saturated",
        fmt::format("utilization {:.0f}%, busiest CPU core {:.0f}%", 100 * load, 100 * core));
  }

  void add_pause() {
    if (device_.pause == Pause::none) return;
    const std::string signal =
        fmt::format("its agent reports the pause {}", to_text(device_.pause));
    if (device_.pause != Pause::peer) {
      const bool compiles = device_.pause == Pause::compiling;
      add(SlowCause::preparing, Severity::info,
          device_.pause == Pause::loading ? "no fault: it loads the weights of a model"
          : compiles                      ? "no fault: it compiles a shape for the first time"
                     : "no fault: prompts of other requests are processed first",
          signal);
      return;
    }
    std::vector<std::string> throttled;
    for (const NeighbourEvidence& other : device_.neighbours) {
      if (other.in_gang && reasons_in(other.throttle) != 0) throttled.push_back(other.device);
    }
    constexpr std::size_t named_max = 3;
    add(SlowCause::peer, Severity::warning, "it waits for another part of its gang",
        throttled.empty() ? signal
                          : fmt::format("{}; throttled in its gang: {}", signal,
                                        shortened_list(throttled, named_max)));
  }

  void add_memory_bound() {
    const double memory = now(Metric::memory_activity), matrix = now(Metric::tensor_activity);
    if (!(memory >= memory_bound_share) || !(matrix < idle_matrix_share)) return;
    add(SlowCause::memory_bound, Severity::info,
        "no fault: its work is limited by the memory bandwidth",
        fmt::format("memory bandwidth {:.0f}%, tensor activity {:.0f}%", 100 * memory,
                    100 * matrix));
  }

  const DeviceEvidence& device_;
  std::uint32_t reasons_;
  std::vector<LikelyCause> causes_;
};

}  // namespace

std::string_view to_text(SlowCause cause) { return row_at(cause_names, cause).name; }

std::span<const Metric> slow_cause_metrics() { return cause_metrics; }

std::vector<LikelyCause> likely_causes(const DeviceEvidence& device) {
  return Diagnosis(device).take();
}

}  // namespace drover
