// A fleet of a few hosts, recorded: samples that drift, and rows of every published kind between.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fleet/codec/codec.h"
#include "fleet/recording/reader.h"
#include "fleet/recording/writer.h"
#include "tests/fleet/codec/random_message.h"

namespace drover::recording_test {

inline Instant second(double seconds) {
  return Instant{std::chrono::hours(24 * 365 * 56)} + from_seconds(seconds);
}

inline Envelope sample_envelope(RandomStream& random, int host, int tick, int devices) {
  std::vector<Sample> rows;
  for (int device = 0; device < devices; ++device) {
    Sample row;
    row.device = static_cast<std::uint16_t>(device);
    row[Metric::utilization] = 0.5 + 0.01 * (tick % 7) + 0.001 * device;
    row[Metric::power] = 350 + 20 * random.normal(0, 1);
    row[Metric::temperature] = 60 + tick % 5;
    row[Metric::energy] = 350.0 * tick + 10 * device + random.uniform(0, 1);
    if (random.chance(0.9)) row[Metric::clock] = 1980 - 15 * (tick % 3);
    rows.push_back(row);
  }
  const std::string name = "host" + std::to_string(host);
  return {name, static_cast<std::uint64_t>(tick + 1), second(tick + 0.01 * host), pack(name, rows)};
}

/// A message as it comes back: decoded, so that absent fields have their defaults.
inline Envelope published(RandomStream& random) {
  static constexpr std::size_t kinds[] = {27, 31, 32, 33, 34, 35, 40, 43, 44, 45, 46};
  for (;;) {
    const Envelope envelope = codec::random_envelope(random, kinds[random.below(std::size(kinds))]);
    const auto back = decode(encode(envelope));
    if (back && channel_of(back->body)) return *back;
  }
}

struct Fleet {
  int hosts = 3;
  int devices = 4;
  int ticks = 20;
  int rows_per_tick = 2;
  std::uint64_t seed = 7;
  bool short_rows = false;  // one kind of few bytes
};

inline constexpr Fleet tiny{
    .hosts = 2, .devices = 2, .ticks = 8, .rows_per_tick = 1, .short_rows = true};

inline Envelope short_row(int tick) {
  return {"router", static_cast<std::uint64_t>(tick), second(tick),
          Event{Severity::info, "h1", "tick " + std::to_string(tick)}};
}

/// What arrived, with the places that the writer gives.
inline std::vector<RecordedMessage> messages_of(const Fleet& fleet) {
  RandomStream random(fleet.seed);
  std::vector<RecordedMessage> messages;
  for (int tick = 0; tick < fleet.ticks; ++tick) {
    for (int host = 0; host < fleet.hosts; ++host) {
      const Instant arrived = second(tick + 0.01 * host) + Duration{random.below(100'000)};
      messages.push_back({arrived, sample_envelope(random, host, tick, fleet.devices), 0});
    }
    for (int row = 0; row < fleet.rows_per_tick; ++row) {
      messages.push_back({second(tick + 0.5 + 0.01 * row),
                          fleet.short_rows ? short_row(tick) : published(random), 0});
    }
  }
  for (std::size_t i = 0; i < messages.size(); ++i) messages[i].ordinal = i + 1;
  return messages;
}

inline RecordingStart start_of_test() {
  RecordingStart start;
  start.fleet_time = second(0);
  start.speed = 10;
  start.software = "drover 0.1.0";
  start.seed = 42;
  start.identity = {1, 2};
  return start;
}

/// The two files as a shell would have them.
struct Files {
  std::string file;
  std::string journal;

  void take(const RecordingBytes& bytes) {
    file += bytes.file;
    if (bytes.folded) journal.clear();
    journal += bytes.journal;
  }
};

inline RecordingOptions small_blocks(std::uint32_t ticks = 6) {
  RecordingOptions options;
  options.ticks = options.ticks_of_many = ticks;
  return options;
}

/// Begun, and everything added; not ended.
inline std::pair<RecordingWriter, Files> recorded(const std::vector<RecordedMessage>& messages,
                                                  RecordingOptions options = small_blocks()) {
  RecordingWriter writer(options);
  Files files;
  files.take(writer.begin(start_of_test()));
  for (const RecordedMessage& message : messages) files.take(writer.add(message));
  return {std::move(writer), std::move(files)};
}

inline std::string closed_file(const std::vector<RecordedMessage>& messages,
                               RecordingOptions options = small_blocks()) {
  auto [writer, files] = recorded(messages, options);
  files.take(writer.end());
  return files.file;
}

inline constexpr Instant long_ago = Instant::min();

inline std::vector<RecordedMessage> all_of(RecordingReader& reader) {
  auto messages = reader.read(long_ago, never);
  EXPECT_TRUE(messages.ok()) << (messages ? "" : messages.error().message);
  return messages ? *messages : std::vector<RecordedMessage>{};
}

inline RecordingReader opened(ByteSource& source, std::string_view journal = {}) {
  auto reader = RecordingReader::open(source, journal);
  if (!reader) throw std::runtime_error(reader.error().message);
  return std::move(*reader);
}

}  // namespace drover::recording_test
