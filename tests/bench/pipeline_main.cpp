// Jobs from a feeder through a real router with a durable ledger to agents and back, over ZeroMQ on
// loopback:
//
//   drover_pipeline [--watched] [JOBS [SECONDS [OPTION..]]]
//
// JOBS stand in the ledger before (default 1,000,000); the router gets the options, such as
// --metrics 127.0.0.1:0. With --watched a recorder and a dashboard of 120x40 watch it.
//
// The router is the real program. The agents here end every job at once, so that what is measured
// is the router: a job counts when its result is on disk and its agent has been told. First as many
// jobs as it takes, then half as many, and half of what is the goal, for the time to an
// acknowledgement. Beside them what the disk under the ledger does by itself: appends of 4 KiB,
// each followed by fdatasync.
#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/sample/sample.h"
#include "tests/bench/filled_ledger.h"

namespace drover::commands {
namespace {

namespace files = std::filesystem;
using std::chrono::milliseconds;

constexpr std::uint16_t replicas = 8;
constexpr std::size_t batch_jobs = 64;
constexpr std::size_t open_max = 4'096;
constexpr double goal_per_s = 30'000;

double seconds(WallSpan span) { return std::chrono::duration<double>(span).count(); }

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return values[std::min(rank, values.size() - 1)];
}

/// Seconds of each append and fdatasync.
std::vector<double> time_disk(const files::path& folder, int count) {
  const std::string path = (folder / "disk").string();
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const std::string page(4096, 'x');
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const WallTime begin = wall_now();
    if (::write(file, page.data(), page.size()) < 0 || ::fdatasync(file) != 0) break;
    times.push_back(seconds(wall_now() - begin));
  }
  ::close(file);
  return times;
}

/// A run of the program, until this ends.
class Program {
 public:
  using Words = std::vector<std::string>;

  explicit Program(Words words) : name_(words[0]) {
    pid_ = ::fork();
    if (pid_ == 0) become(std::move(words));
  }
  /// In a terminal whose output is thrown away.
  Program(Words words, winsize size) : name_(words[0]) {
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::setenv("TERM", "xterm-256color", 1);
      ::setenv("LC_ALL", "C.UTF-8", 1);
      become(std::move(words));
    }
    reader_ = std::thread([terminal = terminal_] {
      std::array<char, 65536> bytes{};
      while (::read(terminal, bytes.data(), bytes.size()) > 0) continue;
    });
  }
  ~Program() {
    ::kill(pid_, SIGTERM);
    int status = 0;
    rusage used{};
    ::wait4(pid_, &status, 0, &used);
    if (reader_.joinable()) reader_.join();
    if (terminal_ >= 0) ::close(terminal_);
    fmt::print("{}: {} MiB at most, {:.1f} CPU seconds in all\n", name_, used.ru_maxrss / 1024,
               static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
  }
  Program(const Program&) = delete;

  bool runs() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  [[noreturn]] static void become(Words words) {
    std::vector<char*> arguments;
    words.insert(words.begin(), "drover");
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(DROVER_BINARY, arguments.data());
    ::_exit(127);
  }

  std::string name_;
  pid_t pid_ = -1;
  int terminal_ = -1;
  std::thread reader_;
};

std::unique_ptr<Session> join(const std::string& endpoint, Role role, const std::string& name) {
  SessionOptions options;
  options.router.endpoint = endpoint;
  options.role = role;
  options.name = name;
  options.timeout = std::chrono::seconds(120);
  auto session = Session::open(options);
  DROVER_REQUIRE(session.ok());
  return std::move(*session);
}

/// A host whose replicas end every job as it comes.
class Agent {
 public:
  explicit Agent(const std::string& endpoint) : session_(join(endpoint, Role::agent, "h-1")) {
    DROVER_REQUIRE(session_->sockets().connect_samples(session_->welcome().samples_endpoint).ok());
    Register registration;
    registration.host = "h-1";
    registration.incarnation = {1, 1};
    const auto device = devices::Catalogue::embedded().device("h100-sxm");
    registration.specs = {{"h100-sxm", (*device)->text}};
    registration.groups.push_back({0, 0, replicas, "h100-sxm", "", 0});
    for (std::uint16_t number = 0; number < replicas; ++number) {
      Replica replica;
      replica.id = {"h-1", number};
      replica.model = "llama-3.1-8b";
      replica.devices = {number};
      replica.state = ReplicaState::ready;
      replica.kv_capacity_tokens = 4'000'000;
      replica.batch_max = 1'024;
      registration.replicas.push_back(replica);
    }
    session_->send(registration);
  }

  /// Takes what has come; answers how many results are on disk now that were not before.
  std::size_t turn(milliseconds longest) {
    live();
    std::size_t stored = 0;
    for (const auto& [from, envelope] : session_->wait(longest).messages) {
      if (const auto* assign = std::get_if<Assign>(&envelope.body)) {
        session_->send(Accepted{assign->job.id, assign->attempt});
        Finished finished;
        finished.job = assign->job.id;
        finished.attempt = assign->attempt;
        finished.incarnation = {1, 1};
        finished.usage = {0.1, 5, 0.001};
        finished.outcome = {assign->job.work.input_tokens, assign->job.work.output_tokens, 0, 0.01,
                            0.1};
        session_->send(finished);
      } else if (std::holds_alternative<ResultStored>(envelope.body)) {
        ++stored;
      }
    }
    return stored;
  }

 private:
  void live() {
    if (wall_now() < next_beat_) return;
    next_beat_ = wall_now() + std::chrono::seconds(1);
    Heartbeat beat;
    beat.incarnation = {1, 1};
    session_->send(beat);
    std::vector<Sample> rows(replicas);
    for (std::uint16_t device = 0; device < replicas; ++device) {
      rows[device].device = device;
      rows[device][Metric::power] = 100;
      rows[device][Metric::power_cap] = 700;
      rows[device][Metric::temperature] = 40;
      rows[device][Metric::memory_total] = 80e9;
    }
    const Envelope samples{"h-1", ++samples_, session_->clock().now(), pack("h-1", rows)};
    session_->sockets().send(samples_peer, encode(samples));
  }

  std::unique_ptr<Session> session_;
  WallTime next_beat_{};
  std::uint64_t samples_ = 0;
};

class Feeder {
 public:
  explicit Feeder(const std::string& endpoint) : session_(join(endpoint, Role::client, "feeder")) {}

  void submit(std::size_t count) {
    Submit submit;
    for (; count > 0; --count) submit.jobs.push_back(bench_job(++made_ | std::uint64_t{1} << 40));
    sent_.emplace(submit.jobs.front().id, wall_now());
    session_->send(std::move(submit));
  }
  void turn(milliseconds longest) {
    for (const auto& [from, envelope] : session_->wait(longest).messages) {
      const auto* reply = std::get_if<SubmitReply>(&envelope.body);
      if (reply == nullptr) continue;
      for (const SubmitResult& result : reply->results) {
        refused_ += result.status != SubmitStatus::accepted;
      }
      const auto sent = sent_.find(reply->results.front().job);
      if (sent == sent_.end()) continue;
      acknowledged_s.push_back(seconds(wall_now() - sent->second));
      sent_.erase(sent);
    }
  }
  std::uint64_t made() const { return made_; }
  std::uint64_t refused() const { return refused_; }

  std::vector<double> acknowledged_s;  // from the sending of each submission

 private:
  std::unique_ptr<Session> session_;
  std::map<JobId, WallTime> sent_;
  std::uint64_t made_ = 0, refused_ = 0;
};

struct Load {
  double jobs_per_s = 0;
  std::vector<double> acknowledged_s;
};

/// `wanted_per_s` 0: as many as it takes.
Load drive(Agent& agent, Feeder& feeder, double wanted_per_s, double for_s) {
  feeder.acknowledged_s.clear();
  const WallTime begin = wall_now();
  std::uint64_t stored = 0;
  const std::uint64_t before = feeder.made() + feeder.refused();
  // Of the first second nothing is counted: it fills the pipeline.
  constexpr double warm_s = 1;
  std::uint64_t stored_warm = 0;
  double warm_at = 0;
  for (double now = 0; now < for_s; now = seconds(wall_now() - begin)) {
    if (warm_at == 0 && now > warm_s) {
      warm_at = now;
      stored_warm = stored;
      feeder.acknowledged_s.clear();
    }
    const std::uint64_t given = feeder.made() - before;
    const bool room = given - stored + batch_jobs <= open_max;
    const bool wanted = wanted_per_s == 0 || static_cast<double>(given) < wanted_per_s * now;
    if (room && wanted) {
      const double due = wanted_per_s * now - static_cast<double>(given);
      feeder.submit(wanted_per_s == 0
                        ? batch_jobs
                        : std::clamp<std::size_t>(static_cast<std::size_t>(due), 1, batch_jobs));
    }
    stored += agent.turn(milliseconds(room && wanted ? 0 : 1));
    feeder.turn(milliseconds(0));
  }
  const double end = seconds(wall_now() - begin);
  Load load{static_cast<double>(stored - stored_warm) / (end - warm_at), feeder.acknowledged_s};
  for (int turn = 0; stored < feeder.made() - before && turn < 5'000; ++turn) {
    stored += agent.turn(milliseconds(1));
    feeder.turn(milliseconds(0));
  }
  return load;
}

void print_times(const char* what, const std::vector<double>& times_s) {
  fmt::print("{}: p50 {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms of {}\n", what,
             1e3 * quantile(times_s, 0.5), 1e3 * quantile(times_s, 0.99),
             1e3 * quantile(times_s, 1), times_s.size());
}

struct Choice {
  bool watched = false;
  std::uint64_t jobs = 1'000'000;
  double for_s = 10;
  std::vector<std::string> router_options;
};

void run(const Choice& choice) {
  std::string pattern = (files::temp_directory_path() / "drover-pipeline-XXXXXX").string();
  DROVER_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  const files::path folder = pattern;
  const std::string ledger = (folder / "ledger.sqlite").string();
  const std::string endpoint = fmt::format("tcp://127.0.0.1:{}", 20'000 + 3 * (::getpid() % 4'000));
  fill_ledger(ledger, choice.jobs);
  fmt::print("ledger: {} jobs, {} MiB\n", choice.jobs, files::file_size(ledger) >> 20);
  print_times("disk, 4 KiB and fdatasync, before", time_disk(folder, 500));
  {
    const WallTime begin = wall_now();
    Program::Words words = {"router", "--listen", endpoint, "--ledger", ledger};
    words.insert(words.end(), choice.router_options.begin(), choice.router_options.end());
    const Program router(words);
    Agent agent(endpoint);
    Feeder feeder(endpoint);
    fmt::print("router: welcomes after {:.2f} s\n", seconds(wall_now() - begin));
    std::optional<Program> recorder, dashboard;
    if (choice.watched) {
      recorder.emplace(Program::Words{"record", "--connect", endpoint, "-o",
                                      (folder / "watched.mcap").string()});
      dashboard.emplace(Program::Words{"top", "--no-config", "--connect", endpoint},
                        winsize{40, 120, 0, 0});
    }
    drive(agent, feeder, 100, 3);
    DROVER_REQUIRE(!choice.watched || (recorder->runs() && dashboard->runs()));
    const Load most = drive(agent, feeder, 0, choice.for_s);
    fmt::print("jobs: {:.0f} /s\n", most.jobs_per_s);
    print_times("acknowledgement at that load", most.acknowledged_s);
    for (const double wanted_per_s : {most.jobs_per_s / 2, goal_per_s / 2}) {
      const Load half = drive(agent, feeder, wanted_per_s, choice.for_s);
      fmt::print("half of {}: {:.0f} /s\n", wanted_per_s == goal_per_s / 2 ? "the goal" : "it",
                 half.jobs_per_s);
      print_times("acknowledgement", half.acknowledged_s);
    }
    fmt::print("jobs in all: {}, refused: {}\n", feeder.made(), feeder.refused());
  }
  print_times("disk, 4 KiB and fdatasync, after", time_disk(folder, 500));
  fmt::print("ledger: {} MiB\n", files::file_size(ledger) >> 20);
  files::remove_all(folder);
}

}  // namespace
}  // namespace drover::commands

int main(int count, char** words) {
  std::vector<std::string> given(words + 1, words + count);
  drover::commands::Choice choice;
  if (!given.empty() && given[0] == "--watched") {
    choice.watched = true;
    given.erase(given.begin());
  }
  if (!given.empty()) choice.jobs = std::strtoull(given[0].c_str(), nullptr, 10);
  if (given.size() > 1) choice.for_s = std::atof(given[1].c_str());
  if (given.size() > 2) choice.router_options.assign(given.begin() + 2, given.end());
  drover::commands::run(choice);
}
