// Recordings: bytes per value, and how fast they are made and read. A value is one metric
// of one device at one tick. DROVER_RECORDING=FILE measures a recording of a real fleet as well.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "fleet/base/random_stream.h"
#include "fleet/codec/codec.h"
#include "fleet/recording/format/block.h"
#include "fleet/recording/format/bytes.h"
#include "fleet/recording/index.h"
#include "fleet/recording/reader.h"
#include "fleet/recording/writer.h"

namespace drover {
namespace {

constexpr int batch_rows = 100;

Instant at_tick(int tick) {
  return Instant{std::chrono::hours(24 * 365 * 56)} + std::chrono::seconds(tick);
}

// One device that idles, trains or serves for a while, and what its sensors say of it: the metrics
// of a telemetry set as NVML gives it, two noisy link counters among them.
class Device {
 public:
  explicit Device(RandomStream random)
      : random_(random), phase_left_(static_cast<int>(random_.below(120))) {}

  std::vector<std::int64_t> step() {
    if (phase_left_-- <= 0) {
      phase_ = static_cast<int>(random_.below(3));
      phase_left_ = 60 + static_cast<int>(random_.below(240));
      memory_ = phase_ == 0 ? 1200 : 20'000 + static_cast<std::int64_t>(random_.below(50'000));
    }
    const double base[] = {0, 97, 60};
    const double wander[] = {0, 1.5, 9};
    const double util = std::clamp(base[phase_] + random_.normal(0, wander[phase_]), 0.0, 100.0);
    const double power = 70 + 5.8 * util + random_.normal(0, 6);
    heat_ += (30 + power * 0.06 - heat_) * 0.02;
    energy_ += power * 1000;
    const double traffic = phase_ == 0 ? 20 : 40'000 * util;
    return {std::llround(util),
            std::llround(util * 0.6),
            std::llround(power * 10),
            std::llround(heat_),
            std::llround(heat_ + 8),
            memory_,
            phase_ == 0 ? 345 : 1980 - 15 * std::llround(std::max(0.0, power - 640) / 8),
            phase_ == 0 ? 810 : 2619,
            static_cast<std::int64_t>(energy_),
            std::llround(std::max(0.0, traffic + random_.normal(0, traffic / 12))),
            std::llround(std::max(0.0, traffic / 3 + random_.normal(0, traffic / 40))),
            phase_ == 0 ? 1 : (power > 640 ? 4 : 0)};
  }

 private:
  RandomStream random_;
  int phase_ = 0;
  int phase_left_ = 0;
  double heat_ = 35;
  double energy_ = 0;
  std::int64_t memory_ = 1200;
};

constexpr std::uint8_t widths[] = {2, 2, 4, 2, 2, 4, 2, 2, 8, 4, 4, 4};
constexpr int metrics = 12;

std::vector<RecordedMessage> synthetic(int devices, int ticks) {
  std::vector<Device> fleet;
  for (int i = 0; i < devices; ++i) {
    fleet.emplace_back(RandomStream(5).child(fmt::format("device {}", i)));
  }
  std::vector<RecordedMessage> messages;
  RandomStream jitter(9);
  for (int tick = 0; tick < ticks; ++tick) {
    for (int first = 0; first < devices; first += batch_rows) {
      SampleBatch batch{fmt::format("host{:04}", first / batch_rows), {}, {}};
      for (int metric = 0; metric < metrics; ++metric) {
        batch.columns.push_back({static_cast<std::uint8_t>(metric), widths[metric], 0, {}});
      }
      for (int row = 0; row < std::min(batch_rows, devices - first); ++row) {
        batch.devices.push_back(static_cast<std::uint16_t>(row));
        const std::vector<std::int64_t> values = fleet[first + row].step();
        for (int metric = 0; metric < metrics; ++metric) {
          for (int i = 0; i < widths[metric]; ++i) {
            batch.columns[metric].bytes += static_cast<char>(values[metric] >> (8 * i));
          }
        }
      }
      const Instant at = at_tick(tick);
      const Duration late{static_cast<std::int64_t>(200'000 + jitter.below(300'000))};
      messages.push_back({at + late,
                          {batch.host, static_cast<std::uint64_t>(tick + 1), at, batch},
                          messages.size() + 1});
    }
  }
  return messages;
}

const std::vector<RecordedMessage>& fleet_of(int devices, int ticks) {
  static std::map<std::pair<int, int>, std::vector<RecordedMessage>> made;
  std::vector<RecordedMessage>& messages = made[{devices, ticks}];
  if (messages.empty()) messages = synthetic(devices, ticks);
  return messages;
}

std::uint64_t values_in(const std::vector<RecordedMessage>& messages) {
  std::uint64_t values = 0;
  for (const RecordedMessage& one : messages) {
    const auto* batch = std::get_if<SampleBatch>(&one.envelope.body);
    if (batch != nullptr) values += batch->devices.size() * batch->columns.size();
  }
  return values;
}

std::string file_of(const std::vector<RecordedMessage>& messages, RecordingOptions options) {
  RecordingWriter writer(options);
  std::string file = writer.begin({}).file;
  for (const RecordedMessage& one : messages) file += writer.add(one).file;
  return file + writer.end().file;
}

RecordingOptions blocks_of(std::int64_t ticks) {
  RecordingOptions options;
  options.ticks = options.ticks_of_many = static_cast<std::uint32_t>(ticks);
  return options;
}

// The same values as rows of plain MessagePack, one array a row, compressed by zstd -3 in blocks of
// the same time.
double plain_rows_bytes(const std::vector<RecordedMessage>& messages, int batches_a_block) {
  std::uint64_t bytes = 0;
  std::string block;
  int batches = 0;
  const auto integer = [&](std::int64_t value) {
    recording::Bytes out;
    const auto bits = static_cast<std::uint64_t>(value);
    const int size = value >= 0 && value < 128                      ? 0
                     : value >= -128 && value < 256                 ? 1
                     : value >= -32768 && value < 65536             ? 2
                     : value >= -(1ll << 31) && value < (1ll << 32) ? 4
                                                                    : 8;
    if (size > 0)
      out.u8(static_cast<std::uint8_t>(0xcc + (size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3)));
    for (int i = std::max(size, 1); i > 0; --i)
      out.u8(static_cast<std::uint8_t>(bits >> (8 * (i - 1))));
    block += out.view();
  };
  for (const RecordedMessage& one : messages) {
    const auto* batch = std::get_if<SampleBatch>(&one.envelope.body);
    if (batch == nullptr) continue;
    for (std::size_t row = 0; row < batch->devices.size(); ++row) {
      block += static_cast<char>(0xdc);
      integer(batch->devices[row]);
      integer(one.envelope.at.time_since_epoch().count());
      for (const Column& column : batch->columns) {
        std::uint64_t bits = 0;
        for (int i = column.width; i > 0; --i) {
          bits = bits << 8 | static_cast<unsigned char>(column.bytes[row * column.width + i - 1]);
        }
        const int unused = 64 - 8 * column.width;
        integer(static_cast<std::int64_t>(bits << unused) >> unused);
      }
    }
    if (++batches % batches_a_block != 0) continue;
    bytes += recording::compressed(block, 3).size();
    block.clear();
  }
  bytes += recording::compressed(block, 3).size();
  return static_cast<double>(bytes);
}

void say_sizes(benchmark::State& state, const std::vector<RecordedMessage>& messages,
               double bytes) {
  const auto values = static_cast<double>(values_in(messages));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * values));
  state.counters["B/value"] = bytes / values;
}

void encode_blocks(benchmark::State& state) {
  const auto& messages = fleet_of(static_cast<int>(state.range(0)), 120);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = file_of(messages, blocks_of(state.range(1))).size();
  say_sizes(state, messages, static_cast<double>(bytes));
  const int hosts = static_cast<int>(state.range(0)) / batch_rows;
  state.counters["B/value_msgpack_zstd3"] =
      plain_rows_bytes(messages, hosts * static_cast<int>(state.range(1))) /
      static_cast<double>(values_in(messages));
}
BENCHMARK(encode_blocks)
    ->Args({1000, 60})
    ->Args({1000, 10})
    ->Args({10'000, 60})
    ->Unit(benchmark::kMillisecond);

std::int64_t integer_of(const recording::Source& source, std::size_t tick, std::size_t column,
                        std::size_t row) {
  const int width = source.columns[column].width;
  const std::string& bytes = source.bytes[tick * source.columns.size() + column];
  std::uint64_t bits = 0;
  for (int i = width; i > 0; --i) {
    bits = bits << 8 | static_cast<unsigned char>(bytes[row * width + i - 1]);
  }
  const int unused = 64 - 8 * width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

void append_varint(std::string& bytes, std::int64_t value) {
  auto coded = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  for (; coded >= 0x80; coded >>= 7) bytes += static_cast<char>(coded | 0x80);
  bytes += static_cast<char>(coded);
}

// The peer: zigzag varints of differences, or of differences of them, in one zstd frame a metric.
double varint_bytes(const std::vector<const recording::Source*>& block) {
  std::size_t sum = 0;
  for (std::size_t metric = 0; metric < metrics; ++metric) {
    std::string once;
    std::string twice;
    for (const recording::Source* source : block) {
      for (std::size_t row = 0; row < source->devices.size(); ++row) {
        std::int64_t before = 0;
        std::int64_t step = 0;
        for (std::size_t tick = 0; tick < source->batches.size(); ++tick) {
          const std::int64_t value = integer_of(*source, tick, metric, row);
          append_varint(once, value - before);
          append_varint(twice, tick < 2 ? value - before : value - before - step);
          step = value - before;
          before = value;
        }
      }
    }
    sum += std::min(recording::compressed(once, 3).size(), recording::compressed(twice, 3).size());
  }
  return static_cast<double>(sum);
}

// The same work without journal and envelopes: gathered batches to a block.
void encode_block_alone(benchmark::State& state) {
  const auto& messages = fleet_of(1000, 60);
  std::map<std::string, recording::Source> sources;
  for (const RecordedMessage& one : messages) {
    const auto& batch = std::get<SampleBatch>(one.envelope.body);
    recording::Source& source = sources[batch.host];
    source.sender = source.host = batch.host;
    source.devices = batch.devices;
    source.batches.push_back({one.ordinal, one.envelope.sequence, one.envelope.at, one.arrived});
    source.columns.clear();
    for (const Column& column : batch.columns) {
      source.columns.push_back({column.metric, column.width, column.scale});
      source.bytes.push_back(column.bytes);
    }
  }
  std::vector<const recording::Source*> block;
  for (const auto& [host, source] : sources) block.push_back(&source);
  std::size_t bytes = 0;
  for (auto _ : state) {
    recording::DeviceNumbers numbers;
    bytes = recording::encode_block(block, numbers, 3).size();
  }
  say_sizes(state, messages, static_cast<double>(bytes));
  state.counters["B/value_varint_zstd3"] =
      varint_bytes(block) / static_cast<double>(values_in(messages));
}
BENCHMARK(encode_block_alone)->Unit(benchmark::kMillisecond);

void decode_columns(benchmark::State& state) {
  const auto& messages = fleet_of(1000, 120);
  const std::string file = file_of(messages, blocks_of(state.range(0)));
  TextSource source(file);
  const auto index = recording::read_index(source);
  for (auto _ : state) {
    for (const auto& chunk : index->chunks) {
      const auto records = recording::load_records(source, chunk);
      const auto messages_of_chunk = recording::messages_in(*records);
      for (const auto& message : *messages_of_chunk) {
        if (message.channel != 1) continue;
        auto block = recording::Block::parse(message.data);
        benchmark::DoNotOptimize(block->decode());
      }
    }
  }
  say_sizes(state, messages, static_cast<double>(file.size()));
}
BENCHMARK(decode_columns)->Arg(60)->Arg(10)->Unit(benchmark::kMillisecond);

void read_envelopes(benchmark::State& state) {
  const auto& messages = fleet_of(1000, 120);
  const std::string file = file_of(messages, blocks_of(60));
  TextSource source(file);
  for (auto _ : state) {
    auto reader = RecordingReader::open(source);
    benchmark::DoNotOptimize(reader->read(Instant::min(), never));
  }
  say_sizes(state, messages, static_cast<double>(file.size()));
}
BENCHMARK(read_envelopes)->Unit(benchmark::kMillisecond);

void real_recording(benchmark::State& state) {
  const char* path = std::getenv("DROVER_RECORDING");
  if (path == nullptr) return state.SkipWithError("DROVER_RECORDING names no file");
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  TextSource source(file);
  auto reader = RecordingReader::open(source);
  if (!reader) return state.SkipWithError(reader.error().message.c_str());
  const auto messages = reader->read(Instant::min(), never);
  if (!messages) return state.SkipWithError(messages.error().message.c_str());
  std::size_t bytes = 0;
  for (auto _ : state) bytes = file_of(*messages, {}).size();
  say_sizes(state, *messages, static_cast<double>(bytes));
  const auto values = static_cast<double>(values_in(*messages));
  state.counters["B/value_samples_alone"] =
      static_cast<double>(reader->info().sample_bytes) / values;
  state.counters["B/value_msgpack_zstd3"] = plain_rows_bytes(*messages, 600) / values;
  state.counters["values"] = values;
}
BENCHMARK(real_recording)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace drover
