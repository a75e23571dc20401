// Where the time of a request went.
#include "tui/jobs/request_split.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

constexpr Instant request_submitted{std::chrono::hours(10)};

JobChanged request_in(JobState state, double since_s) {
  JobChanged job;
  job.job.work.kind = WorkKind::serve;
  job.job.work.input_tokens = 1'000;
  job.submitted = request_submitted;
  job.state = state;
  job.attempt = 1;
  job.since = request_submitted + from_seconds(since_s);
  return job;
}

TEST(RequestSplit, OfAFinishedRequestHasQueuePrefillAndDecode) {
  JobChanged job = request_in(JobState::finished, 4);
  job.latency_s = 4;
  job.outcome = {1'000, 301, 0, 0.5, 3.5};
  const std::vector<RequestPart> parts = request_parts(job, request_submitted);
  EXPECT_EQ(parts,
            (std::vector<RequestPart>{{"queued", 0, 0.5, ""},
                                      {"prefill", 0.5, 1, "1000 tokens in, to the first out"},
                                      {"decode", 1, 4, "301 tokens out, 10ms each"}}));
}

TEST(RequestSplit, NamesOnlyWhatIsKnown) {
  const Instant now = request_submitted + from_seconds(10);
  struct Case {
    JobChanged job;
    std::vector<std::string> names;
  };
  JobChanged retried = request_in(JobState::running, 6);
  retried.attempt = 2;
  JobChanged unsplit = request_in(JobState::finished, 4);
  unsplit.latency_s = unsplit.outcome.run_s = 4;
  JobChanged training = request_in(JobState::running, 6);
  training.job.work.kind = WorkKind::train;
  for (const Case& c : {Case{request_in(JobState::queued, 0), {"queued"}},
                        Case{request_in(JobState::leased, 6), {"queued", "assigned"}},
                        Case{request_in(JobState::running, 6), {"queued", "runs"}},
                        Case{retried, {"before", "runs"}}, Case{unsplit, {"queued", "runs"}},
                        Case{request_in(JobState::finished, 4), {}},
                        Case{request_in(JobState::failed, 4), {}}, Case{training, {}}}) {
    std::vector<std::string> names;
    for (const RequestPart& part : request_parts(c.job, now)) names.push_back(part.name);
    EXPECT_EQ(names, c.names) << to_text(c.job.state);
  }
  EXPECT_EQ(request_parts(request_in(JobState::running, 6), now)[1].until_s, 10);
}

}  // namespace
}  // namespace drover::tui
