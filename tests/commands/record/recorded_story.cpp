#include "tests/commands/record/recorded_story.h"

#include "tests/tui/sample_fleet.h"

namespace drover::commands {

using std::chrono::seconds;

RecordedStory story_of(int length_s) {
  tui::SampleFleet fleet;
  RecordedStory story;
  story.start = tui::SampleFleet::start;
  const auto part = std::get<SnapshotPart>(fleet.snapshot(1).front().body);
  story.state = part.messages;
  story.at_sequence = part.at_sequence;
  std::uint64_t decided = fleet.decisions.back().number;
  const auto add = [&](Instant at, Envelope envelope) {
    story.news.push_back({at, std::move(envelope), 0});
  };
  for (int s = 1; s <= length_s; ++s) {
    const Instant at = story.start + seconds(s);
    for (Envelope& batch : fleet.samples(s)) add(at, std::move(batch));
    JobChanged job = fleet.jobs[static_cast<std::size_t>(s) % fleet.jobs.size()];
    job.since = at;
    job.state = s % 3 == 0 ? JobState::finished : JobState::running;
    job.latency_s = s;
    add(at, fleet.published(job, at));
    if (s % 4 == 0) {
      Decision decision = fleet.decisions[static_cast<std::size_t>(s) % fleet.decisions.size()];
      decision.number = ++decided;
      decision.at = at;
      add(at, fleet.published(decision, at));
    }
    if (s % 10 == 0) {
      add(at, fleet.published(Alert{"throttling", "gpu-a/3", Severity::warning, s % 20 == 10, at,
                                    "gpu-a/3 is held by its power cap"},
                              at));
      add(at, fleet.published(Event{Severity::info, "gpu-b/r2", "ready"}, at));
    }
    if (s % 25 == 0) {
      add(at, fleet.published(Audit{"someone", "cap 300W", "pool:hopper", true, "8 devices"}, at));
      fleet.summary.finished += 25;
      add(at, fleet.published(fleet.summary, at));
    }
  }
  return story;
}

RecordedFiles recording_of(const RecordedStory& story, bool ended, RecordingOptions options) {
  RecordingWriter writer(options);
  RecordedFiles files;
  const auto take = [&](const RecordingBytes& bytes) {
    files.file += bytes.file;
    if (bytes.folded) files.journal.clear();
    files.journal += bytes.journal;
  };
  take(writer.begin({story.start, 1, "drover test", 7, {1, 2}}));
  take(writer.keyframe(story.start, story.state));
  for (const RecordedMessage& recorded : story.news) take(writer.add(recorded));
  if (ended) {
    take(writer.end());
    files.journal.clear();
  }
  return files;
}

}  // namespace drover::commands
