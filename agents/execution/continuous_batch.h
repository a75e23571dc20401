// The steps of one replica, without its lifecycle and its queue: which requests run together, how
// long that takes, and who is charged.
//
// Policy. A joining request is first prefilled in chunks of at most `prefill_chunk_tokens`, first
// come, first served, one request per chunk. While prompts wait, one chunk and one decode step of
// all others alternate, so a long prompt delays running requests by at most a chunk per token. The
// last chunk yields the first token. Decode steps without waiting prompts form one phase of any
// length: it ends when the shortest request ends, or at the next step boundary after `interrupt`.
// Every request reserves KV cache for its whole input and output when it joins.
//
// TPUs run padded shapes: a chunk or batch is padded to its shape bucket, and a bucket that is not
// compiled yet costs its compile time once, during which nothing else runs.
//
// Accounting: each phase's device-seconds and joules are split equally among the requests that had
// a token in its steps. Idle and compile times are charged to nobody.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "agents/execution/attempt.h"
#include "agents/execution/decode_run.h"
#include "agents/execution/paused_clock.h"
#include "devices/serving/performance.h"
#include "fleet/job.h"

namespace drover::agents {

inline constexpr std::uint32_t prefill_chunk_tokens = 2048;  // vLLM's default for chunked prefill

class ContinuousBatch {
 public:
  struct Limits {
    std::uint64_t kv_capacity_tokens = 0;
    std::uint32_t batch_max = 1;
  };

  /// The placement's device spec and the model must outlive the batch.
  ContinuousBatch(const devices::Placement& placement, const devices::ModelSpec& model,
                  Limits limits);

  /// Marks the first `count` of the usual shape buckets as compiled, at most all of them.
  void warm(int count);
  static constexpr int buckets_max = 13;  // all buckets up to batch 256

  /// Whether a request of this many tokens (input and output) may join now.
  bool fits(std::uint64_t tokens) const;
  /// Adds a request. REQUIRES fits(input + output), input > 0 and a number never used before. It
  /// runs from the next phase on; call `interrupt` to make that soon.
  void join(std::uint64_t number, std::uint32_t input_tokens, std::uint32_t output_tokens);
  /// The request leaves, incomplete, at the next step boundary.
  void leave(std::uint64_t number);
  /// Ends a run of decode steps at its next step boundary.
  void interrupt(Instant now);

  /// When the phase ends; `never` when nothing runs.
  Instant next_event() const;
  bool busy() const { return phase_.kind != Kind::idle; }

  struct EndedRequest {
    std::uint64_t number = 0;
    Usage usage;  // without dollars
    Instant first_token{};
    bool complete = false;
  };
  /// Ends the phase and returns the requests that completed or left, in order of number. REQUIRES
  /// reading.at == next_event().
  std::vector<EndedRequest> finish_phase(const EnergyReading& reading);
  /// Starts the next phase, if there is work. REQUIRES !busy().
  void begin_phase(const EnergyReading& reading);
  /// Drops all requests at once; charges up to now.
  std::vector<EndedRequest> abort(const EnergyReading& reading);

  /// Sets the share of the nominal pace and of the link bandwidth from now on; the step in flight
  /// keeps its progress.
  void set_pace(Instant now, double pace, double link_share = 1);
  double pace() const { return pace_; }
  double link_share() const { return placement_.link_share; }
  /// Pauses or resumes progress; after a resume the step in flight continues where it was.
  void set_paused(Instant now, bool paused);
  /// Why running requests make no progress now.
  Pause pause() const;
  /// The phase's load on each device.
  devices::Step activity() const;

  std::uint64_t kv_used_tokens() const { return kv_used_; }
  std::uint32_t running() const { return static_cast<std::uint32_t>(requests_.size()); }
  const Limits& limits() const { return limits_; }

 private:
  enum class Kind : std::uint8_t { idle, compile, prefill, decode };
  using Bucket = std::pair<Kind, std::uint32_t>;

  struct Request {
    std::uint32_t input = 0;
    std::uint32_t output = 0;
    std::uint32_t prefilled = 0;
    std::uint64_t end_step = 0;  // value of steps_done_ at its end, once decoding
    Instant first_token{};
    Usage usage;
    Usage joined;  // decode_share_ when it started to decode
    bool decoding = false;
  };

  /// The current phase. Prefill chunks and compilations are runs of one step without growth.
  struct Phase {
    Kind kind = Kind::idle;
    DecodeRun run;
    std::uint64_t steps = 0;
    Instant began{};
    double residue_s = 0;  // true begin minus `began`: less than a nanosecond
    std::uint64_t number = 0;
    std::uint32_t chunk = 0;
    Bucket bucket{Kind::idle, 0};
  };

  Instant instant_of(std::uint64_t steps) const;
  devices::DecodeStepTime step_time_of_phase() const;
  std::uint32_t padded(std::uint32_t size) const;
  bool begin_compile(Bucket bucket);
  void begin_prefill();
  void begin_decode();
  void charge(const EnergyReading& reading);
  void finish_prefill(Instant now);
  void finish_decode();
  void start_decoding(std::uint64_t number, Request& request, Instant now);
  void take_out(std::uint64_t number, bool complete, std::vector<EndedRequest>& left);

  devices::Placement placement_;
  const devices::ModelSpec* model_;
  Limits limits_;
  double pace_ = 1;

  std::map<std::uint64_t, Request> requests_;
  std::deque<std::uint64_t> prefilling_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> decoding_;  // (end step, number)
  std::set<std::uint64_t> leaving_;
  std::vector<std::uint64_t> complete_;  // in this phase
  std::set<Bucket> compiled_;
  std::uint64_t kv_used_ = 0;
  std::uint64_t steps_done_ = 0;  // decode steps since the batch was last empty
  std::uint64_t context_ = 0;     // tokens in the KV caches of decoding requests
  Usage decode_share_;            // of one request, summed over decode steps
  bool prefilled_last_ = false;

  Phase phase_;
  PausedClock paused_clock_;
  EnergyReading metered_;
  double residue_s_ = 0;
};

}  // namespace drover::agents
