#include "commands/submit/trace_options.h"

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

/// An option that only one format has.
struct OfFormat {
  const char* option;
  TraceFormat format;
  std::string TraceOptions::*value;
};
constexpr OfFormat of_formats[] = {
    {"columns", TraceFormat::csv, &TraceOptions::columns},
    {"throughputs", TraceFormat::gavel, &TraceOptions::throughputs},
    {"measured-on", TraceFormat::tiresias, &TraceOptions::measured_on},
};

Status check_fit(const TraceOptions& options, const TraceReaderOptions& reading) {
  for (const OfFormat& row : of_formats) {
    if (row.format == reading.format || (options.*row.value).empty()) continue;
    return error("--{} has no effect here: it is for --format {}", row.option,
                 trace_format_names()[static_cast<std::size_t>(row.format)]);
  }
  if (reading.model.empty() && !names_models(reading)) {
    return error("--model is required: the model of the trace's jobs, such as llama-3.1-8b");
  }
  return {};
}

}  // namespace

std::vector<Option> trace_options() {
  return {
      {"trace", "FILE", "a recorded workload (docs/traces.md)"},
      {"format", "F",
       fmt::format("the trace's format: {} (default azure)", joined(trace_format_names(), ", "))},
      {"columns", "MAP", "csv: FIELD=COLUMN[:UNIT] or FIELD='value', separated by commas"},
      {"throughputs", "FILE", "gavel: measured steps per second of each kind of job"},
      {"measured-on", "ID", "tiresias: the device on which the durations were measured"}};
}

std::string trace_examples(const std::string& command) {
  return fmt::format(
      "  drover {0} --trace azure2023_code.csv --format azure --model llama-3.1-70b\n"
      "  drover {0} --trace mooncake.jsonl --format mooncake --model llama-3.1-70b\n"
      "  drover {0} --trace philly.tsv --format gavel \\\n"
      "    --throughputs throughputs.json\n"
      "  drover {0} --trace 60_job.csv --format tiresias --model resnet-50 \\\n"
      "    --measured-on p100-pcie\n"
      "  drover {0} --trace log.csv --format csv \\\n"
      "    --columns \"arrival=at:ms,input=in,output=out,model='llama-3.1-8b'\"",
      command);
}

TraceOptions read_trace_options(Arguments& arguments, const devices::Catalogue& catalogue) {
  TraceOptions options;
  options.file = arguments.text("trace");
  options.format = arguments.text("format", options.format);
  options.model = arguments.text("model");
  for (const OfFormat& row : of_formats) options.*row.value = arguments.text(row.option);
  options.load = arguments.number("load", 0.001, 100'000, 1);
  options.seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, INT64_MAX, 1));
  if (options.file.empty()) return options;
  if (const auto reading = trace_reading(options); !reading) arguments.add_problem(reading.error());
  if (options.model.empty()) return options;
  if (const auto model = catalogue.model(options.model); !model) {
    arguments.add_problem(error("--model: {}", model.error().message));
  }
  return options;
}

std::vector<std::string> trace_words(const TraceOptions& options) {
  std::vector<std::string> words{"--load", fmt::format("{}", options.load), "--seed",
                                 std::to_string(options.seed)};
  if (options.file.empty()) return words;
  words.insert(words.end(), {"--trace", options.file, "--format", options.format});
  if (!options.model.empty()) words.insert(words.end(), {"--model", options.model});
  for (const OfFormat& row : of_formats) {
    const std::string& value = options.*row.value;
    if (!value.empty()) words.insert(words.end(), {fmt::format("--{}", row.option), value});
  }
  return words;
}

Result<TraceReaderOptions> trace_reading(const TraceOptions& options) {
  const Result<TraceFormat> format = parse_trace_format(options.format);
  if (!format) return error("--format: {}", format.error().message);
  TraceReaderOptions reading;
  reading.format = *format;
  reading.file = printable(options.file);
  reading.model = options.model;
  if (*format == TraceFormat::csv) {
    if (options.columns.empty()) {
      return error("--columns is required: what the columns mean, such as arrival=at:ms,input=in");
    }
    Result<TraceColumns> columns = TraceColumns::parse(options.columns);
    if (!columns) return error("--columns: {}", columns.error().message);
    reading.columns = *std::move(columns);
  }
  DROVER_TRY(check_fit(options, reading));
  return reading;
}

}  // namespace drover::commands
