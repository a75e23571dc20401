// Random messages, lost, repeated and reordered, routers killed with any prefix of their writes on
// disk: what must hold all the same. One seed per run, named on failure.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fleet/base/random_stream.h"
#include "router/ledger/ledger.h"
#include "router/lint/policy_file.h"
#include "tests/router/ledger/compacted.h"

namespace drover::router {
namespace {

/// One honest but forgetful agent: it runs what it is told, and may lose its life or its messages.
struct Actor {
  std::string host;
  std::uint64_t peer = 0;
  std::uint64_t life = 1;
  std::set<std::pair<JobId, std::uint32_t>> running;
  std::vector<Finished> unacknowledged;
};

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : random_(RandomStream(seed).child("storm")) {
    for (int host = 0; host < 4; ++host) {
      actors_.push_back({"h" + std::to_string(host), next_peer_++, 1, {}, {}});
      send_register(actors_.back());
    }
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      act();
      hear();
    }
  }

  /// Calm: everything is delivered and finishes.
  void settle() {
    for (int second = 0; second < 90; ++second) {
      for (Actor& actor : actors_) {
        stage_.receive(actor.peer, Heartbeat{});
        stage_.receive_samples(actor.host, ++samples_, RouterHarness::idle_samples(8));
      }
      stage_.wait(std::chrono::milliseconds(900));
      stage_.commit();
      hear();
      for (Actor& actor : actors_) {
        while (!actor.running.empty()) finish(actor);
        for (const Finished& finished : actor.unacknowledged) stage_.receive(actor.peer, finished);
      }
      stage_.commit();
      hear();
    }
  }

  void check() {
    std::map<JobId, int> ends;
    std::set<JobId> accepted;
    for (const LedgerRow& row : stage_.disk) {
      if (row.transition == Transition::accepted) {
        EXPECT_TRUE(accepted.insert(row.job).second);
      }
      const bool end =
          row.transition == Transition::finished || row.transition == Transition::failed;
      if (end) ++ends[row.job];
    }
    for (const JobId& job : acknowledged_) {
      EXPECT_TRUE(accepted.contains(job)) << "acknowledged and lost: " << to_text(job);
      EXPECT_EQ(ends[job], 1) << to_text(job);
    }
    for (const auto& [job, count] : ends) EXPECT_EQ(count, 1) << to_text(job);
    const Summary summary = stage_.router->summary(stage_.now);
    EXPECT_EQ(summary.accepted, accepted.size());
    EXPECT_EQ(summary.accepted, summary.finished + summary.failed + summary.cancelled +
                                    summary.queued + summary.running);
    EXPECT_EQ(summary.input_tokens, 512 * accepted.size());
    std::vector<Job> jobs;
    for (std::uint64_t number = 1; number <= jobs_; ++number) jobs.push_back(serve_job(number));
    expect_compaction_changes_nothing(stage_.disk, jobs, 100);
  }

 private:
  void act() {
    Actor& actor = actors_[random_.below(actors_.size())];
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
        submit();
        break;
      case 3:
      case 4:
        stage_.commit(static_cast<std::size_t>(random_.below(20)));
        break;
      case 5:
      case 6:
      case 7:
        if (!actor.running.empty()) finish(actor);
        break;
      case 8:
        for (const Finished& finished : actor.unacknowledged) stage_.receive(actor.peer, finished);
        break;
      case 9:
        if (random_.chance(0.2)) {  // the agent dies and comes back
          actor.life += 1;
          actor.running.clear();
          actor.unacknowledged.clear();
          actor.peer = next_peer_++;
          send_register(actor);
        }
        break;
      case 10:
        if (random_.chance(0.3)) {  // the connection is made anew
          actor.peer = next_peer_++;
          send_register(actor);
        }
        break;
      case 11:
        if (random_.chance(0.2)) restart();
        break;
      case 12:
        refuse(actor);
        break;
      case 13:
        rubbish(actor);
        break;
      default:
        for (Actor& each : actors_) {
          if (random_.chance(0.9)) stage_.receive(each.peer, Heartbeat{});
          stage_.receive_samples(each.host, ++samples_, RouterHarness::idle_samples(8));
        }
        stage_.wait(std::chrono::milliseconds(random_.below(1500)));
    }
  }

  void submit() {
    const std::uint64_t number =
        random_.chance(0.2) && jobs_ > 0 ? 1 + random_.below(jobs_) : ++jobs_;
    stage_.receive(client_, Submit{{serve_job(number)}});
  }

  void send_register(Actor& actor) {
    Register registration = stage_.registration(actor.host, actor.life);
    registration.replicas = {RouterHarness::replica(actor.host, 0)};
    for (const auto& [job, attempt] : actor.running) registration.held.push_back({job, attempt});
    for (const Finished& finished : actor.unacknowledged) {
      registration.held.push_back({finished.job, finished.attempt});
    }
    stage_.receive(actor.peer, registration);
    for (const Finished& finished : actor.unacknowledged) stage_.receive(actor.peer, finished);
  }

  void finish(Actor& actor) {
    const auto first = *actor.running.begin();
    actor.running.erase(actor.running.begin());
    Finished finished;
    finished.job = first.first;
    finished.attempt = first.second;
    finished.usage = {1, 1, 1};
    finished.outcome.run_s = 1;
    actor.unacknowledged.push_back(finished);
    if (random_.chance(0.7)) stage_.receive(actor.peer, finished);
    if (random_.chance(0.2)) stage_.receive(actor.peer, finished);
  }

  void refuse(Actor& actor) {
    if (actor.running.empty()) return;
    const auto first = *actor.running.begin();
    if (!random_.chance(0.3)) return;
    actor.running.erase(actor.running.begin());
    stage_.receive(actor.peer, Refused{first.first, first.second, Reason::capacity, "full"});
  }

  void rubbish(Actor& actor) {
    const JobId job = job_id(1 + random_.below(jobs_ + 1));
    const auto attempt = static_cast<std::uint32_t>(random_.below(5));
    stage_.receive(actor.peer, Progress{job, attempt, random_.uniform(), 1});
    stage_.receive(next_peer_ + 1'000'000, Accepted{job, attempt});
    stage_.receive(client_, Refused{job, attempt, Reason::memory, "\x1b[2J"});
  }

  void restart() {
    stage_.commit(static_cast<std::size_t>(random_.below(30)));
    hear();
    const Status restored = stage_.restart();
    EXPECT_TRUE(restored) << restored.error().message;
    for (Actor& actor : actors_) {
      actor.peer = next_peer_++;
      if (random_.chance(0.8)) send_register(actor);
    }
  }

  /// Takes what was delivered; assignments get lost now and then.
  void hear() {
    const std::vector<Send> delivered = std::exchange(stage_.delivered, {});
    for (const Send& send : delivered) {
      if (send.to == Peer{Channel::control, client_}) {
        if (const auto* reply = std::get_if<SubmitReply>(&send.envelope.body)) {
          for (const SubmitResult& result : reply->results) {
            if (result.status != SubmitStatus::refused) acknowledged_.insert(result.job);
          }
        }
      }
      for (Actor& actor : actors_) {
        if (send.to == Peer{Channel::control, actor.peer}) hear(actor, send.envelope.body);
      }
    }
  }

  void hear(Actor& actor, const Message& body) {
    if (const auto* assign = std::get_if<Assign>(&body)) {
      actor.running.emplace(assign->job.id, assign->attempt);
      if (random_.chance(0.8))
        stage_.receive(actor.peer, Accepted{assign->job.id, assign->attempt});
    } else if (const auto* cancel = std::get_if<Cancel>(&body)) {
      actor.running.erase({cancel->job, cancel->attempt});
    } else if (const auto* stored = std::get_if<ResultStored>(&body)) {
      std::erase_if(actor.unacknowledged, [&](const Finished& finished) {
        return finished.job == stored->job && finished.attempt == stored->attempt;
      });
    } else if (std::holds_alternative<Reregister>(body)) {
      send_register(actor);
    }
  }

  static Policy patient() {
    Policy policy = builtin_policy();
    policy.retry.attempts_max = 100;
    return policy;
  }

  RandomStream random_;
  RouterHarness stage_{{}, patient()};
  std::vector<Actor> actors_;
  std::set<JobId> acknowledged_;
  std::uint64_t jobs_ = 0;
  std::uint64_t samples_ = 0;
  static constexpr std::uint64_t client_ = 900;
  std::uint64_t next_peer_ = 1000;
};

TEST(Storm, NoAcknowledgedJobIsLostAndNoneEndsTwice) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Storm storm(seed);
    storm.run(600);
    storm.settle();
    storm.check();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Storm, EveryPrefixOfALedgerCanBeRestored) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  for (std::uint64_t number = 1; number <= 20; ++number) {
    stage.receive(9, Submit{{serve_job(number)}});
    stage.tick();
    stage.commit();
    for (const Assign& assign : stage.told<Assign>(1)) {
      if (assign.job.id != job_id(number)) continue;
      if (number % 5 == 0) {
        stage.receive(1, Refused{assign.job.id, assign.attempt, Reason::capacity, ""});
      } else {
        Finished finished;
        finished.job = assign.job.id;
        finished.attempt = assign.attempt;
        stage.receive(1, finished);
      }
    }
  }
  stage.receive(9, EndRunRequest{});
  stage.commit();
  const std::vector<LedgerRow> rows = stage.disk;
  ASSERT_GT(rows.size(), 60u);
  for (std::size_t count = 0; count <= rows.size(); ++count) {
    Router router({}, builtin_policy(), devices::Catalogue::embedded(), stage.now);
    const std::vector<LedgerRow> prefix(rows.begin(),
                                        rows.begin() + static_cast<std::ptrdiff_t>(count));
    ASSERT_TRUE(router.restore(prefix)) << count;
    std::uint64_t accepted = 0;
    for (const LedgerRow& row : prefix) accepted += row.transition == Transition::accepted;
    const Summary summary = router.summary(stage.now);
    EXPECT_EQ(summary.accepted, accepted);
    EXPECT_EQ(
        summary.finished + summary.failed + summary.cancelled + summary.queued + summary.running,
        accepted);
  }
}

TEST(Storm, TheSameInputsGiveTheSameBytes) {
  const auto play = [] {
    RouterHarness stage;
    stage.add_host(1, "h1");
    stage.add_host(2, "h2");
    for (std::uint64_t number = 1; number <= 50; ++number) {
      stage.receive(9, Submit{{serve_job(number)}});
    }
    stage.live(15, {{1, "h1"}});
    std::string bytes;
    for (const Send& send : stage.delivered) bytes += encode(send.envelope);
    return bytes;
  };
  EXPECT_EQ(play(), play());
}

}  // namespace
}  // namespace drover::router
