// Mooncake's traces (FAST'25): JSON lines with timestamp (ms), input_length, output_length (tokens)
// and hash_ids, the hashes of the prompt's blocks of 512 tokens from its beginning. Other keys are
// ignored.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/limits.h"
#include "fleet/text/json.h"
#include "fleet/trace/rows.h"

namespace drover {
namespace {

Result<std::uint64_t> whole_number(const Json& object, std::string_view key, std::uint64_t low,
                                   std::uint64_t high) {
  if (!object.has(key)) return error("{}: the key is missing", key);
  const std::optional<std::uint64_t> number = object[key].natural();
  if (number && *number >= low && *number <= high) return *number;
  return error("{}: found {}, expected a whole number {}..{}", key, excerpt(object[key].dump()),
               low, high);
}

Result<std::vector<std::uint64_t>> prefix_of(const Json& object, std::uint64_t input_tokens) {
  constexpr std::string_view key = "hash_ids";
  if (!object.has(key)) return error("{}: the key is missing", key);
  const Json& ids = object[key];
  if (!ids.is_array()) {
    return error("{}: found {}, expected an array of numbers", key, excerpt(ids.dump()));
  }
  const std::uint64_t blocks_max = (input_tokens + prefix_block_tokens - 1) / prefix_block_tokens;
  if (ids.size() > blocks_max) {
    return error("{}: found {} blocks of {} tokens, expected at most {} for {} tokens", key,
                 ids.size(), prefix_block_tokens, blocks_max, input_tokens);
  }
  std::vector<std::uint64_t> prefix;
  for (std::size_t index = 0; index < ids.size(); ++index) {
    const std::optional<std::uint64_t> id = ids[index].natural();
    if (!id) {
      return error("{}[{}]: found {}, expected a whole number of 64 bits", key, index,
                   excerpt(ids[index].dump()));
    }
    prefix.push_back(*id);
  }
  return prefix;
}

class MooncakeRows : public TraceRows {
 public:
  Result<std::optional<TraceRow>> read(std::string_view text) override {
    DROVER_ASSIGN(const auto object, Json::parse(text));
    if (!object.is_object()) {
      return error("found \"{}\", expected a JSON object", excerpt(text));
    }
    DROVER_ASSIGN(const auto at_ms,
                  whole_number(object, "timestamp", 0, trace_time_max(TimeUnit::ms)));
    DROVER_ASSIGN(const auto input, whole_number(object, "input_length", 1, trace_tokens_max));
    DROVER_ASSIGN(const auto output, whole_number(object, "output_length", 1, trace_tokens_max));
    DROVER_ASSIGN(auto prefix, prefix_of(object, input));

    TraceRow row;
    row.at = Instant{std::chrono::milliseconds{at_ms}};
    row.time_field = "timestamp";
    row.time_text = fmt::format("{}", at_ms);
    row.job =
        request_job("", static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(output));
    if (prefix.size() > codec::prefix_blocks_max) {
      // Prompts share their beginnings.
      prefix.resize(codec::prefix_blocks_max);
      row.remark = fmt::format("hash_ids: only the first {} blocks of longer prompts are kept",
                               codec::prefix_blocks_max);
    }
    row.job.work.prefix = std::move(prefix);
    return std::optional(std::move(row));
  }
};

}  // namespace

std::unique_ptr<TraceRows> mooncake_rows(const TraceReaderOptions&) {
  return std::make_unique<MooncakeRows>();
}

}  // namespace drover
