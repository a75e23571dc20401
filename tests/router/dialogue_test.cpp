// Golden dialogues: each file of tests/router/dialogues is a script and what the router said to it.
// DROVER_REWRITE=1 writes the answers anew; a person reads the difference.
//
//   > command             a step
//   answer                what came of it: writes, sends (with the write they wait for), publishes
//
// Summaries, heartbeats and lines that begin with # are left out of the comparison's noise: the
// first two are not shown, comments stay where they are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "fleet/base/text.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

std::string number_text(const JobId& id) { return "job " + std::to_string(id.low); }

std::string devices_text(const std::vector<std::uint16_t>& devices) {
  std::string text;
  for (const std::uint16_t device : devices) {
    text += (text.empty() ? "" : ",") + std::to_string(device);
  }
  return text;
}

/// One message in one line; empty: not shown.
struct MessageText {
  std::string operator()(const JoinAccepted& it) const {
    return fmt::format("heartbeat every {} s, lease {} s", to_seconds(it.heartbeat_every),
                       to_seconds(it.lease));
  }
  std::string operator()(const JoinRejected& it) const { return it.why; }
  std::string operator()(const RequestError& it) const { return it.what; }
  std::string operator()(const Assign& it) const {
    return fmt::format("{} attempt {} on {}{}, {}{}", number_text(it.job.id), it.attempt,
                       it.replica ? "replica " + std::to_string(*it.replica) : "devices ",
                       devices_text(it.devices), to_text(it.precision),
                       it.model_spec.empty() ? "" : ", with its model's spec");
  }
  std::string operator()(const Cancel& it) const {
    return fmt::format("{} attempt {}: {}", number_text(it.job), it.attempt, to_text(it.reason));
  }
  std::string operator()(const ResultStored& it) const {
    return fmt::format("{} attempt {}", number_text(it.job), it.attempt);
  }
  std::string operator()(const StartReplica& it) const {
    return fmt::format("{} of {} on {}", it.number, it.model, devices_text(it.devices));
  }
  std::string operator()(const SubmitReply& it) const {
    std::string text;
    for (const SubmitResult& result : it.results) {
      text += fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", number_text(result.job),
                          to_text(result.status), to_text(result.state));
      if (result.status == SubmitStatus::refused)
        text += fmt::format(" {}", to_text(result.reason));
      if (!result.detail.empty()) text += ": " + result.detail;
    }
    return text;
  }
  std::string operator()(const Summary& it) const {
    const std::string cancelled =
        it.cancelled > 0 ? fmt::format(" cancelled {}", it.cancelled) : "";
    return fmt::format(
        "accepted {} refused {} finished {} failed {}{} queued {} running {} stale {}", it.accepted,
        it.refused, it.finished, it.failed, cancelled, it.queued, it.running, it.stale_results);
  }
  std::string operator()(const HostChanged& it) const {
    return fmt::format("{} {}", it.registration.host, to_text(it.health));
  }
  std::string operator()(const ReplicaChanged& it) const {
    return fmt::format("{} {} in {}", to_text(it.replica.id), to_text(it.replica.state), it.pool);
  }
  std::string operator()(const JobChanged& it) const {
    std::string text =
        fmt::format("{} {} attempt {}", number_text(it.job.id), to_text(it.state), it.attempt);
    if (!it.target.empty()) text += " on " + it.target;
    if (it.reason) text += fmt::format(", {}", to_text(*it.reason));
    if (!it.detail.empty()) text += ": " + it.detail;
    return text;
  }
  std::string operator()(const Decision& it) const {
    std::string text = fmt::format("{} {}", it.number, to_text(it.action));
    if (!it.job.empty()) text += " " + number_text(it.job);
    if (!it.target.empty()) text += " to " + it.target;
    if (it.fallback_reason) text += fmt::format(" because {}", to_text(*it.fallback_reason));
    return text;
  }
  std::string operator()(const Audit& it) const {
    return fmt::format("{}: {} {}: {}: {}", it.who, it.action, it.target,
                       it.applied ? "done" : "not done", it.detail);
  }
  std::string operator()(const ActionReply& it) const {
    if (!it.applied) return "not done: " + it.problem;
    if (!it.summary.empty()) return "done: " + it.summary;
    std::string text = "done:";
    for (const std::string& target : it.targets) text += " " + target;
    return text;
  }
  std::string operator()(const CancelReply& it) const {
    std::string text;
    for (const CancelResult& result : it.results) {
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", number_text(result.job),
                          to_text(result.status));
      if (!result.detail.empty()) text += ": " + result.detail;
    }
    return text + it.problem;
  }
  std::string operator()(const DeviceChanged& it) const {
    return fmt::format("{}/{}{}{}", it.host, it.device, it.usable ? "" : " not usable",
                       it.drained ? " drained" : "");
  }
  std::string operator()(const Event& it) const {
    return fmt::format("{} {}: {}", to_text(it.severity), it.subject, it.text);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

const std::map<Transition, std::string> transition_names = {
    {Transition::started, "started"},   {Transition::accepted, "accepted"},
    {Transition::leased, "leased"},     {Transition::running, "running"},
    {Transition::returned, "returned"}, {Transition::finished, "finished"},
    {Transition::failed, "failed"},     {Transition::stale, "stale"},
    {Transition::counters, "counters"}, {Transition::audit, "audit"},
    {Transition::known, "known"},       {Transition::sums, "sums"}};

class Dialogue {
 public:
  std::string play(std::istream& script) {
    std::string line;
    std::string transcript;
    while (std::getline(script, line)) {
      if (line.empty() || line.starts_with('#')) transcript += line + "\n";
      if (!line.starts_with("> ")) continue;
      transcript += line + "\n" + step(line.substr(2));
    }
    return transcript;
  }

 private:
  std::string step(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    stage_.forget();
    stage_.waiting_sends.clear();
    act(verb, words);
    if (verb != "committed" && verb != "wait") stage_.tick();
    return heard();
  }

  template <typename T>
  static T next(std::istream& words, T otherwise = {}) {
    T value{};
    return words >> value ? value : otherwise;
  }

  void act(const std::string& verb, std::istream& words) {
    if (verb == "committed") return stage_.commit();
    if (verb == "restart") {
      const Status restored = stage_.restart();
      ASSERT_TRUE(restored) << restored.error().message;
      return;
    }
    if (verb == "wait") {
      return stage_.wait(std::chrono::milliseconds(next<int>(words)));
    }
    if (verb == "samples") {
      const auto host = next<std::string>(words);
      return stage_.receive_samples(host, ++samples_, RouterHarness::idle_samples(8));
    }
    const auto peer = next<std::uint64_t>(words);
    if (verb == "hello") return registration(peer, words);
    if (verb == "beat") return stage_.receive(peer, Heartbeat{});
    if (verb == "submit") return submit(peer, words);
    if (verb == "leave") {
      const auto why = next<std::string>(words);
      return stage_.receive(peer, Leave{why, next<std::uint32_t>(words)});
    }
    if (verb == "drain" || verb == "resume") {
      const auto target = next<std::string>(words);
      return stage_.receive(
          peer, SetDrain{target, verb == "drain", std::chrono::seconds(next<int>(words))});
    }
    if (verb == "cancel") return cancel(peer, words);
    if (verb == "policy") return change_policy(peer, next<int>(words));
    if (verb == "end") return stage_.receive(peer, EndRunRequest{});
    if (verb == "summary") return stage_.receive(peer, SummaryRequest{});
    if (verb == "join") {
      const auto role = next<std::string>(words);
      stage_.receive(peer, Join{role == "agent"    ? Role::agent
                                : role == "viewer" ? Role::viewer
                                                   : Role::client,
                                next<std::string>(words), "drover test"});
      return;
    }
    attempt(verb, peer, words);
  }

  void registration(std::uint64_t peer, std::istream& words) {
    const auto host = next<std::string>(words);
    Register registration = stage_.registration(host, next<std::uint64_t>(words, 1));
    registration.replicas = {RouterHarness::replica(host, 0)};
    std::string holds;
    while (words >> holds) {  // JOB/ATTEMPT
      const auto parts = split(holds, '/');
      registration.held.push_back(
          {job_id(std::stoull(parts.at(0))), static_cast<std::uint32_t>(std::stoul(parts.at(1)))});
    }
    stage_.receive(peer, registration);
  }

  void submit(std::uint64_t peer, std::istream& words) {
    Submit submit;
    std::string word;
    while (words >> word) {
      if (word.starts_with("model=")) {
        submit.jobs.back().work.model = word.substr(6);
      } else if (word.starts_with("priority=")) {
        submit.jobs.back().priority = static_cast<std::int8_t>(std::stoi(word.substr(9)));
      } else {
        submit.jobs.push_back(serve_job(std::stoull(word)));
      }
    }
    stage_.receive(peer, submit);
  }

  void cancel(std::uint64_t peer, std::istream& words) {
    CancelJobs jobs;
    for (std::uint64_t job = 0; words >> job;) jobs.jobs.push_back(to_text(job_id(job)));
    stage_.receive(peer, jobs);
  }

  void change_policy(std::uint64_t peer, int version) {
    const std::string text = fmt::format(
        "[policy]\nname = \"small\"\nversion = {}\n[pool.any]\nmatch = {{}}\n"
        "[[rule]]\nname = \"all\"\npools = [\"any\"]\n",
        version);
    stage_.receive(peer, ApplyPolicy{text, "new.toml"});
  }

  void attempt(const std::string& verb, std::uint64_t peer, std::istream& words) {
    const JobId job = job_id(next<std::uint64_t>(words));
    const auto number = next<std::uint32_t>(words);
    if (verb == "accept") return stage_.receive(peer, Accepted{job, number});
    if (verb == "progress") return stage_.receive(peer, Progress{job, number, 0.5, 1});
    const Reason reason = parse_reason(next<std::string>(words, "capacity")).value();
    if (verb == "refuse") return stage_.receive(peer, Refused{job, number, reason, ""});
    if (verb == "fail") return stage_.receive(peer, Failed{job, number, {}, reason, "", {1, 2, 3}});
    if (verb == "finish") {
      Finished finished;
      finished.job = job;
      finished.attempt = number;
      finished.usage = {1, 2, 3};
      finished.outcome = {512, 128, 0, 0.1, 0.8};
      return stage_.receive(peer, finished);
    }
    FAIL() << "no such step: " << verb;
  }

  static std::string line_of(const Send& send) {
    const bool published = send.to == publish_peer;
    const Message& body = send.envelope.body;
    if (published && std::holds_alternative<Summary>(body)) return "";
    const std::string text = std::visit(MessageText{}, body);
    return fmt::format("{}{}{}{}", published ? "publishes" : fmt::format("to {}", send.to.number),
                       fmt::format(" {}", kind_name(body)), text.empty() ? "" : ": ", text);
  }

  std::string heard() {
    std::string text;
    for (const Write& write : stage_.writes) {
      text +=
          fmt::format("  writes {}: {}", write.sequence, transition_names.at(write.row.transition));
      if (!write.row.job.empty()) {
        text += fmt::format(" {} attempt {}", number_text(write.row.job), write.row.attempt);
      }
      text += "\n";
    }
    for (const Send& send : stage_.waiting_sends) {
      text += fmt::format("  after write {}, {}\n", send.after_write, line_of(send));
    }
    for (const Send& send : stage_.delivered) {
      const std::string line = line_of(send);
      if (!line.empty()) text += "  " + line + "\n";
    }
    return text;
  }

  RouterHarness stage_;
  std::uint64_t samples_ = 0;
};

std::filesystem::path folder() {
  return std::filesystem::path(DROVER_SOURCE_DIR) / "tests" / "router" / "dialogues";
}

class Dialogues : public testing::TestWithParam<std::string> {};

TEST_P(Dialogues, MatchTheirGoldenFiles) {
  const std::filesystem::path file = folder() / (GetParam() + ".txt");
  std::ifstream reading(file);
  ASSERT_TRUE(reading) << file;
  std::ostringstream whole;
  whole << reading.rdbuf();
  const std::string expected = whole.str();
  std::istringstream script(expected);
  const std::string found = Dialogue().play(script);
  if (std::getenv("DROVER_REWRITE") != nullptr) {
    std::ofstream(file) << found;
    return;
  }
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Router, Dialogues,
                         testing::Values("a_job_from_submit_to_end", "a_host_is_lost",
                                         "a_host_leaves", "the_router_restarts",
                                         "refusals_and_retries", "the_run_ends",
                                         "jobs_are_cancelled", "a_host_is_drained",
                                         "the_policy_changes"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace drover::router
