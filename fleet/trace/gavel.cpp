// Gavel's traces (OSDI'20): one training job per line, fields separated by tabs, no header. The
// meaning of the fields depends on their number:
//
//    7: type, command, steps flag, needs data, steps, arrival, scale
//    9: type, command, steps flag, needs data, steps, scale, weight, SLO, arrival
//   10: type, command, folder, steps flag, needs data, steps, scale, weight, SLO, arrival
//
// Arrivals are in seconds; the scale is the number of devices. Gavel's throughputs and numbers of
// steps count the batches of all devices. A step here is one of the whole gang, with a batch on
// each device, so the numbers are divided by the scale. The weight (for fairness) and the SLO (a
// multiple of a duration that the file does not have) are ignored.
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/trace/rows.h"

namespace drover {
namespace {

struct Layout {
  std::size_t fields, needs_data, steps, scale, arrival;
};
constexpr std::array<Layout, 3> layouts{{{7, 3, 4, 6, 5}, {9, 3, 4, 5, 8}, {10, 4, 5, 6, 9}}};

struct GavelModel {
  std::string_view type;        // without its batch size
  std::string_view model;       // of the catalogue
  std::uint32_t sequence;       // tokens per sample
  std::string_view difference;  // to the real model; empty: it is that model
};
constexpr GavelModel models[] = {
    {"ResNet-18", "resnet-18-cifar", 1, ""},
    {"ResNet-50", "resnet-50", 1, ""},
    {"LM", "lstm-lm", 1, ""},  // an item of the catalogue's model has 35 tokens already
    {"Recommendation", "autoencoder-ml20m", 1, ""},
    // attention-is-all-you-need-pytorch on Multi30k, sentences of at most 50 words.
    {"Transformer", "pythia-70m", 50, "it has 6 layers of 512 too, but no encoder"},
    // Two generators of 11.4 M parameters, six passes of 57 GMAC (GAN Compression, CVPR'20).
    {"CycleGAN", "retinanet", 1, "it has about as many parameters and operations"},
    // Four convolutions of 32 and an LSTM of 256 on frames of 42 x 42 (its pytorch-a3c).
    {"A3C", "shufflenet-v2-cifar", 1, "it is the smallest net for small images"},
};

struct JobType {
  std::string name;
  std::uint32_t batch = 1;
};

/// "ResNet-18 (batch size 32)", or "A3C" alone.
Result<JobType> parse_job_type(std::string_view text) {
  constexpr std::string_view before = " (batch size ", after = ")";
  const std::size_t open = text.find(" (");
  if (open == std::string_view::npos && !text.empty()) return JobType{std::string(text), 1};
  const std::string_view rest = text.substr(open == std::string_view::npos ? 0 : open);
  if (rest.starts_with(before) && rest.ends_with(after)) {
    const std::string_view size =
        rest.substr(before.size(), rest.size() - before.size() - after.size());
    const Result<std::uint32_t> batch = parse_count(size, 1, job_batch_max);
    if (batch) return JobType{std::string(text.substr(0, open)), *batch};
  }
  return error("found \"{}\", expected a job type such as \"ResNet-18 (batch size 32)\"",
               excerpt(text));
}

class GavelRows : public TraceRows {
 public:
  explicit GavelRows(const TraceReaderOptions& reading)
      : throughputs_(reading.throughputs), any_model_(!reading.model.empty()) {}

  Result<std::optional<TraceRow>> read(std::string_view text) override {
    std::vector<std::string> fields = split(text, '\t');
    for (const Layout& layout : layouts) {
      if (layout.fields == fields.size()) return read_row(fields, layout);
    }
    return error("found {} fields between tabs, expected 7, 9 or 10", fields.size());
  }

 private:
  Result<std::optional<TraceRow>> read_row(const std::vector<std::string>& fields,
                                           const Layout& layout) const {
    const Result<JobType> type = parse_job_type(trimmed(fields[0]));
    if (!type) return in_field("job type", type.error());
    // The flag is not used, but another value means that the fields are shifted.
    const auto flag = parse_count(trimmed(fields[layout.needs_data]), 0, 1);
    if (!flag) return in_field("needs data", flag.error());
    const auto steps = parse_count(trimmed(fields[layout.steps]), 1, job_steps_max);
    if (!steps) return in_field("total steps", steps.error());
    const auto scale = parse_count(trimmed(fields[layout.scale]), 1, devices_per_host_max);
    if (!scale) return in_field("scale factor", scale.error());
    const std::string_view time_text = trimmed(fields[layout.arrival]);
    const Result<Instant> at = parse_trace_time(time_text, TimeUnit::s);
    if (!at) return in_field("arrival", at.error());

    TraceRow row{*at, "arrival", std::string(time_text), "job type", {}, ""};
    row.job = training_job(type->name, *steps, static_cast<std::uint16_t>(*scale));
    row.job.work.batch = type->batch;
    row.job.work.throughputs = throughputs_.throughputs(trimmed(fields[0]));
    row.job.work.precisions = {Precision::fp32};  // as Gavel ran and measured it
    if (const Status fits = count_whole_steps(row.job.work); !fits) {
      return in_field("scale factor", fits.error());
    }
    name_model(row);
    return std::optional(std::move(row));
  }

  /// Converts batches to steps of the gang; the last step may have fewer batches.
  static Status count_whole_steps(Workload& work) {
    const std::uint32_t gang = work.devices;
    if (work.batch > job_batch_max / gang) {
      return error("found {} batches of {} samples, expected at most {} samples a step", gang,
                   work.batch, job_batch_max);
    }
    work.batch *= gang;
    work.steps = work.steps / gang + (work.steps % gang != 0 ? 1 : 0);
    for (MeasuredThroughput& throughput : work.throughputs) throughput.steps_per_s /= gang;
    return {};
  }

  void name_model(TraceRow& row) const {
    Workload& work = row.job.work;
    for (const GavelModel& known : models) {
      if (known.type != work.model) continue;
      work.model = known.model;
      work.sequence = known.sequence;
      if (known.difference.empty() || any_model_) return;
      row.remark = fmt::format(
          "job type: {} stands in for {}: {}; if a throughput is measured, only power and memory "
          "depend on it",
          known.model, known.type, known.difference);
      return;
    }
  }

  Throughputs throughputs_;
  bool any_model_;
};

}  // namespace

std::unique_ptr<TraceRows> gavel_rows(const TraceReaderOptions& reading) {
  return std::make_unique<GavelRows>(reading);
}

}  // namespace drover
