// One agent and the words to talk to it: what all specifications of this room share.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/agent.h"
#include "agents/execution/attempt.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/messages.h"

namespace drover::agents {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline const devices::Catalogue& catalogue() { return devices::Catalogue::embedded(); }

inline const devices::DeviceSpec& device_spec(const std::string& id) {
  return (*catalogue().device(id))->spec;
}

inline const devices::ModelSpec& model_spec(const std::string& id) {
  return (*catalogue().model(id))->spec;
}

inline constexpr const char* chat_model = "llama-3.1-8b";

inline Instant beginning() { return Instant(seconds(1'700'000'000)); }

inline JobId job_id(std::uint64_t number) { return {0xd0, number}; }

inline Job serve_job(std::uint64_t number, const std::string& model, std::uint32_t input,
                     std::uint32_t output) {
  Job job;
  job.id = job_id(number);
  job.work.kind = WorkKind::serve;
  job.work.model = model;
  job.work.input_tokens = input;
  job.work.output_tokens = output;
  return job;
}

inline Job train_job(std::uint64_t number, const std::string& model, std::uint32_t steps,
                     std::uint32_t batch, std::uint32_t sequence, std::uint16_t devices) {
  Job job;
  job.id = job_id(number);
  job.work.kind = WorkKind::train;
  job.work.model = model;
  job.work.steps = steps;
  job.work.batch = batch;
  job.work.sequence = sequence;
  job.work.devices = devices;
  return job;
}

inline Assign to_replica(Job job, std::uint32_t replica, std::uint32_t attempt = 1) {
  Assign assign;
  assign.job = std::move(job);
  assign.attempt = attempt;
  assign.replica = replica;
  return assign;
}

inline Assign to_devices(Job job, std::vector<std::uint16_t> devices, std::uint32_t attempt = 1) {
  Assign assign;
  assign.job = std::move(job);
  assign.attempt = attempt;
  assign.devices = std::move(devices);
  return assign;
}

inline AgentSettings settings_of(const std::string& devices, const std::string& replicas) {
  AgentSettings settings;
  settings.host = "node1";
  settings.incarnation = {1, 2};
  settings.groups = *parse_device_list(devices, catalogue());
  settings.replicas = *parse_replica_list(replicas, catalogue());
  return settings;
}

/// A fault in words; of no devices it is the host's own.
inline ApplyFault fault(const std::string& text, Duration duration,
                        std::vector<std::uint16_t> devices) {
  ApplyFault apply;
  apply.host = devices.empty();
  apply.devices = std::move(devices);
  apply.fault = *parse_fault(text);
  apply.fault.duration = duration;
  return apply;
}

/// An agent whose shell keeps time and collects what it says.
class AgentDialogue {
 public:
  explicit AgentDialogue(const AgentSettings& settings)
      : agent(settings, catalogue(), beginning()), now(beginning()) {}

  void welcome(Duration heartbeat_every = seconds(1), Duration lease = seconds(10)) {
    JoinAccepted welcome;
    welcome.heartbeat_every = heartbeat_every;
    welcome.lease = lease;
    agent.handle_join_accepted(now, welcome);
    collect();
  }
  void from_router(Message body) {
    agent.receive(now, Envelope{"router", ++sequence, now, std::move(body)});
    collect();
  }
  void leave(const std::string& why) {
    agent.leave(now, why);
    collect();
  }
  /// Time goes on; the router is heard every `heartbeat_every`, when given.
  void pass(Duration span, std::optional<Duration> heartbeat_every = std::nullopt) {
    const Instant end = now + span;
    while (heartbeat_every && now + *heartbeat_every < end) {
      now += *heartbeat_every;
      from_router(Heartbeat{});
    }
    now = end;
    agent.tick(now);
    collect();
  }
  void collect() {
    for (Effect& effect : agent.take_effects()) {
      if (auto* send = std::get_if<Send>(&effect)) {
        said.push_back(std::move(*send));
      } else {
        asked.push_back(effect);
      }
    }
  }

  /// All messages of one kind so far.
  template <typename Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const Send& send : said) {
      if (const auto* body = std::get_if<Kind>(&send.envelope.body)) found.push_back(*body);
    }
    return found;
  }
  /// Whether this was the last thing that the agent asked of its shell besides sending.
  template <typename Kind>
  bool last_asked() const {
    return !asked.empty() && std::holds_alternative<Kind>(asked.back());
  }
  void forget() { said.clear(); }

  Agent agent;
  Instant now;
  std::uint64_t sequence = 0;
  std::vector<Send> said;
  std::vector<Effect> asked;  // not sends
};

}  // namespace drover::agents
