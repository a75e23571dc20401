// What is computed.
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
/// Bytes of one number.
double bytes_each(Precision precision);

/// A pace that the job's owner has measured: so many steps per second on a gang of so many devices
/// of this kind. Where there is one it goes before what device and model say.
struct Pace {
  std::string device;  // device spec id
  std::uint16_t devices = 1;
  double steps_per_s = 0;   // 0: it was tried, and does not run there
  bool over_hosts = false;  // measured on devices of several hosts
  bool operator==(const Pace&) const = default;
};

/// Prompts are compared in blocks of so many tokens (the Mooncake trace's unit).
inline constexpr std::uint32_t prefix_block_tokens = 512;

/// One request (serve), a run of steps (train) or many requests (batch) of a model.
struct Workload {
  WorkKind kind = WorkKind::serve;
  std::string model;
  /// Precisions in which the owner has verified it, best first; empty: any that the policy's rule
  /// allows.
  std::vector<Precision> precisions;
  bool loss_scaling = false;     // train: its gradients are scaled, as fp16 needs
  std::string framework;         // "" means any; "pytorch", "jax", "tensorflow"
  std::vector<std::string> ops;  // special operations it needs: "custom_cuda", "dynamic_shape", ..
  /// What it was built with: { "pytorch": "2.4", "cuda": "12.4" }.
  std::map<std::string, std::string> versions;

  std::uint32_t input_tokens = 0;   // serve, batch: prompt length of one request
  std::uint32_t output_tokens = 0;  // serve, batch: tokens to generate per request
  std::uint32_t items = 1;          // batch: number of requests
  /// serve, batch: names of the prompt's blocks from its beginning; equal leading names are equal
  /// text, whose cache can be used again.
  std::vector<std::uint64_t> prefix;

  std::uint32_t steps = 0;     // train: optimiser steps
  std::uint32_t batch = 0;     // train: samples per step, over the whole gang
  std::uint32_t sequence = 0;  // train: tokens per sample (images: 1)
  std::uint16_t devices = 1;   // train: size of the gang; serve: unused, the replica decides
  std::uint32_t checkpoint_steps = 0;  // train: state is saved after so many; 0: never
  std::vector<Pace> paces;             // train: measured ones
  bool operator==(const Workload&) const = default;
};

/// The pace that the owner has measured on so many of these devices, of one host or of several;
/// null: none.
const Pace* measured_pace(const Workload& work, std::string_view device, int devices,
                          bool over_hosts);

}  // namespace drover
