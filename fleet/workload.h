// What is computed.
#pragma once

#include <cstdint>
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

/// One request (serve), a run of steps (train) or many requests (batch) of a model.
struct Workload {
  WorkKind kind = WorkKind::serve;
  std::string model;
  /// Precisions that the owner accepts, best first; empty: any that the policy's rule allows.
  std::vector<Precision> precisions;
  std::string framework;         // "" means any; "pytorch", "jax", "tensorflow"
  std::vector<std::string> ops;  // special operations it needs: "custom_cuda", "dynamic_shape", ..

  std::uint32_t input_tokens = 0;   // serve, batch: prompt length of one request
  std::uint32_t output_tokens = 0;  // serve, batch: tokens to generate per request
  std::uint32_t items = 1;          // batch: number of requests

  std::uint32_t steps = 0;     // train: optimiser steps
  std::uint32_t batch = 0;     // train: samples per step, over the whole gang
  std::uint32_t sequence = 0;  // train: tokens per sample (images: 1)
  std::uint16_t devices = 1;   // train: size of the gang; serve: unused, the replica decides
  bool operator==(const Workload&) const = default;
};

}  // namespace drover
