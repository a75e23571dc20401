// When a dashboard asks its router about a job, and which answer belongs to which question.
#include "tui/explain/why_answers.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

using std::chrono::seconds;

constexpr Instant first_question{seconds(1'000)};
constexpr Duration ten_times_wall = seconds(10);  // fleet time runs ten times as fast

std::size_t questions_due(WhyAnswers& answers, Instant now,
                          const std::vector<WhySubject>& subjects) {
  return answers.follow(now, ten_times_wall, subjects).size();
}

WhyReply answer_on(const JobId& id) {
  WhyReply reply;
  reply.job.emplace();
  reply.job->job.id = id;
  return reply;
}

TEST(WhyAnswers, AsksOnceAndAgainWhenTheJobChangesOrWaits) {
  const JobId id{0xab00000000000000, 1};
  const std::string job = to_text(id);
  struct Step {
    const char* about;
    int at_s;  // ten_times_wall seconds
    std::string state;
    bool waits;
    std::size_t asks;
  };
  WhyAnswers answers;
  for (const Step& step : std::vector<Step>{{"first", 0, "queued", true, 1},
                                            {"not answered yet", 1, "queued", true, 0},
                                            {"the answer is lost", 10, "queued", true, 1},
                                            {"waits on", 15, "queued", true, 0},
                                            {"the fleet may have changed", 20, "queued", true, 1},
                                            {"too soon", 21, "running", false, 0},
                                            {"another state", 22, "running", false, 1},
                                            {"nothing changes", 90, "running", false, 0}}) {
    const Instant now = first_question + step.at_s * ten_times_wall;
    EXPECT_EQ(questions_due(answers, now, {{job, step.state, step.waits}}), step.asks)
        << step.about;
    const bool answered = step.asks > 0 && step.at_s > 0;
    if (answered) {
      EXPECT_TRUE(answers.receive(now, answer_on(id)));
    }
  }
}

TEST(WhyAnswers, GivesEachAnswerToItsQuestion) {
  const JobId one{0xaa00000000000000, 1}, two{0xbb00000000000000, 1};
  WhyAnswers answers;
  EXPECT_FALSE(answers.receive(first_question, answer_on(one))) << "nobody has asked";
  ASSERT_EQ(questions_due(answers, first_question,
                          {{"aa", "", false}, {to_text(two), "", false}, {"cc", "", false}}),
            3U);
  EXPECT_TRUE(answers.receive(first_question, answer_on(two)));
  EXPECT_TRUE(answers.receive(first_question, answer_on(one)));
  WhyReply unknown;
  unknown.problem = "no job id begins with cc";
  EXPECT_TRUE(answers.receive(first_question, unknown));
  EXPECT_EQ(answers.find("aa")->reply.job->job.id, one);
  EXPECT_EQ(answers.find(to_text(two))->reply.job->job.id, two);
  EXPECT_EQ(answers.find("cc")->reply.problem, unknown.problem);
  EXPECT_FALSE(answers.receive(first_question, RequestError{"busy", true}))
      << "no question is open";
}

TEST(WhyAnswers, AfterALostConnectionTheQuestionIsAskedAgain) {
  WhyAnswers answers;
  ASSERT_EQ(questions_due(answers, first_question, {{"aa", "", false}}), 1U);
  answers.set_connected(false);
  EXPECT_FALSE(answers.connected());
  answers.set_connected(true);
  EXPECT_EQ(questions_due(answers, first_question, {{"aa", "", false}}), 1U);
}

TEST(WhyAnswers, AQuestionThatTheRouterPostponesIsAskedAgainAndKeepsItsAnswer) {
  const JobId id{0xaa00000000000000, 1};
  const std::vector<WhySubject> subjects = {{"aa", "", false}};
  WhyAnswers answers;
  ASSERT_EQ(questions_due(answers, first_question, subjects), 1U);
  EXPECT_TRUE(answers.receive(first_question, RequestError{"busy", true}));
  EXPECT_TRUE(answers.find("aa")->postponed);
  EXPECT_EQ(answers.find("aa")->at, Instant::min()) << "it has no answer";
  EXPECT_EQ(answers.find("aa")->reply.problem, "");
  EXPECT_EQ(questions_due(answers, first_question + ten_times_wall, subjects), 0U) << "too soon";
  const Instant again = first_question + 2 * ten_times_wall;
  EXPECT_EQ(questions_due(answers, again, subjects), 1U);
  EXPECT_TRUE(answers.receive(again, answer_on(id)));
  EXPECT_FALSE(answers.find("aa")->postponed);
  ASSERT_EQ(questions_due(answers, again + 2 * ten_times_wall, {{"aa", "changed", false}}), 1U);
  EXPECT_TRUE(answers.receive(again + 2 * ten_times_wall, RequestError{"busy", true}));
  EXPECT_EQ(answers.find("aa")->reply.job->job.id, id) << "the answer before stays";
}

TEST(WhyAnswers, OtherRefusalsAreTheAnswer) {
  WhyAnswers answers;
  ASSERT_EQ(questions_due(answers, first_question, {{"aa", "", false}}), 1U);
  EXPECT_TRUE(answers.receive(first_question, RequestError{"may not send WhyRequest", false}));
  EXPECT_EQ(answers.find("aa")->reply.problem, "may not send WhyRequest");
  EXPECT_EQ(questions_due(answers, first_question + 90 * ten_times_wall, {{"aa", "", false}}), 0U);
}

TEST(WhyAnswers, ARefusalOfOneQuestionLosesNoAnswerToAnother) {
  const JobId one{0xaa00000000000000, 1}, two{0xbb00000000000000, 1};
  const std::vector<WhySubject> subjects = {{"aa", "", false}, {"bb", "", false}};
  WhyAnswers answers;
  ASSERT_EQ(questions_due(answers, first_question, subjects), 2U);
  // It was of the second question, which it does not say.
  EXPECT_TRUE(answers.receive(first_question, RequestError{"busy", true}));
  EXPECT_TRUE(answers.receive(first_question, answer_on(one)));
  EXPECT_EQ(answers.find("aa")->reply.job->job.id, one);
  EXPECT_EQ(questions_due(answers, first_question + 10 * ten_times_wall, subjects), 1U);
  EXPECT_TRUE(answers.receive(first_question + 10 * ten_times_wall, answer_on(two)));
  EXPECT_EQ(answers.find("bb")->reply.job->job.id, two);
}

TEST(WhyAnswers, ALostQuestionTakesNoRefusalOfALaterRequest) {
  WhyAnswers answers;
  ASSERT_EQ(questions_due(answers, first_question, {{"aa", "", false}}), 1U);
  EXPECT_FALSE(
      answers.receive(first_question + 10 * ten_times_wall, RequestError{"not allowed", false}));
}

}  // namespace
}  // namespace drover::tui
