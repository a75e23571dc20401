// Workloads: what a job computes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

enum class WorkKind : std::uint8_t { serve, train, batch };
enum class Precision : std::uint8_t { fp32, tf32, bf16, fp16, fp8, int8, int4, fp4, fp64 };

inline constexpr int work_kind_count = 3;
inline constexpr int precision_count = 9;

std::string_view to_text(WorkKind kind);
std::string_view to_text(Precision precision);
std::optional<WorkKind> parse_work_kind(std::string_view text);
std::optional<Precision> parse_precision(std::string_view text);
/// "fp32, tf32, ..": all precisions, for messages.
std::string precision_list();
/// Bytes per number.
double bytes_each(Precision precision);

/// A throughput that the job's owner has measured on a gang of `devices` devices of one model. It
/// takes precedence over the estimate from device and model.
struct MeasuredThroughput {
  std::string device;  // device spec id
  std::uint16_t devices = 1;
  double steps_per_s = 0;   // 0: tried, does not run there
  bool over_hosts = false;  // measured on devices of several hosts
  bool operator==(const MeasuredThroughput&) const = default;
};

/// Prompts are compared in blocks of this size (the unit of the Mooncake trace).
inline constexpr std::uint32_t prefix_block_tokens = 512;

/// One request (serve), a run of steps (train) or many requests (batch) of a model.
struct Workload {
  WorkKind kind = WorkKind::serve;
  std::string model;
  /// Precisions that the owner has verified, best first; empty: any that the policy's rule allows.
  std::vector<Precision> precisions;
  bool loss_scaling = false;     // train: scales its gradients, as fp16 requires
  std::string framework;         // "" means any; "pytorch", "jax", "tensorflow"
  std::vector<std::string> ops;  // special operations it needs: "custom_cuda", "dynamic_shape", ..
  /// Software that it was built with: { "pytorch": "2.4", "cuda": "12.4" }.
  std::map<std::string, std::string> versions;

  std::uint32_t input_tokens = 0;   // serve, batch: prompt length of one request
  std::uint32_t output_tokens = 0;  // serve, batch: tokens to generate per request
  std::uint32_t items = 1;          // batch: number of requests
  /// serve, batch: hashes of the prompt's blocks from its beginning. Equal leading hashes mean
  /// equal text, whose KV cache can be reused.
  std::vector<std::uint64_t> prefix;

  std::uint32_t steps = 0;     // train: optimiser steps
  std::uint32_t batch = 0;     // train: samples per step, over the whole gang
  std::uint32_t sequence = 0;  // train: tokens per sample (images: 1)
  std::uint16_t devices = 1;   // train: size of the gang; serve: unused, the replica decides
  std::uint32_t checkpoint_steps = 0;           // train: steps between checkpoints; 0: none
  std::vector<MeasuredThroughput> throughputs;  // train: measured throughputs
  bool operator==(const Workload&) const = default;
};

/// The measured throughput on `devices` devices of this model, on one host or over several; null:
/// none.
const MeasuredThroughput* measured_throughput(const Workload& work, std::string_view device,
                                              int devices, bool over_hosts);

}  // namespace drover
