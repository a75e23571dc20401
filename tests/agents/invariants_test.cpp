// Random lives of one agent from a seed, against what must always hold.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "agents/execution/executor.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

/// What goes wrong in a life.
enum class Luck { good, faults, lost_hosts };

struct Life {
  std::uint64_t seed = 1;
  Luck luck = Luck::good;
};

/// What a router may say, drawn from a seed: work of all kinds, cancellations, silence, replicas
/// that come and go; and faults, when there is no luck.
class Script {
 public:
  explicit Script(const Life& life)
      : random_(RandomStream(life.seed).child("script")),
        fault_dice_(RandomStream(life.seed).child("faults")),
        luck_(life.luck) {}

  struct Line {
    Instant at{};
    Message body;
  };
  std::vector<Line> draw(int lines) {
    std::vector<Line> script;
    Instant at = beginning();
    for (int number = 0; number < lines; ++number) {
      at += from_seconds(random_.exponential(0.15));
      script.push_back({at, next()});
      if (luck_ != Luck::good && fault_dice_.chance(0.15)) script.push_back({at, draw_fault()});
    }
    return script;
  }

 private:
  Message next() {
    const double which = random_.uniform();
    if (which < 0.60) return request();
    if (which < 0.66) return batch();
    if (which < 0.72) return training();
    if (which < 0.78) return Cancel{job_id(1 + random_.below(job_ + 1)), 1, Reason::cancelled};
    if (which < 0.82) return ResultStored{job_id(1 + random_.below(job_ + 1)), 1};
    if (which < 0.84) return Reregister{};
    if (which < 0.86) return RetireReplica{static_cast<std::uint32_t>(random_.below(6))};
    if (which < 0.90) return start();
    return Heartbeat{};
  }
  Message draw_fault() {
    static constexpr std::array<const char*, 11> texts{
        "throttle=0.5",  "throttle=0.2", "hang",   "hang",   "ecc",   "lose",
        "slow-link=0.1", "xid=48",       "xid=79", "xid=31", "xid=63"};
    const Duration duration = from_seconds(fault_dice_.exponential(1.5));
    if (luck_ == Luck::lost_hosts && fault_dice_.chance(0.1)) return fault("lose", duration, {});
    if (fault_dice_.chance(0.1)) return fault("inlet=+12C", duration, {});
    return fault(texts[fault_dice_.below(texts.size())], duration,
                 {static_cast<std::uint16_t>(fault_dice_.below(6))});
  }
  Message request() {
    const auto input =
        static_cast<std::uint32_t>(random_.below(random_.chance(0.1) ? 60'000 : 3000));
    const auto output = static_cast<std::uint32_t>(random_.below(600));
    Job job = serve_job(id(), chat_model, input, output);
    job.priority = static_cast<std::int8_t>(random_.below(3));
    return to_replica(job, static_cast<std::uint32_t>(random_.below(4)), attempt());
  }
  Message batch() {
    Job job = serve_job(id(), chat_model, 800, 60);
    job.work.kind = WorkKind::batch;
    job.work.items = static_cast<std::uint32_t>(1 + random_.below(60));
    return to_replica(job, static_cast<std::uint32_t>(random_.below(4)), attempt());
  }
  Message training() {
    const auto first = static_cast<std::uint16_t>(random_.below(3));
    std::vector<std::uint16_t> devices{static_cast<std::uint16_t>(first + 2),
                                       static_cast<std::uint16_t>(first + 3)};
    const auto steps = static_cast<std::uint32_t>(1 + random_.below(200));
    return to_devices(train_job(id(), "bert-large", steps, 64, 512, 2), devices, attempt());
  }
  Message start() {
    StartReplica start;
    start.number = static_cast<std::uint32_t>(random_.below(6));
    start.model = chat_model;
    start.devices = {static_cast<std::uint16_t>(random_.below(6))};
    return start;
  }
  /// Mostly a new job, sometimes an old one again.
  std::uint64_t id() { return random_.chance(0.1) && job_ > 0 ? 1 + random_.below(job_) : ++job_; }
  std::uint32_t attempt() { return random_.chance(0.1) ? 2 : 1; }

  RandomStream random_;
  RandomStream fault_dice_;
  Luck luck_;
  std::uint64_t job_ = 0;
};

AgentSettings settings_of_six() {
  AgentSettings settings = settings_of("h100-sxm:6", "llama-3.1-8b:0,1");
  settings.ambient_c = 35;
  return settings;
}

bool was_told(const AgentDialogue& talk, const JobId& job, std::uint32_t attempt) {
  for (const Send& send : talk.said) {
    const auto is_end_of = [&](const auto* end) {
      return end != nullptr && end->job == job && end->attempt == attempt;
    };
    if (is_end_of(std::get_if<Finished>(&send.envelope.body))) return true;
    if (is_end_of(std::get_if<Failed>(&send.envelope.body))) return true;
  }
  return false;
}

/// A router stores only results that it was told.
bool can_be_said(const AgentDialogue& talk, const Message& body) {
  const auto* stored = std::get_if<ResultStored>(&body);
  return stored == nullptr || was_told(talk, stored->job, stored->attempt);
}

/// Plays a script; with dice, the shell ticks at random instants besides.
void play(AgentDialogue& talk, const Life& life, std::optional<RandomStream> extra = std::nullopt) {
  talk.welcome(seconds(1), seconds(4));
  for (const Script::Line& line : Script(life).draw(600)) {
    while (extra && extra->chance(0.7)) {
      const Duration left = line.at - talk.now;
      talk.pass(Duration(static_cast<std::int64_t>(extra->uniform() * left.count())));
    }
    talk.now = line.at;
    talk.agent.tick(talk.now);
    talk.collect();
    if (can_be_said(talk, line.body)) talk.from_router(line.body);
  }
  talk.pass(seconds(600), seconds(1));
  talk.from_router(Reregister{});
}

class RandomLife : public testing::TestWithParam<Life> {
 protected:
  static RandomStream ticks() { return RandomStream(GetParam().seed).child("ticks"); }
};

TEST_P(RandomLife, EveryAcceptedAttemptEndsExactlyOnce) {
  AgentDialogue talk(settings_of_six());
  play(talk, GetParam());
  std::set<AttemptKey> accepted;
  std::set<JobId> second;  // jobs of which a second attempt was assigned
  std::map<AttemptKey, Message> ends;
  std::optional<Incarnation> incarnation;
  std::size_t all_accepted = 0;
  const auto end = [&](const AttemptKey& key, const Message& body) {
    EXPECT_TRUE(accepted.contains(key)) << key.job.low << " attempt " << key.attempt;
    const auto [found, added] = ends.emplace(key, body);
    EXPECT_TRUE(added || found->second == body) << "one end, always told alike";
  };
  for (const Send& send : talk.said) {
    const Message& body = send.envelope.body;
    // A host that was lost has forgotten everything: what its new life tells is of that life.
    if (const auto* one = std::get_if<Register>(&body); one && one->incarnation != incarnation) {
      incarnation = one->incarnation;
      accepted.clear();
      second.clear();
      ends.clear();
    }
    if (const auto* one = std::get_if<Accepted>(&body)) {
      ++all_accepted;
      accepted.insert({one->job, one->attempt});
      if (one->attempt == 2) second.insert(one->job);
    }
    if (const auto* one = std::get_if<Refused>(&body); one && one->attempt == 2) {
      second.insert(one->job);
    }
    if (const auto* one = std::get_if<Finished>(&body)) end({one->job, one->attempt}, body);
    if (const auto* one = std::get_if<Failed>(&body)) {
      if (one->detail != "this agent does not hold the attempt")
        end({one->job, one->attempt}, body);
    }
  }
  EXPECT_GT(all_accepted, 80u);
  for (const AttemptKey& key : accepted) {
    // An attempt that a newer one replaced ends without a word.
    const bool replaced = key.attempt == 1 && second.contains(key.job);
    EXPECT_TRUE(ends.contains(key) || replaced) << key.job.low << " attempt " << key.attempt;
  }
}

TEST_P(RandomLife, MoreTicksChangeNothing) {
  AgentDialogue calm(settings_of_six()), busy(settings_of_six());
  play(calm, GetParam());
  play(busy, GetParam(), ticks());
  ASSERT_EQ(calm.said.size(), busy.said.size());
  for (std::size_t at = 0; at < calm.said.size(); ++at) {
    ASSERT_EQ(calm.said[at], busy.said[at]) << "message " << at;
  }
}

TEST_P(RandomLife, SequencesHaveNoGapsAndTimeNeverGoesBack) {
  AgentDialogue talk(settings_of_six());
  play(talk, GetParam(), ticks());
  std::map<Peer, std::uint64_t> last;
  Instant before = beginning();
  for (const Send& send : talk.said) {
    EXPECT_EQ(send.envelope.sender, "node1");
    EXPECT_EQ(send.envelope.sequence, ++last[send.to]);
    EXPECT_GE(send.envelope.at, before);
    before = send.envelope.at;
  }
}

TEST_P(RandomLife, CacheAndMemoryStayWithinTheirLimits) {
  AgentDialogue talk(settings_of_six());
  play(talk, GetParam());
  std::size_t seen = 0;
  for (const ReplicaReport& report : talk.all<ReplicaReport>()) {
    const Replica& replica = report.replica;
    EXPECT_LE(replica.kv_used_tokens, replica.kv_capacity_tokens);
    EXPECT_LE(replica.running, replica.batch_max);
    seen += replica.kv_used_tokens > 0 ? 1 : 0;
  }
  EXPECT_GT(seen, 3u);
  for (const SampleBatch& batch : talk.all<SampleBatch>()) {
    for (const Sample& row : unpack(batch)) {
      EXPECT_LE(row[Metric::memory_used], row[Metric::memory_total]);
      EXPECT_LE(row[Metric::utilization], 1);
    }
  }
}

/// Six devices, two replicas, and beside them the joules drawn while anything ran.
class Meters {
 public:
  explicit Meters(std::uint64_t seed)
      : executor("node1", std::vector<Executor::Device>(devices, {&device_spec("h100-sxm"), 0}),
                 devices::Ambient{}, RandomStream(seed), beginning()) {
    for (std::uint16_t number = 0; number < 2; ++number) {
      StartReplica start;
      start.number = number;
      start.model = chat_model;
      start.devices = {number};
      executor.start_replica(beginning(), start, model_spec(chat_model), true);
    }
  }
  void hear(const ApplyFault& fault) {
    for (const Incident& incident : book.apply(now, fault)) {
      if (incident.work_fails) {
        executor.fail_work(now, incident.device, Reason::unhealthy, incident.detail);
      }
    }
    follow();
  }
  /// As an agent does, with replicas that come back.
  void follow() {
    std::vector<FaultEffect> conditions;
    for (std::uint16_t device = 0; device < devices; ++device) {
      conditions.push_back(book.effect_on(device));
    }
    executor.set_fault_effects(now, conditions);
    executor.set_inlet(now, 22 + book.inlet_k());
    for (std::uint16_t number = 0; number < 2; ++number) {
      if (executor.replica(number) || !executor.free(number)) continue;
      StartReplica start;
      start.number = number;
      start.model = chat_model;
      start.devices = {number};
      executor.start_replica(now, start, model_spec(chat_model), false);
    }
    take();
  }
  void pass_until(Instant end) {
    while (now < end) {
      const Instant next = std::min({end, executor.next_event(), book.next_end()});
      for (std::uint16_t device = 0; device < devices; ++device) {
        if (executor.reading(now, device)[Metric::running] == 0) continue;
        busy_j +=
            executor.chassis().energy_j(next, device) - executor.chassis().energy_j(now, device);
      }
      executor.advance(next);
      now = next;
      take();
      if (book.next_end() > now) continue;
      book.end(now);
      follow();
    }
  }
  void assign(const Assign& assign) {
    (void)(assign.replica ? executor.serve(now, assign)
                          : executor.train(now, assign, model_spec("bert-large")));
    take();
  }
  void take() {
    for (const Executor::Change& change : executor.take_changes()) {
      if (const auto* ended = std::get_if<EndedAttempt>(&change)) charged += ended->usage;
    }
  }
  double counters_j() const {
    double sum = 0;
    for (std::uint16_t device = 0; device < devices; ++device) {
      sum += executor.chassis().energy_j(now, device);
    }
    return sum;
  }

  static constexpr std::uint16_t devices = 6;
  Executor executor;
  FaultState book{std::vector<FaultState::Device>(devices)};
  Instant now = beginning();
  Usage charged;
  double busy_j = 0;
};

TEST_P(RandomLife, ChargedAndIdleUsageAddUpToTheCounters) {
  Meters meters(GetParam().seed);
  for (const Script::Line& line : Script(GetParam()).draw(400)) {
    if (const auto* fault = std::get_if<ApplyFault>(&line.body)) {
      meters.pass_until(line.at);
      meters.hear(*fault);
      continue;
    }
    const auto* assign = std::get_if<Assign>(&line.body);
    if (assign == nullptr || meters.executor.attempt_of(assign->job.id)) continue;
    meters.pass_until(line.at);
    meters.assign(*assign);
  }
  meters.pass_until(meters.now + seconds(3));
  meters.executor.stop_all(meters.now, Reason::ended, "");
  meters.take();
  EXPECT_GT(meters.charged.energy_j, 1000);
  EXPECT_LT(meters.charged.energy_j, meters.counters_j()) << "idle is not charged to jobs";
  EXPECT_NEAR(meters.charged.energy_j, meters.busy_j, 1e-9 * meters.busy_j);
  EXPECT_LT(meters.charged.device_s, Meters::devices * to_seconds(meters.now - beginning()));
}

std::vector<Life> lives() {
  std::vector<Life> all;
  for (const Luck luck : {Luck::good, Luck::faults, Luck::lost_hosts}) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) all.push_back({seed, luck});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Life>& life) {
  static constexpr std::array<const char*, 3> names{"good", "faults", "lost_hosts"};
  return fmt::format("{}_{}", names[static_cast<std::size_t>(life.param.luck)], life.param.seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLife, testing::ValuesIn(lives()), name_of);

}  // namespace
}  // namespace drover::agents
