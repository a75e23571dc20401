#include "tests/tui/sample_stream.h"

#include <algorithm>

#include <fmt/format.h>

#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Draws what is published in one second.
struct Story {
  SampleFleet fleet;
  RandomStream random;
  std::vector<Told> told;

  explicit Story(std::uint64_t seed) : random(seed) {}

  Instant within(int second) {
    return SampleFleet::start + seconds(second) + milliseconds(1 + random.below(998));
  }
  std::uint16_t device() { return static_cast<std::uint16_t>(random.below(8)); }

  /// Published in the order of their instants: a second's news is drawn, sorted, and numbered.
  std::vector<std::pair<Instant, Message>> news;

  void say(int second, Message body) { news.emplace_back(within(second), std::move(body)); }

  void jobs(int second) {
    JobChanged job = fleet.jobs[random.below(fleet.jobs.size())];
    job.state = random.below(3) == 0 ? JobState::finished : JobState::running;
    job.since = SampleFleet::start + seconds(second);
    job.progress = random.uniform();
    say(second, job);
    Decision decision = fleet.decisions[random.below(fleet.decisions.size())];
    decision.number = 1'000 + static_cast<std::uint64_t>(second);
    decision.at = SampleFleet::start + seconds(second);
    say(second, decision);
  }

  void faults(int second) {
    const std::uint16_t number = device();
    DeviceChanged changed{
        "gpu-a", number, random.below(2) == 0, SampleFleet::start + seconds(second), "", {}};
    if (!changed.usable) changed.detail = "Xid 79: GPU has fallen off the bus";
    if (random.below(2) == 0) changed.injected = {"throttle=0.5"};
    say(second, changed);
    const bool raised = random.below(3) > 0;
    say(second, Alert{"throttling", fmt::format("gpu-a/{}", number), Severity::critical, raised,
                      SampleFleet::start + seconds(second), "its clock is held down"});
    say(second, Audit{"someone", "inject throttle=0.5", fmt::format("gpu-a/{}", number), true, ""});
    say(second, Event{static_cast<Severity>(random.below(3)), "gpu-b/2", "something happened"});
  }

  void sums(int second) {
    fleet.summary.finished += random.below(5);
    fleet.summary.input_tokens += random.below(10'000);
    fleet.summary.queued = random.below(9);
    fleet.summary.power_w = 9'000 + 100 * random.uniform();
    say(second, fleet.summary);
    if (second % 10 == 3) {
      say(second, Caption{"A burst overflows v5e to GPUs", "5",
                          static_cast<std::uint32_t>(second / 10 + 1), 9, second % 20 == 3});
    }
    if (second % 15 == 5) {
      say(second,
          PolicyChanged{"default", 1, 20'000, {{"hopper", 5'600, 0}, {"ampere", 0, 1}}, "", {}});
    }
    if (second % 17 == 7) {
      HostChanged host = fleet.hosts[1];
      host.pools = {"ampere"};
      host.health = random.below(2) == 0 ? Health::suspect : Health::ok;
      say(second, host);
    }
  }

  void second(int number) {
    news.clear();
    sums(number);
    if (random.below(2) == 0) jobs(number);
    if (random.below(4) == 0) faults(number);
    std::sort(news.begin(), news.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, body] : news) {
      told.push_back({at, publish_peer, fleet.published(std::move(body), at)});
    }
    for (const Envelope& batch : fleet.samples(number)) {
      told.push_back({within(number), publish_peer, batch});
    }
    std::stable_sort(told.begin(), told.end(),
                     [](const Told& a, const Told& b) { return a.at < b.at; });
  }
};

}  // namespace

std::vector<Told> sample_stream(std::uint64_t seed, int seconds_long) {
  Story story(seed);
  for (std::size_t h = 0; h < story.fleet.hosts.size(); ++h) {
    story.fleet.hosts[h].pools = {h % 2 == 0 ? "hopper" : "tpu"};
  }
  const auto snapshot = [&](Instant at) {
    for (const Envelope& part : story.fleet.snapshot()) {
      story.told.push_back({at, router_peer, part});
    }
  };
  snapshot(SampleFleet::start);
  for (int second = 0; second < seconds_long; ++second) {
    if (second == seconds_long / 2) {
      // One message lost on the way: what was missed is fetched.
      (void)story.fleet.published(story.fleet.summary);
      story.told.push_back(
          {SampleFleet::start + seconds(second), publish_peer,
           story.fleet.published(story.fleet.summary, SampleFleet::start + seconds(second))});
      snapshot(SampleFleet::start + seconds(second) + milliseconds(1));
    }
    story.second(second);
  }
  return story.told;
}

void tell(Dashboard& dashboard, const std::vector<Told>& stream, std::size_t& next, Instant to) {
  for (; next < stream.size() && stream[next].at <= to; ++next) {
    dashboard.receive(stream[next].at, stream[next].from, stream[next].envelope);
  }
}

Remembered::Remembered(const std::vector<Told>& stream, std::size_t bytes_max)
    : memory(SampleFleet::start, seconds(1), bytes_max), model(seconds(1)) {
  StreamSubscriber subscriber(seconds(1), &memory);
  for (const Told& told : stream) {
    (void)subscriber.take_snapshot_request(told.at);
    subscriber.receive(told.at, told.from, told.envelope, model);
    model.tick(told.at);
  }
}

std::unique_ptr<Dashboard> live_of(Size size, const std::string& view) {
  DashboardOptions options;
  options.settings.start.view = view;
  return std::make_unique<Dashboard>(options, size, SampleFleet::start);
}

std::unique_ptr<Dashboard> replay_of(const Timeline& timeline, Size size, const std::string& view,
                                     Instant from, bool paused) {
  DashboardOptions options;
  options.settings.start.view = view;
  options.replay = {&timeline, "some.mcap", 1, from, paused};
  return std::make_unique<Dashboard>(options, size, from);
}

std::string rows_of(const Canvas& canvas, int but) {
  std::string text;
  for (int row = 0; row < canvas.size().rows - 1; ++row) {
    if (row >= 1 && row <= but) continue;
    std::string roles;
    for (int column = 0; column < canvas.size().columns; ++column) {
      text += canvas.at(column, row).text;
      roles += facts(canvas.at(column, row).style).letter;
    }
    text += "\n" + roles + "\n";
  }
  return text;
}

}  // namespace drover::tui
