// Azure's LLM inference traces: TIMESTAMP (a time of day), ContextTokens, GeneratedTokens. Each row
// is one chat request. Prompts and responses without tokens are errors, because such a row was not
// logged completely.
#include "fleet/base/time.h"
#include "fleet/trace/rows.h"

namespace drover {
namespace {

constexpr const char* time_column = "TIMESTAMP";
constexpr const char* input_column = "ContextTokens";
constexpr const char* output_column = "GeneratedTokens";

class AzureRows : public TraceRows {
 public:
  bool headed() const override { return header_.good(); }

  Result<std::optional<TraceRow>> read(std::string_view text) override {
    DROVER_ASSIGN(auto read, header_.read(text));
    if (!read) return std::optional<TraceRow>{};
    const std::vector<std::string>& cells = *read;
    const Result<Instant> at = parse_timestamp(cells[0]);
    if (!at) return in_field(time_column, at.error());
    const auto input = parse_count(cells[1], 1, trace_tokens_max);
    if (!input) return in_field(input_column, input.error());
    const auto output = parse_count(cells[2], 1, trace_tokens_max);
    if (!output) return in_field(output_column, output.error());
    return std::optional(
        TraceRow{*at, time_column, cells[0], "", request_job("", *input, *output), ""});
  }

 private:
  TraceHeader header_{{time_column, input_column, output_column}};
};

}  // namespace

std::unique_ptr<TraceRows> azure_rows(const TraceReaderOptions&) {
  return std::make_unique<AzureRows>();
}

}  // namespace drover
