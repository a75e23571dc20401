#include "agents/execution/continuous_batch.h"

#include <algorithm>
#include <array>

#include "fleet/base/result.h"

namespace drover::agents {
namespace {

/// Shorter prefills are not reported as a pause: hosts report their states once a second.
constexpr double reported_prefill_s = 1;

}  // namespace

using devices::DecodeStepTime;
using devices::Step;

ContinuousBatch::ContinuousBatch(const devices::Placement& placement,
                                 const devices::ModelSpec& model, Limits limits)
    : placement_(placement), model_(&model), limits_(limits) {}

void ContinuousBatch::warm(int count) {
  // The order in which a serving stack compiles shapes: small batches and whole chunks first.
  static constexpr std::array<Bucket, buckets_max> usual{{
      {Kind::decode, 16},
      {Kind::prefill, 2048},
      {Kind::prefill, 1024},
      {Kind::decode, 32},
      {Kind::prefill, 512},
      {Kind::decode, 64},
      {Kind::prefill, 256},
      {Kind::prefill, 128},
      {Kind::decode, 128},
      {Kind::prefill, 64},
      {Kind::prefill, 32},
      {Kind::prefill, 16},
      {Kind::decode, 256},
  }};
  const auto known = std::min<std::size_t>(usual.size(), static_cast<std::size_t>(count));
  compiled_.insert(usual.begin(), usual.begin() + static_cast<std::ptrdiff_t>(known));
}

bool ContinuousBatch::fits(std::uint64_t tokens) const {
  return requests_.size() < limits_.batch_max && kv_used_ + tokens <= limits_.kv_capacity_tokens;
}

void ContinuousBatch::join(std::uint64_t number, std::uint32_t input_tokens,
                           std::uint32_t output_tokens) {
  const std::uint64_t tokens = std::uint64_t{input_tokens} + output_tokens;
  DROVER_REQUIRE(fits(tokens) && input_tokens > 0);
  Request request;
  request.input = input_tokens;
  request.output = output_tokens;
  DROVER_REQUIRE(requests_.emplace(number, request).second);
  prefilling_.push_back(number);
  kv_used_ += tokens;
}

void ContinuousBatch::leave(std::uint64_t number) {
  DROVER_REQUIRE(requests_.contains(number));
  leaving_.insert(number);
}

void ContinuousBatch::interrupt(Instant now) {
  if (phase_.kind != Kind::decode || phase_.steps <= 1) return;
  now = paused_clock_.own(now);
  const double elapsed_s = to_seconds(now - phase_.began) - phase_.residue_s;
  std::uint64_t steps = phase_.run.steps_within(elapsed_s, phase_.steps);
  // Instants are whole nanoseconds: a boundary that rounds to now is now.
  while (steps < phase_.steps && instant_of(steps + 1) <= now) ++steps;
  const bool at_boundary = instant_of(steps) == now && (steps > 0 || phase_.run.first_share >= 1);
  phase_.steps = std::min(phase_.steps, at_boundary ? steps : steps + 1);
}

Instant ContinuousBatch::next_event() const {
  if (phase_.kind == Kind::idle || paused_clock_.is_paused()) return never;
  return instant_of(phase_.steps);
}

Instant ContinuousBatch::instant_of(std::uint64_t steps) const {
  return saturating_add(phase_.began, from_seconds(phase_.residue_s + phase_.run.seconds(steps)));
}

std::uint32_t ContinuousBatch::padded(std::uint32_t size) const {
  return devices::shape_bucket(*placement_.device, size);
}

DecodeStepTime ContinuousBatch::step_time_of_phase() const {
  switch (phase_.kind) {
    case Kind::idle:
      return {};
    case Kind::compile:
      return {devices::compile_seconds(placement_, *model_), 0};
    case Kind::prefill:
      return {devices::prefill_step(placement_, *model_, phase_.chunk,
                                    requests_.at(phase_.number).prefilled, pace_)
                  .seconds,
              0};
    case Kind::decode:
      return devices::decode_step_time(placement_, *model_,
                                       static_cast<std::uint32_t>(decoding_.size()), pace_);
  }
  return {};
}

void ContinuousBatch::set_paused(Instant now, bool paused) {
  if (paused == paused_clock_.is_paused()) return;
  if (paused) return paused_clock_.begin(now);
  phase_.began += paused_clock_.end(now);
}

void ContinuousBatch::set_pace(Instant now, double pace, double link_share) {
  DROVER_REQUIRE(!paused_clock_.is_paused());
  pace_ = pace;
  placement_.link_share = link_share;
  if (phase_.kind == Kind::idle) return;
  const double elapsed_s = std::max(0.0, to_seconds(now - phase_.began) - phase_.residue_s);
  const std::uint64_t done =
      phase_.steps == 0 ? 0 : phase_.run.steps_within(elapsed_s, phase_.steps);
  if (done >= phase_.steps) return;  // the boundary is now: the next phase uses the new pace
  phase_.run = phase_.run.after(elapsed_s, phase_.steps, step_time_of_phase());
  phase_.steps -= done;
  phase_.began = now;
  phase_.residue_s = 0;
  if (phase_.kind == Kind::decode) {
    steps_done_ += done;
    context_ += done * decoding_.size();
  }
}

Pause ContinuousBatch::pause() const {
  if (phase_.kind == Kind::compile) return Pause::compiling;
  if (phase_.kind != Kind::prefill || phase_.run.seconds(phase_.steps) < reported_prefill_s) {
    return Pause::none;
  }
  const bool others_wait = !decoding_.empty() || prefilling_.size() > 1;
  return others_wait ? Pause::prefill : Pause::none;
}

Step ContinuousBatch::activity() const {
  switch (phase_.kind) {
    case Kind::idle:
    case Kind::compile: {  // the host's CPUs compile; the device waits
      Step step;
      step.duty_cycle = 0;
      return step;
    }
    case Kind::prefill:
      return devices::prefill_step(placement_, *model_, phase_.chunk,
                                   requests_.at(phase_.number).prefilled, pace_);
    case Kind::decode: {
      // Constant over the phase: the value in its middle.
      const double middle =
          phase_.run.context + phase_.run.batch * (static_cast<double>(phase_.steps) - 1) / 2;
      return devices::decode_step(placement_, *model_, static_cast<std::uint32_t>(decoding_.size()),
                                  std::max(middle, phase_.run.context), pace_);
    }
  }
  return {};
}

void ContinuousBatch::begin_phase(const EnergyReading& reading) {
  DROVER_REQUIRE(!busy());
  if (requests_.empty()) {
    steps_done_ = context_ = 0;
    decode_share_ = {};
    residue_s_ = 0;
    return;
  }
  if (metered_.at != reading.at) residue_s_ = 0;
  metered_ = reading;
  phase_ = Phase{};
  phase_.began = paused_clock_.own(reading.at);
  phase_.residue_s = residue_s_;
  if (!prefilling_.empty() && (!prefilled_last_ || decoding_.empty())) {
    begin_prefill();
  } else {
    begin_decode();
  }
  phase_.run.step_time = step_time_of_phase();
}

bool ContinuousBatch::begin_compile(Bucket bucket) {
  if (placement_.device->device_class != DeviceClass::tpu || compiled_.contains(bucket)) {
    return false;
  }
  phase_.kind = Kind::compile;
  phase_.bucket = bucket;
  phase_.steps = 1;
  return true;
}

void ContinuousBatch::begin_prefill() {
  const std::uint64_t number = prefilling_.front();
  const Request& request = requests_.at(number);
  const std::uint32_t chunk = std::min(prefill_chunk_tokens, request.input - request.prefilled);
  if (begin_compile({Kind::prefill, padded(chunk)})) return;
  phase_.kind = Kind::prefill;
  phase_.number = number;
  phase_.chunk = chunk;
  phase_.steps = 1;
}

void ContinuousBatch::begin_decode() {
  const auto batch = static_cast<std::uint32_t>(decoding_.size());
  if (begin_compile({Kind::decode, padded(batch)})) return;
  phase_.kind = Kind::decode;
  phase_.run.batch = batch;
  phase_.run.context = static_cast<double>(context_);
  phase_.steps = prefilling_.empty() ? decoding_.begin()->first - steps_done_ : 1;
}

void ContinuousBatch::charge(const EnergyReading& reading) {
  Usage used;
  used.device_s = placement_.devices * to_seconds(reading.at - metered_.at);
  used.energy_j = reading.energy_j - metered_.energy_j;
  metered_ = reading;
  if (phase_.kind == Kind::prefill) {
    requests_.at(phase_.number).usage += used;
  } else if (phase_.kind == Kind::decode) {
    const auto batch = static_cast<double>(decoding_.size());
    decode_share_ += Usage{used.device_s / batch, used.energy_j / batch, 0};
  }
}

std::vector<ContinuousBatch::EndedRequest> ContinuousBatch::finish_phase(
    const EnergyReading& reading) {
  DROVER_REQUIRE(busy() && reading.at == next_event());
  charge(reading);
  residue_s_ =
      phase_.residue_s + phase_.run.seconds(phase_.steps) - to_seconds(reading.at - phase_.began);
  complete_.clear();
  switch (phase_.kind) {
    case Kind::idle:
      break;
    case Kind::compile:
      compiled_.insert(phase_.bucket);
      break;
    case Kind::prefill:
      finish_prefill(reading.at);
      break;
    case Kind::decode:
      finish_decode();
      break;
  }
  if (phase_.kind != Kind::compile) prefilled_last_ = phase_.kind == Kind::prefill;
  phase_ = Phase{};
  std::sort(complete_.begin(), complete_.end());
  std::vector<EndedRequest> left;
  for (const std::uint64_t number : complete_) take_out(number, true, left);
  while (!leaving_.empty()) take_out(*leaving_.begin(), false, left);
  return left;
}

void ContinuousBatch::finish_prefill(Instant now) {
  Request& request = requests_.at(phase_.number);
  request.prefilled += phase_.chunk;
  if (request.prefilled < request.input) return;
  prefilling_.pop_front();
  start_decoding(phase_.number, request, now);
}

void ContinuousBatch::start_decoding(std::uint64_t number, Request& request, Instant now) {
  request.first_token = now;
  if (request.output <= 1) {
    complete_.push_back(number);
    return;
  }
  request.decoding = true;
  request.end_step = steps_done_ + request.output - 1;
  request.joined = decode_share_;
  decoding_.emplace(request.end_step, number);
  context_ += std::uint64_t{request.input} + 1;
}

void ContinuousBatch::finish_decode() {
  steps_done_ += phase_.steps;
  context_ += phase_.steps * decoding_.size();
  for (const auto& [end_step, number] : decoding_) {
    if (end_step > steps_done_) break;
    complete_.push_back(number);
  }
}

void ContinuousBatch::take_out(std::uint64_t number, bool complete,
                               std::vector<EndedRequest>& left) {
  const auto found = requests_.find(number);
  Request& request = found->second;
  if (request.decoding) {
    request.usage += Usage{decode_share_.device_s - request.joined.device_s,
                           decode_share_.energy_j - request.joined.energy_j, 0};
    decoding_.erase({request.end_step, number});
    const std::uint64_t generated = request.output - (request.end_step - steps_done_);
    context_ -= request.input + generated;
  } else {
    std::erase(prefilling_, number);
  }
  leaving_.erase(number);
  kv_used_ -= std::uint64_t{request.input} + request.output;
  left.push_back({number, request.usage, request.first_token, complete});
  requests_.erase(found);
}

std::vector<ContinuousBatch::EndedRequest> ContinuousBatch::abort(const EnergyReading& reading) {
  if (busy()) charge(reading);
  phase_ = Phase{};
  std::vector<EndedRequest> left;
  while (!requests_.empty()) take_out(requests_.begin()->first, false, left);
  prefilled_last_ = false;
  return left;
}

}  // namespace drover::agents
