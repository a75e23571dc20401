// The formulas are those of devices/board (power, thermal model, clock, chip, sensor), the memory
// of devices, and docs/devices.md, in words short enough for a panel.
#include "tui/model/metric_formulas.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"

namespace drover::tui {
namespace {

using enum ModelErrorClass;
constexpr std::array<ModelErrorInfo, error_class_count> error_table = {{
    {products, "gemm", "matrix products from 1 GFLOP, GPUs with tensor cores", "1,008", "7.7 %"},
    {training, "train-gpu", "LLM training step, GPUs / TPUs", "321 / 51", "7.3 % / 3.9 %"},
    {decode, "decode", "decode, inter-token time", "717", "14.8 % (median 8.0)"},
    {serving, "prefill", "prefill / serving throughput", "16 / 475", "13.7 % / 10.5 %"},
    {nets, "classic", "CNN, BERT and other training and inference", "1,430", "14.1 % (median 9.5)"},
    {power, "power", "board power under load", "1,316", "10.9 % (median 5.5)"},
    {power_cap, "power-cap", "relative throughput under a power cap, absolute", "528",
     "0.030 (median 0.017)"},
    {temperature, "temperature", "temperature after a load step, RMS", "4,543", "0.8 C"},
}};
static_assert(is_in_order(error_table, &ModelErrorInfo::error_class));

constexpr unsigned errors(std::initializer_list<ModelErrorClass> classes) {
  unsigned bits = 0;
  for (const ModelErrorClass one : classes) bits |= 1u << static_cast<unsigned>(one);
  return bits;
}

constexpr std::array<MetricFormula, metric_formula_count> formula_table = {{
    {"utilization",
     "The share of the last {sensor.activity_s| s} in which any kernel ran, however little of the "
     "device it used; for a TPU, in which its cores computed.",
     "time with resident work / time; for a TPU, the share of its steps that is not waiting",
     errors({training, decode, serving, nets})},
    {"memory used", "Bytes used of the device's {memory.capacity_gib| GiB}.",
     "weights and KV cache of a replica, both allocated when it is loaded, or the state of a "
     "training job: weights, gradients, optimiser, activations\n"
     "KV cache = 0.9 x {memory.capacity_gib| GiB} - {memory.reserved_gib| GiB} for driver and "
     "compiler - weights - one chunk of a prompt",
     0},
    {"power",
     "Board power: mean over {sensor.power_window_s| s}, updated every "
     "{sensor.power_refresh_s| s}; the sensor samples {sensor.power_sampled_share| %} of each "
     "period.",
     "P = {power.context_idle_w| W} + a x {matrix.units| units} x ({power.active_w_per_unit| W} x "
     "share at work + {power.matrix_w_per_unit| W} x (tensor activity / "
     "clock)^{power.matrix_exponent}) + "
     "{power.memory_pj_per_byte| pJ/B} x {memory.bandwidth_gb_s| GB/s} x memory bandwidth + "
     "{power.link_pj_per_byte| pJ/B} x bytes over links\n"
     "a = clock x voltage^2 over that at {power.reference_mhz| MHz} (0: the nominal clock); "
     "nothing loaded: {power.idle_w| W}",
     errors({ModelErrorClass::power})},
    {"temperature",
     "Temperature of the chip in steps of {sensor.temperature_step_c| C}; the line: temperature of "
     "the memory, if the board reports it.",
     "chip approaches sink + {thermal.die_k_per_w| K/W} x P, time constant {thermal.die_s| s}\n"
     "sink approaches inlet + {thermal.sink_k_per_w| K/W} x P, time constant {thermal.sink_s| s}\n"
     "memory = inlet + {thermal.memory_offset_k| K} + {thermal.memory_sink_share} x (sink - inlet) "
     "+ "
     "{thermal.memory_die_share} x (chip - sink)",
     errors({ModelErrorClass::temperature})},
    {"running and queued",
     "Requests in the batch, or training jobs; the line: accepted requests that wait. Exact "
     "counts.",
     "a request joins the batch when its input and its output fit into the KV cache, and leaves it "
     "with its last token",
     errors({decode, serving})},
    {"clock", "Clock of the cores in MHz, in steps of {sensor.clock_step_mhz}.",
     "{clock.nominal_mhz| MHz} x (1 - steps x {clock.step_share}), at least {clock.min_share} of "
     "it: the fewest steps with P under the power cap\n"
     "above {thermal.max_c| C} one more step each second; from {thermal.slowdown_c| C} on half the "
     "clock\n"
     "voltage over that at {clock.knee_mhz| MHz} = 1 + {clock.voltage_slope} x (clock / "
     "{clock.knee_mhz| MHz} - 1), and 1 below it",
     errors({power_cap})},
    {"tensor activity",
     "Matrix operations relative to the peak of the matrix units, a mean over "
     "{sensor.activity_s| s}.",
     "operations of a step's matrix products / (its time x the peak of their precision)\n"
     "a large product alone reaches {matrix.efficiency} of it on {matrix.units| units}",
     errors({products, training, decode})},
    {"memory bandwidth",
     "Bytes moved relative to the memory bandwidth, a mean over {sensor.activity_s| s}.",
     "weights, KV cache and activations that a step reads and writes / (its time x "
     "{memory.bandwidth_gb_s| GB/s})\n"
     "streaming alone reaches {memory.efficiency} of it",
     errors({decode, serving})},
    {"energy", "Joules since the start of its agent; the chart: joules per second, that is watts.",
     "the exact sum of P over time, not of the power sensor's values",
     errors({ModelErrorClass::power})},
    {"throttle reasons", "Why the clock is reduced (NVML clock event reasons).",
     "P power cap: P would be above the current cap\n"
     "t thermal: the chip above {thermal.max_c| C}, or the memory above {thermal.memory_max_c| C} "
     "(250: "
     "not modelled), until 3 K below\n"
     "T and H: from {thermal.slowdown_c| C} on half the clock, until 3 K below {thermal.max_c| C}; "
     "shuts down at {thermal.shutdown_c| C}\n"
     "H alone: an external power brake",
     errors({power_cap})},
    {"memory", "Memory capacity. Manufacturers' GB of GPUs are GiB.", "{memory.capacity_gib| GiB}"},
    {"bandwidth", "Memory bandwidth as the manufacturer publishes it.",
     "{memory.bandwidth_gb_s| GB/s}"},
    {"peak", "Peak of the matrix units, dense and native; fp32: of the vector units.",
     "TFLOP/s: bf16 {peak_tflops.bf16}, fp16 {peak_tflops.fp16}, fp8 {peak_tflops.fp8}, int8 "
     "{peak_tflops.int8}, fp32 {peak_tflops.fp32}"},
    {"TDP", "Thermal design power; also the highest power cap.", "{power.tdp_w| W}"},
    {"power cap", "The current cap, and the range in which it can be set.",
     "from {power.cap_min_w| W} to {power.tdp_w| W}"},
    {"throttle",
     "Temperature at which software reduces the clock by steps, and hardware halves it.",
     "{thermal.max_c| C} and {thermal.slowdown_c| C}"},
    {"shutdown", "Temperature at which the device shuts down.", "{thermal.shutdown_c| C}"},
    {"clocks", "The lowest and the highest clock of the cores.",
     "{clock.min_share} of the nominal {clock.nominal_mhz| MHz} to {clock.boost_mhz| MHz} (0: no "
     "boost)"},
    {"price/h", "On-demand price; its host may have its own factor.",
     "${price.usd_per_h} an hour, spot ${price.spot_usd_per_h} (0: unknown)"},
}};

using TakeWords = std::function<void(std::string_view)>;
using TakeConstant = std::function<void(std::string_view name, std::string_view unit)>;

/// Calls `put` for each constant of a text, and `keep` for the text between them.
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

const ModelErrorInfo& facts(ModelErrorClass error_class) {
  return row_at(error_table, error_class);
}

std::span<const MetricFormula> metric_formulas() { return formula_table; }

std::vector<std::string_view> constants_in(std::string_view text) {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name, std::string_view) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  read_constants(text, add, [](std::string_view) {});
  return names;
}

std::string with_names(std::string_view text) {
  std::string result;
  read_constants(
      text,
      [&](std::string_view name, std::string_view) { result += name.substr(name.find('.') + 1); },
      [&](std::string_view words) { result += words; });
  return result;
}

std::string with_values(std::string_view text, const SpecFacts& facts) {
  std::string result;
  read_constants(
      text,
      [&](std::string_view name, std::string_view unit) {
        const SpecFact* const fact = facts.find(name);
        if (fact != nullptr && unit == " %") {
          SpecFact percent = *fact;
          percent.value *= 100;
          result += value_text(&percent);
        } else {
          result += value_text(fact);
        }
        result += unit;
      },
      [&](std::string_view words) { result += words; });
  return result;
}

std::string value_text(const SpecFact* fact) {
  if (fact == nullptr) return "N/A";
  const std::string_view mark = fact->known == Provenance::assumed ? "~" : "";
  return fact->value >= 1000 ? fmt::format("{}{:.0f}", mark, fact->value)
                             : fmt::format("{}{:.4g}", mark, fact->value);
}

}  // namespace drover::tui
