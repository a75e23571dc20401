// The formulas are those of devices/: power.cpp, heat.h, clock.cpp, chip.h, sensor.h, memory.cpp,
// and of docs/devices.md, in words short enough for a panel.
#include "tui/model/figures.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

namespace drover::tui {
namespace {

constexpr unsigned errors(std::initializer_list<ErrorClass> classes) {
  unsigned bits = 0;
  for (const ErrorClass one : classes) bits |= 1u << static_cast<unsigned>(one);
  return bits;
}

using enum ErrorClass;
constexpr std::array<Figure, figure_count> figure_table = {{
    {"utilization",
     "The share of the last {sensor.activity_s| s} in which any kernel ran, however little of the "
     "device it used; of a TPU, in which its cores computed.",
     "time in which work was resident / time; of a TPU the share of its steps that is no waiting",
     errors({training, decode, serving, nets})},
    {"memory used", "Bytes taken of the {memory.capacity_gib| GiB} of the device.",
     "weights and KV cache of a replica, both taken whole when it is loaded, or what a training "
     "job keeps: weights, gradients, optimiser, activations\n"
     "KV cache = 0.9 x {memory.capacity_gib| GiB} - {memory.reserved_gib| GiB} for driver and "
     "compiler - weights - one chunk of a prompt",
     0},
    {"power",
     "Watts of the board: a mean over {sensor.power_window_s| s}, renewed each "
     "{sensor.power_refresh_s| s}, of which {sensor.power_sampled_share} is looked at.",
     "P = {power.open_w| W} + a x {matrix.units| units} x ({power.active_w_per_unit| W} x share at "
     "work + {power.matrix_w_per_unit| W} x (matrix units / clock)^{power.matrix_exponent}) + "
     "{power.memory_pj_per_byte| pJ/B} x {memory.bandwidth_gb_s| GB/s} x memory bandwidth + "
     "{power.link_pj_per_byte| pJ/B} x bytes over links\n"
     "a = clock x voltage^2 over that at {power.reference_mhz| MHz} (0: the nominal clock); "
     "nothing loaded: {power.idle_w| W}",
     errors({ErrorClass::power})},
    {"temperature",
     "Degrees of the die in steps of {sensor.temperature_step_c| C}; the line: of the memory "
     "beside it, where the board tells them.",
     "die nears sink + {heat.die_k_per_w| K/W} x P with {heat.die_s| s}\n"
     "sink nears inlet + {heat.sink_k_per_w| K/W} x P with {heat.sink_s| s}\n"
     "memory = inlet + {heat.memory_offset_k| K} + {heat.memory_sink_share} x (sink - inlet) + "
     "{heat.memory_die_share} x (die - sink)",
     errors({ErrorClass::temperature})},
    {"running and queued",
     "Requests in the batch or training jobs; the line: accepted requests that wait. Counted.",
     "a request joins the batch when its input and its output fit into the KV cache, and leaves it "
     "with its last token",
     errors({decode, serving})},
    {"clock", "MHz of the cores, in steps of {sensor.clock_step_mhz}.",
     "{clock.nominal_mhz| MHz} x (1 - steps x {clock.step_share}), not below {clock.min_share} of "
     "it: the fewest steps with P under the power cap\n"
     "above {heat.max_c| C} a step more each second; from {heat.slowdown_c| C} on half of it\n"
     "voltage over that at {clock.knee_mhz| MHz} = 1 + {clock.voltage_slope} x (clock / "
     "{clock.knee_mhz| MHz} - 1), and 1 below it",
     errors({power_cap})},
    {"matrix units",
     "What the matrix units achieve of their peak, a mean over {sensor.activity_s| s}.",
     "operations of a step's products / (its time x the peak of their precision)\n"
     "a large product alone reaches {matrix.efficiency} of it on {matrix.units| units}",
     errors({products, training, decode})},
    {"memory bandwidth",
     "Bytes moved of what the memory could move, a mean over {sensor.activity_s| s}.",
     "weights, KV cache and activations that a step reads and writes / (its time x "
     "{memory.bandwidth_gb_s| GB/s})\n"
     "what streams alone reaches {memory.efficiency} of it",
     errors({decode, serving})},
    {"energy", "Joules since its agent started; the chart: joules a second.",
     "P summed up over time, exactly: the draw itself, not what the sensor of power tells",
     errors({ErrorClass::power})},
    {"slowed by", "Why the clock is lower than the work would have it: NVML's reasons.",
     "P power cap: P would be above the cap in force\n"
     "t heat: the die above {heat.max_c| C}, or the memory above {heat.memory_max_c| C} (250: not "
     "modelled), until 3 K below\n"
     "T and H: from {heat.slowdown_c| C} on half the clock, until 3 K below {heat.max_c| C}; "
     "off at {heat.shutdown_c| C}\n"
     "H alone: a power brake from outside",
     errors({power_cap})},
    {"memory", "What the memory holds. Makers' GB of GPUs are GiB.", "{memory.capacity_gib| GiB}"},
    {"bandwidth", "Of the memory, as its maker prints it.", "{memory.bandwidth_gb_s| GB/s}"},
    {"peak", "Of the matrix units, dense and native; fp32: of vector units.",
     "TFLOP/s: bf16 {peak_tflops.bf16}, fp16 {peak_tflops.fp16}, fp8 {peak_tflops.fp8}, int8 "
     "{peak_tflops.int8}, fp32 {peak_tflops.fp32}"},
    {"TDP", "Watts that its cooling is made for, and the highest cap.", "{power.tdp_w| W}"},
    {"power cap", "The limit in force, and how far it can be set.",
     "from {power.cap_min_w| W} to {power.tdp_w| W}"},
    {"slows at", "Heat at which software takes the clock down by steps, and hardware by half.",
     "{heat.max_c| C} and {heat.slowdown_c| C}"},
    {"off at", "Heat at which it shuts itself down.", "{heat.shutdown_c| C}"},
    {"clocks", "The slowest and the highest clock of the cores.",
     "{clock.min_share} of the nominal {clock.nominal_mhz| MHz} to {clock.boost_mhz| MHz} (0: no "
     "more)"},
    {"price/h", "On demand; its host may have a factor of its own.",
     "${price.usd_per_h} an hour, spot ${price.spot_usd_per_h} (0: not known)"},
}};

using TakeWords = std::function<void(std::string_view)>;
using TakeConstant = std::function<void(std::string_view name, std::string_view unit)>;

/// Gives each constant of a text to `put`, and the words between to `keep`.
void read_constants(std::string_view text, const TakeConstant& put, const TakeWords& keep) {
  while (!text.empty()) {
    const std::size_t begin = text.find('{');
    keep(text.substr(0, begin));
    if (begin == std::string_view::npos) return;
    const std::size_t end = text.find('}', begin);
    const std::string_view inside = text.substr(begin + 1, end - begin - 1);
    const std::size_t bar = inside.find('|');
    put(inside.substr(0, bar),
        bar == std::string_view::npos ? std::string_view() : inside.substr(bar + 1));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::span<const Figure> figures() { return figure_table; }

std::vector<std::string_view> constants_in(std::string_view text) {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name, std::string_view) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  read_constants(text, add, [](std::string_view) {});
  return names;
}

std::string with_names(std::string_view text) {
  std::string made;
  read_constants(
      text,
      [&](std::string_view name, std::string_view) { made += name.substr(name.find('.') + 1); },
      [&](std::string_view words) { made += words; });
  return made;
}

std::string with_values(std::string_view text, const SpecFacts& facts) {
  std::string made;
  read_constants(
      text,
      [&](std::string_view name, std::string_view unit) {
        made += value_text(facts.find(name));
        made += unit;
      },
      [&](std::string_view words) { made += words; });
  return made;
}

std::string value_text(const SpecFact* fact) {
  if (fact == nullptr) return "N/A";
  const std::string_view mark = fact->known == Known::assumed ? "~" : "";
  return fact->value >= 1000 ? fmt::format("{}{:.0f}", mark, fact->value)
                             : fmt::format("{}{:.4g}", mark, fact->value);
}

}  // namespace drover::tui
