// The plain way to do what ContinuousBatch does in closed form: one step after the other, one token
// at a time, in seconds as doubles. Slow, short, and written from the policy alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "devices/serving/performance.h"

namespace drover::agents {

struct PlainRequest {
  double arrival_s = 0;
  std::uint32_t input = 0;
  std::uint32_t output = 0;
  // Answers.
  double first_token_s = -1;
  double end_s = -1;
  // State.
  std::uint32_t prefilled = 0;
  std::uint32_t generated = 0;
};

struct PaceChange {
  double at_s = 0;
  double pace = 1;
};

struct PlainLimits {
  std::uint64_t kv_capacity_tokens = 0;
  std::uint32_t batch_max = 0;
  std::uint32_t chunk = 0;
};

class ReferenceBatch {
 public:
  ReferenceBatch(devices::Placement placement, const devices::ModelSpec& model, PlainLimits limits,
                 std::vector<PaceChange> paces)
      : placement_(placement), model_(model), limits_(limits), paces_(std::move(paces)) {}

  /// Runs all to their end. Arrivals ascend.
  void run(std::vector<PlainRequest>& requests) {
    requests_ = &requests;
    while (next_ < requests.size() || !prefilling_.empty() || !decoding_.empty()) {
      admit();
      if (prefilling_.empty() && decoding_.empty()) {
        now_s_ = requests[next_].arrival_s;
        continue;
      }
      if (!prefilling_.empty() && (!prefilled_last_ || decoding_.empty())) {
        prefill();
      } else {
        decode();
      }
    }
  }

 private:
  void admit() {
    auto& all = *requests_;
    while (next_ < all.size() && all[next_].arrival_s <= now_s_) {
      const std::uint64_t tokens = all[next_].input + all[next_].output;
      if (prefilling_.size() + decoding_.size() >= limits_.batch_max) return;
      if (used_ + tokens > limits_.kv_capacity_tokens) return;
      used_ += tokens;
      prefilling_.push_back(next_++);
    }
  }

  /// Lets one step pass, of which `length(pace)` are the seconds at a pace.
  template <typename Length>
  void pass(Length length) {
    double left = 1;
    while (true) {
      while (change_ < paces_.size() && paces_[change_].at_s <= now_s_) {
        pace_ = paces_[change_++].pace;
      }
      const double step_s = length(pace_);
      const double end_s = now_s_ + left * step_s;
      if (change_ == paces_.size() || paces_[change_].at_s >= end_s) {
        now_s_ = end_s;
        return;
      }
      left -= (paces_[change_].at_s - now_s_) / step_s;
      now_s_ = paces_[change_].at_s;
    }
  }

  /// True when a TPU first had to compile this shape.
  bool compile(bool decoding, std::uint32_t size) {
    if (placement_.device->device_class != DeviceClass::tpu) return false;
    const std::uint32_t bucket = devices::shape_bucket(*placement_.device, size);
    if (!compiled_.emplace(decoding, bucket).second) return false;
    pass([&](double) { return devices::compile_seconds(placement_, model_); });
    return true;
  }

  void prefill() {
    PlainRequest& request = (*requests_)[prefilling_.front()];
    const std::uint32_t chunk = std::min(limits_.chunk, request.input - request.prefilled);
    if (compile(false, chunk)) return;
    pass([&](double pace) {
      return devices::prefill_step(placement_, model_, chunk, request.prefilled, pace).seconds;
    });
    request.prefilled += chunk;
    prefilled_last_ = true;
    if (request.prefilled < request.input) return;
    request.first_token_s = now_s_;
    request.generated = 1;
    const std::size_t index = prefilling_.front();
    prefilling_.erase(prefilling_.begin());
    decoding_.push_back(index);
    end_complete();
  }

  void decode() {
    if (compile(true, static_cast<std::uint32_t>(decoding_.size()))) return;
    double context = 0;
    for (const std::size_t index : decoding_) {
      context += (*requests_)[index].input + (*requests_)[index].generated;
    }
    pass([&](double pace) {
      const auto batch = static_cast<std::uint32_t>(decoding_.size());
      return devices::decode_step_time(placement_, model_, batch, pace).seconds(context);
    });
    for (const std::size_t index : decoding_) ++(*requests_)[index].generated;
    prefilled_last_ = false;
    end_complete();
  }

  void end_complete() {
    std::vector<std::size_t> going;
    for (const std::size_t index : decoding_) {
      PlainRequest& request = (*requests_)[index];
      if (request.generated < request.output) {
        going.push_back(index);
      } else {
        request.end_s = now_s_;
        used_ -= request.input + request.output;
      }
    }
    decoding_ = going;
  }

  devices::Placement placement_;
  const devices::ModelSpec& model_;
  PlainLimits limits_;
  std::vector<PaceChange> paces_;
  std::size_t change_ = 0;
  double pace_ = 1;
  double now_s_ = 0;
  bool prefilled_last_ = false;
  std::vector<PlainRequest>* requests_ = nullptr;
  std::size_t next_ = 0;
  std::uint64_t used_ = 0;
  std::vector<std::size_t> prefilling_;
  std::vector<std::size_t> decoding_;
  std::set<std::pair<bool, std::uint32_t>> compiled_;
};

}  // namespace drover::agents
