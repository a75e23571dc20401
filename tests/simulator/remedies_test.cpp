// What `why` says would place a job that waits does place it: applied word by word to a router that
// stands as the one which said it, in the middle of a storm.
#include <charconv>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/text.h"
#include "tests/simulator/fault_storms.h"
#include "tests/simulator/router_fork.h"

namespace drover::simulator {
namespace {

using std::chrono::seconds;

constexpr std::size_t jobs_max = 4;  // that are asked about at one moment

/// The number that the text begins with.
std::uint32_t number_of(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The job as it would be; false: the remedy is not one of the job's.
bool change(const NearestFit& fit, Duration waited, Job& job) {
  Workload& work = job.work;
  if (fit.change.ends_with(" of deadline") && job.deadline > Duration{0}) {
    job.deadline += from_seconds(fit.amount) - waited;
  } else if (fit.change.ends_with(" allowed") && !work.precisions.empty()) {
    const auto precision = parse_precision(fit.change.substr(0, fit.change.find(' ')));
    if (!precision) return false;
    work.precisions.push_back(*precision);
  } else if (fit.change.find(" instead of ") != std::string::npos &&
             fit.change.find("device") != std::string::npos) {
    work.devices = static_cast<std::uint16_t>(number_of(fit.change));
  } else if (fit.change.ends_with(" fewer token") || fit.change.ends_with(" fewer tokens")) {
    work.input_tokens -= number_of(fit.change);
  } else if (fit.change.starts_with("without operation ")) {
    work.ops.clear();
  } else if (fit.change.starts_with("framework ")) {
    work.framework = split(fit.change, ' ').at(1);
  } else {
    return false;
  }
  return true;
}

/// What an operator would do; nothing: the remedy is not one of theirs.
std::optional<Message> action(const NearestFit& fit, const router::Policy& policy) {
  const std::string resume = "resume ";
  if (fit.change.starts_with(resume) && fit.change.find(',') == std::string::npos) {
    return SetDrain{fit.change.substr(resume.size()), false, {}};
  }
  const bool of_site = fit.change.ends_with(" of power for the site");
  if (!of_site) return std::nullopt;
  SetPowerCap cap{"site", policy.limits.site_power_cap_w + fit.amount, Duration{}};
  cap.confirmed = true;
  return cap;
}

class Remedies {
 public:
  explicit Remedies(std::uint64_t seed, const router::Policy& policy)
      : seed_(seed), storm_(random_fault_storm(seed, policy)) {
    storm_.scenario.journal = true;
    world_ = std::make_unique<Simulation>(storm_.scenario, catalogue_);
    world_->subscriber = [&](const Envelope& envelope) {
      if (const auto* changed = std::get_if<JobChanged>(&envelope.body)) {
        jobs_[changed->job.id] = *changed;
      }
    };
  }

  void try_at(Duration at) {
    world_->run_for(at);
    if (!world_->has_router()) return;
    std::size_t asked = 0;
    for (const auto& [id, changed] : jobs_) {
      if (changed.state != JobState::queued || asked == jobs_max) continue;
      const WhyReply why = world_->why(id);
      if (!why.job || why.job->state != JobState::queued) continue;
      ++asked;
      for (const NearestFit& fit : why.nearest) try_fit(*why.job, fit);
    }
  }
  const std::map<Reason, int>& tried() const { return tried_; }

 private:
  void try_fit(const JobChanged& waits, const NearestFit& fit) {
    Job job = waits.job;
    const bool of_job = change(fit, world_->now() - waits.submitted, job);
    const auto done = action(fit, world_->policy_in_force());
    if (!of_job && !done) return;
    ++tried_[fit.reason];
    RouterFork fork(*world_, storm_.scenario, catalogue_);
    // Nobody else is to take the place.
    CancelJobs others;
    for (const auto& [id, other] : jobs_) {
      if (other.state != JobState::queued || others.jobs.size() == cancel_jobs_max) continue;
      if (of_job || id != job.id) others.jobs.push_back(to_text(id));
    }
    if (!others.jobs.empty()) fork.tell(others);
    if (of_job) {
      job.id.high ^= 1;
      fork.tell(Submit{{job}});
    }
    if (done) fork.tell(*done);
    fork.run_for(seconds(2));
    const WhyReply after = fork.why(job.id);
    const bool placed = after.job && after.job->state != JobState::queued;
    const bool failed = after.job && is_terminal(after.job->state);
    EXPECT_TRUE(placed && !failed)
        << "seed " << seed_ << ": " << to_text(job.id) << " was to be placed by " << fit.change
        << " on " << fit.target << " (" << to_text(fit.reason) << "), and waits for "
        << (after.job && after.job->reason ? to_text(*after.job->reason) : "nothing");
  }

  std::uint64_t seed_;
  FaultStorm storm_;
  const devices::Catalogue& catalogue_ = devices::Catalogue::embedded();
  std::unique_ptr<Simulation> world_;
  std::map<JobId, JobChanged> jobs_;
  std::map<Reason, int> tried_;
};

TEST(Remedies, PlaceTheJobTheyAreSuggestedFor) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : 1;
  const std::uint64_t count = asked ? 1 : 9;
  const auto policies = storm_policies(DROVER_SOURCE_DIR);
  std::map<Reason, int> tried;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Remedies remedies(seed, policies[seed % policies.size()]);
    for (const int second : {20, 45}) remedies.try_at(seconds(second));
    for (const auto& [reason, times] : remedies.tried()) tried[reason] += times;
  }
  if (asked) return;
  int all = 0;
  for (const auto& [reason, times] : tried) all += times;
  EXPECT_GT(all, 20);
  EXPECT_GT(tried[Reason::precision], 0);
  EXPECT_GT(tried[Reason::drain], 0);
}

}  // namespace
}  // namespace drover::simulator
