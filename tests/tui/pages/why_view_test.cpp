// The page that explains a job or an idle device: how it is opened, what it asks the router, and
// what it shows before and after the answer, and of the past.
#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_session.h"
#include "tui/history/in_memory_timeline.h"

namespace drover::tui {
namespace {

const JobChanged& first_waiting_job(const SampleFleet& fleet) {
  for (const JobChanged& job : fleet.jobs) {
    if (job.state == JobState::queued) return job;
  }
  throw std::logic_error("the sample fleet has a waiting job");
}

/// What the router says of a waiting job: two attempts, the second of which has no place.
WhyReply router_reply_on(const SampleFleet& fleet, const JobChanged& job) {
  WhyReply reply;
  reply.job = job;
  Decision first = fleet.decisions[4];
  first.attempt = 1;
  Decision second = fleet.decisions[41];
  second.attempt = 2;
  second.rejections = {{"ampere", "a100-sxm-80gb", Reason::cooldown, 2},
                       {"tpu", "tpu-v5e", Reason::precision, 3}};
  second.empty_pools = {"spot"};
  reply.decisions = {first, second};
  reply.candidates = {{"gpu-b/r1", "ampere", "a100-sxm-80gb", {}, {Reason::cooldown}},
                      {"gpu-a/g0", "hopper", "h100-sxm", {}, {Reason::memory, Reason::thermal}},
                      {"tpu-a/r0", "tpu", "tpu-v5e", {}, {Reason::precision}}};
  reply.candidates_of_decision = second.number;
  reply.nearest = {{Reason::cooldown, "gpu-b/r1", "ampere", 41, "41s"},
                   {Reason::precision, "tpu-a/r0", "tpu", 0, "int8 allowed"}};
  return reply;
}

std::vector<std::string> jobs_asked_for(Dashboard& dashboard) {
  std::vector<std::string> jobs;
  for (const Send& send : take<Send>(dashboard)) {
    const auto* const request = std::get_if<WhyRequest>(&send.envelope.body);
    if (request != nullptr) jobs.push_back(request->job_prefix);
  }
  return jobs;
}

void router_answers(SampleSession& session, const WhyReply& reply) {
  session.dashboard->receive(SampleFleet::after_40s, router_peer,
                             {"router", 1, SampleFleet::after_40s, reply});
}

TEST(WhyPage, OfAWaitingJobMatchesTheReference) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    SampleSession session("jobs", size);
    session.press({"f", "f", "j", "W"});
    (void)session.text();
    router_answers(session, router_reply_on(session.fleet, first_waiting_job(session.fleet)));
    expect_screen("why-" + std::to_string(size.columns),
                  styled_text(session.dashboard->draw(SampleFleet::after_40s)));
  }
}

TEST(WhyPage, OfAnIdleDeviceMatchesTheReference) {
  for (const Size size : {Size{80, 24}, Size{120, 40}}) {
    SampleSession session("devices", size);
    session.type(":why gpu-b/7");
    session.press({"Enter"});
    (void)session.text();
    std::vector<std::string> jobs = jobs_asked_for(*session.dashboard);
    EXPECT_EQ(jobs.size(), 4U) << "the oldest of each kind";
    for (const JobChanged& job : session.fleet.jobs) {
      if (std::ranges::find(jobs, to_text(job.job.id)) == jobs.end()) continue;
      WhyReply reply = router_reply_on(session.fleet, job);
      reply.candidates.push_back({"gpu-b/g0", "ampere", "a100-sxm-80gb", {}, {Reason::capacity}});
      router_answers(session, reply);
    }
    expect_screen("why-device-" + std::to_string(size.columns),
                  styled_text(session.dashboard->draw(SampleFleet::after_40s)));
  }
}

TEST(WhyPage, IsReachedFromJobsDecisionsDevicesAndByCommand) {
  struct Way {
    const char* view;
    std::vector<const char*> keys;
    const char* typed;
    const char* title;
  };
  for (const Way& way : std::vector<Way>{
           {"jobs", {"j", "W"}, "", "Why job"},
           {"jobs", {"j", "Enter", "W"}, "", "Why job"},
           {"routing", {"j", "W"}, "", "Why job"},
           {"devices", {"j", "W"}, "", "Why "},
           {"fleet", {}, ":why gpu-a/4", "Why job"},  // a job runs there
           {"fleet", {}, ":why gpu-b/7", "is idle"},
       }) {
    SampleSession session(way.view);
    const std::string before = session.text();
    for (const char* key : way.keys) session.press({key});
    session.type(way.typed);
    if (*way.typed != 0) session.press({"Enter"});
    EXPECT_TRUE(session.shows(way.title)) << way.view << way.typed << session.text();
    session.press({"W"});
    EXPECT_FALSE(session.shows(way.title)) << "W leads back: " << session.text();
  }
}

TEST(WhyPage, SaysWhenNothingCanBeExplained) {
  SampleSession session("jobs");
  session.press({"W"});
  EXPECT_TRUE(session.shows("no job is selected")) << session.text();
  session.type(":why gpu-z/1");
  session.press({"Enter"});
  EXPECT_TRUE(session.shows("no device gpu-z/1")) << session.text();
}

TEST(WhyPage, TheFirstDigitsOfAJobAreEnoughAndAreCompleted) {
  SampleSession session("fleet");
  const std::string id = to_text(first_waiting_job(session.fleet).job.id);
  session.type(":why " + id.substr(0, 4));
  session.press({"Tab", "Enter"});
  EXPECT_TRUE(session.shows("Why job " + id.substr(0, 8))) << session.text();
  EXPECT_EQ(jobs_asked_for(*session.dashboard), std::vector<std::string>{id});
  EXPECT_TRUE(session.shows("asking the router"));
}

TEST(WhyPage, AJobThatOnlyTheRouterKnowsIsAskedForByItsDigits) {
  SampleSession session("fleet");
  session.type(":why 00ff");
  session.press({"Enter"});
  (void)session.text();
  EXPECT_EQ(jobs_asked_for(*session.dashboard), std::vector<std::string>{"00ff"});
  WhyReply unknown;
  unknown.problem = "no job id begins with 00ff";
  router_answers(session, unknown);
  EXPECT_TRUE(session.shows("no job id begins with 00ff")) << session.text();
}

Instant why_after(int seconds) { return SampleFleet::after_40s + std::chrono::seconds(seconds); }

void router_sends(SampleSession& session, Instant at, Message body) {
  session.dashboard->receive(at, router_peer, {"router", 1, at, std::move(body)});
}

std::string why_text_at(SampleSession& session, Instant at) {
  return session.dashboard->draw(at).to_text();
}

TEST(WhyPage, AQuestionThatTheRouterPostponesIsAskedAgain) {
  SampleSession session("jobs");
  session.press({"f", "f", "j", "W"});
  (void)session.text();
  ASSERT_EQ(jobs_asked_for(*session.dashboard).size(), 1U);
  router_sends(session, why_after(0), RequestError{"the router is busy", true});
  EXPECT_FALSE(session.shows("the router is busy")) << "it explains nothing: " << session.text();
  EXPECT_TRUE(session.shows("asking the router again")) << session.text();
  (void)why_text_at(session, why_after(3));
  EXPECT_EQ(jobs_asked_for(*session.dashboard).size(), 1U);
  router_sends(session, why_after(3),
               router_reply_on(session.fleet, first_waiting_job(session.fleet)));
  const std::string text = why_text_at(session, why_after(3));
  EXPECT_NE(text.find("from the router at 02:38:44"), std::string::npos) << text;
  EXPECT_NE(text.find("41s on gpu-b/r1"), std::string::npos) << text;
}

TEST(WhyPage, ARefusalOfItsQuestionIsNotTakenForThatOfAnAction) {
  SampleSession session("jobs", {120, 40}, true);
  session.press({"f", "f", "j", "W"});
  (void)session.text();
  ASSERT_EQ(jobs_asked_for(*session.dashboard).size(), 1U);
  session.type(":drain gpu-a/3");
  session.press({"Enter", "y"});
  router_sends(session, why_after(0), RequestError{"the router is busy", true});
  EXPECT_TRUE(session.shows("waiting for the router")) << "the action is open: " << session.text();
  (void)session.dashboard->take_effects();
  (void)why_text_at(session, why_after(3));
  EXPECT_TRUE(jobs_asked_for(*session.dashboard).empty()) << "not while an action is open";
  router_sends(session, why_after(3), RequestError{"may not send SetDrain"});
  const std::string text = why_text_at(session, why_after(3));
  EXPECT_NE(text.find("may not send SetDrain"), std::string::npos) << text;
  EXPECT_EQ(jobs_asked_for(*session.dashboard).size(), 1U);
}

TEST(WhyPage, WithoutAConnectionSaysSoAndShowsWhatItKnows) {
  SampleSession session("jobs");
  session.dashboard->set_connected(why_after(0), false);
  session.press({"f", "f", "j", "W"});
  EXPECT_TRUE(session.shows("no connection: from what the router sent before")) << session.text();
  EXPECT_FALSE(session.shows("asking the router")) << session.text();
  EXPECT_TRUE(jobs_asked_for(*session.dashboard).empty());
  session.dashboard->set_connected(why_after(1), true);
  const std::string text = why_text_at(session, why_after(1));
  EXPECT_NE(text.find("asking the router"), std::string::npos) << text;
  EXPECT_EQ(jobs_asked_for(*session.dashboard).size(), 1U);
}

TEST(WhyPage, OfAnIdleDeviceIsFromTheRouterOnlyWhenAllAnswersAre) {
  SampleSession session("devices");
  session.type(":why gpu-b/7");
  session.press({"Enter"});
  (void)session.text();
  const std::vector<std::string> asked = jobs_asked_for(*session.dashboard);
  ASSERT_EQ(asked.size(), 4U);
  // The last one is answered first.
  for (std::size_t i = asked.size(); i-- > 0;) {
    const auto job = std::ranges::find_if(
        session.fleet.jobs, [&](const JobChanged& one) { return to_text(one.job.id) == asked[i]; });
    ASSERT_NE(job, session.fleet.jobs.end());
    EXPECT_TRUE(session.shows("asking the router")) << session.text();
    EXPECT_FALSE(session.shows("from the router")) << session.text();
    EXPECT_TRUE(session.shows("Not known here: the candidates of each job")) << session.text();
    router_sends(session, why_after(0), router_reply_on(session.fleet, *job));
  }
  EXPECT_TRUE(session.shows("from the router at 02:38:41")) << session.text();
  EXPECT_FALSE(session.shows("Not known here")) << session.text();
}

TEST(WhyPage, SaysTheStateOfTheJobAndThatNoChangeWouldPlaceIt) {
  SampleSession session("jobs");
  session.press({"f", "f", "j", "W"});
  EXPECT_TRUE(session.shows("Why job 6104cae5: queued")) << session.text();
  WhyReply reply = router_reply_on(session.fleet, first_waiting_job(session.fleet));
  reply.nearest.clear();
  router_answers(session, reply);
  EXPECT_TRUE(session.shows("no single change tried would place it")) << session.text();
}

TEST(WhyPage, OfThePastHasTheRecordedDecisionsAndSaysWhatIsMissing) {
  SampleFleet fleet;
  const Decision* queued = nullptr;
  for (Decision& decision : fleet.decisions) {
    if (decision.action != Action::queue) continue;
    decision.job = first_waiting_job(fleet).job.id;
    queued = &decision;
  }
  ASSERT_NE(queued, nullptr);
  InMemoryTimeline recording(SampleFleet::start, std::chrono::seconds(1));
  for (const Envelope& reported : fleet.state()) recording.add(SampleFleet::start, reported);
  DashboardOptions options;
  options.settings.start.view = "jobs";
  options.replay = {&recording, "yesterday.mcap", 1, SampleFleet::start, true};
  Dashboard dashboard(options, {120, 40}, SampleFleet::start);
  dashboard.draw(SampleFleet::start);
  for (const char* key : {"f", "f", "j", "W"}) dashboard.press(SampleFleet::start, {key});
  const std::string text = dashboard.draw(SampleFleet::start).to_text();
  EXPECT_NE(text.find("decision 42: queue"), std::string::npos) << text;
  EXPECT_NE(text.find("Not known here: candidates beyond the best three"), std::string::npos);
  EXPECT_NE(text.find("what would place the job"), std::string::npos) << text;
  EXPECT_TRUE(jobs_asked_for(dashboard).empty()) << "a recording has no router";
}

TEST(WhyPage, ScrollsAndShowsOnlyAsciiIfAsked) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "jobs", true);
  for (const char* key : {"f", "f", "j", "W"}) dashboard->press(SampleFleet::after_40s, {key});
  dashboard->draw(SampleFleet::after_40s);
  dashboard->receive(
      SampleFleet::after_40s, router_peer,
      {"router", 1, SampleFleet::after_40s, router_reply_on(fleet, first_waiting_job(fleet))});
  const std::string top = dashboard->draw(SampleFleet::after_40s).to_text();
  EXPECT_NE(top.find("to run it now: 41s on gpu-b/r1"), std::string::npos) << top;
  for (const char letter : top) ASSERT_LT(static_cast<unsigned char>(letter), 0x7F) << top;
  dashboard->press(SampleFleet::after_40s, {"G"});
  const std::string end = dashboard->draw(SampleFleet::after_40s).to_text();
  EXPECT_NE(end.find("tpu-a/r0 tpu-v5e: precision"), std::string::npos) << end;
  EXPECT_NE(end.find("`-"), std::string::npos) << end;
}

}  // namespace
}  // namespace drover::tui
