#include "commands/demo/story.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fleet/base/identity.h"

namespace drover::commands {

namespace {

enum ChapterNumber : std::size_t { cold, burst, cuda, fp8, heat, killed, cap, recovery };

constexpr std::string_view used = "utilization";

// One sentence each: the cause, then the effect. Without the reason it fits on a row of 80 columns.
constexpr std::array<Chapter, 8> all_chapters{{
    {0, "A TPU chip fails: its slice reloads, so v5e-1 alone serves 70B chat", "1", "fleet", used,
     "v5e-2/8"},
    {100, "A burst of chat fills the preferred TPUs, so GPUs take the rest (reason: capacity)", "5",
     "routing", used, ""},
    {220, "Jobs need a CUDA kernel, which TPUs lack, so GPUs run them (reason: op_unsupported)",
     "5", "routing", used, ""},
    {300, "Jobs need fp8, which only the H100s compute, so h100 runs them (reason: precision)", "5",
     "routing", used, ""},
    {390, "Rack-2's cooling fails: hot TPUs throttle, new requests go to h100 (reason: thermal)",
     "1", "fleet", "temperature", "v5e-1/0"},
    {550, "Host h100-1 dies: its jobs restart elsewhere or wait, none is lost (reason: unhealthy)",
     "4", "jobs", used, ""},
    {720, "A site cap of 90% of mean power: GPUs slow, new work waits (reason: power_cap)", "6",
     "power", used, ""},
    {820, "The cap is lifted, so waiting work runs; the run's totals are above", "1", "fleet", used,
     ""},
}};

Fault fault(FaultKind kind, double amount, double lasts_s) {
  return {kind, 0, amount, from_seconds(lasts_s)};
}

Job request(const char* model, std::uint32_t input_tokens, std::uint32_t output_tokens) {
  Job job;
  job.tenant = "story";
  job.priority = 10;
  job.work.kind = WorkKind::serve;
  job.work.model = model;
  job.work.input_tokens = input_tokens;
  job.work.output_tokens = output_tokens;
  return job;
}

// Of the site's power when the cap is set. Low enough to bind, and above the idle power.
constexpr double cap_share = 0.9;
// The time constant of the moving mean of the site's power, in fleet time.
constexpr double mean_s = 50;

}  // namespace

std::span<const Chapter> chapters() { return all_chapters; }

Story::Story(std::uint64_t seed, double load, Instant start)
    : random_(RandomStream(seed).child("story")), load_(load), start_(start) {
  write_next_round();
}

void Story::receive(Instant now, const Summary& summary) {
  // The weight depends on the time since the last summary, not on the number of summaries.
  const double weight = received_ ? 1 - std::exp(-to_seconds(now - *received_) / mean_s) : 1;
  site_w_ += weight * (summary.power_w - site_w_);
  received_ = now;
}

Caption Story::caption() const {
  const Chapter& one = all_chapters[chapter_];
  Caption caption{std::string(one.caption), std::string(one.key),
                  static_cast<std::uint32_t>(chapter_ + 1),
                  static_cast<std::uint32_t>(all_chapters.size()), paused()};
  caption.view = one.view;
  caption.metric = one.metric;
  caption.device = one.device;
  caption.totals = chapter_ + 1 == all_chapters.size();
  return caption;
}

void Story::toggle(Instant now) {
  if (!paused_) {
    paused_ = now;
    return;
  }
  start_ += now - *paused_;
  paused_.reset();
}

void Story::add(double at_s, Message message) {
  events_.push_back({at_s, [message = std::move(message)](StoryActions& actions) {
                       actions.messages.push_back(message);
                     }});
}

void Story::add_requests(const char* name, double from_s, double to_s, double rate_per_s,
                         Job like) {
  Requests requests{random_.child(name).child(round_), 1 / (rate_per_s * load_), to_s,
                    std::move(like), from_s};
  requests.at_s += requests.random.exponential(requests.every_s);
  requests_.push_back(std::move(requests));
}

Story::Requests* Story::next_requests() {
  Requests* next = nullptr;
  for (Requests& each : requests_) {
    if (each.at_s < each.to_s && (next == nullptr || each.at_s < next->at_s)) next = &each;
  }
  return next;
}

Job Story::draw(Requests& requests) {
  RandomStream& random = requests.random;
  Job job = requests.like;
  job.id = generate_job_id(random);
  for (std::uint32_t* tokens : {&job.work.input_tokens, &job.work.output_tokens}) {
    *tokens = static_cast<std::uint32_t>(*tokens * random.uniform(0.7, 1.3));
  }
  requests.at_s += random.exponential(requests.every_s);
  return job;
}

void Story::write_next_round() {
  events_.clear();
  requests_.clear();
  next_ = 0;
  const auto begins = [](ChapterNumber number) { return all_chapters[number].begins_s; };
  for (std::size_t number = 0; number < all_chapters.size(); ++number) {
    events_.push_back(
        {all_chapters[number].begins_s, [this, number](StoryActions&) { chapter_ = number; }});
  }
  add(begins(cold), InjectFault{"device:v5e-2/8", fault(FaultKind::lose, 0, 2), 0, 0});
  add_requests("burst", begins(burst), begins(burst) + 60, 8, request("llama-3.1-70b", 1500, 300));
  Job kernel = request("llama-3.1-70b", 1000, 150);
  kernel.work.ops = {"custom_cuda"};
  add_requests("cuda", begins(cuda), begins(fp8), 0.3, kernel);
  Job small = request("llama-3.1-70b", 1000, 150);
  small.work.precisions = {Precision::fp8};
  add_requests("fp8", begins(fp8), begins(fp8) + 60, 0.3, small);
  add(begins(heat), InjectFault{"rack:rack-2", fault(FaultKind::inlet, 48, 120), 0, 0});
  add(begins(killed), InjectFault{"host:h100-1", fault(FaultKind::lose, 0, 150), 0, 0});
  events_.push_back({begins(cap), [this](StoryActions& actions) {
                       if (site_w_ <= 0) return;
                       const double lasts_s =
                           all_chapters[recovery].begins_s - all_chapters[cap].begins_s;
                       actions.messages.emplace_back(
                           SetPowerCap{"site", cap_share * site_w_, from_seconds(lasts_s)});
                     }});
  std::stable_sort(
      events_.begin(), events_.end(),
      [](const StoryEvent& left, const StoryEvent& right) { return left.at_s < right.at_s; });
}

Story::StoryActions Story::due(Instant now, std::size_t room) {
  StoryActions actions;
  while (!paused_) {
    const StoryEvent& event = events_[next_];
    Requests* requests = next_requests();
    if (requests != nullptr && requests->at_s < event.at_s && at(requests->at_s) <= now &&
        actions.jobs.size() < room) {
      actions.jobs.push_back(draw(*requests));
      continue;
    }
    if (at(event.at_s) > now) break;
    event.act(actions);
    if (++next_ < events_.size()) continue;
    start_ = saturating_add(start_, from_seconds(story_s));
    ++round_;
    write_next_round();
  }
  return actions;
}

Instant Story::at(double second) const { return saturating_add(start_, from_seconds(second)); }

Instant Story::next_deadline() {
  if (paused_) return never;
  const Requests* requests = next_requests();
  const double event_s = events_[next_].at_s;
  return at(requests == nullptr ? event_s : std::min(event_s, requests->at_s));
}

}  // namespace drover::commands
