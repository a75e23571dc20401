#include "devices/engine.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string>

namespace drover::devices {
namespace {

constexpr std::array<std::string_view, 3> engine_names{"vllm-0.11", "vllm-0.5", "tensorrt-llm"};

/// Small letters and digits, each other run of characters a blank: "vLLM v0.5.4" to "vllm v0 5 4".
std::string plain(std::string_view text) {
  std::string letters;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) != 0) {
      letters += static_cast<char>(std::tolower(byte));
    } else if (!letters.empty() && letters.back() != ' ') {
      letters += ' ';
    }
  }
  return letters;
}

}  // namespace

std::string_view to_text(Engine engine) { return engine_names[static_cast<std::size_t>(engine)]; }

std::optional<Engine> parse_engine(std::string_view text) {
  const std::string name = plain(text);
  if (name.starts_with("tensorrt") || name.starts_with("trt")) return Engine::offline;
  if (!name.starts_with("vllm")) return std::nullopt;
  // Releases 0.2 to 0.6 feed the device layer by layer; nothing is measured between them and 0.11.
  std::string_view release = std::string_view(name).substr(4);
  while (release.starts_with(' ') || release.starts_with('v')) release.remove_prefix(1);
  if (!release.starts_with("0 ")) return Engine::interactive;
  release.remove_prefix(2);
  const std::string_view minor = release.substr(0, release.find(' '));
  const bool early = minor.size() == 1 && minor[0] <= '6';
  return early ? Engine::early : Engine::interactive;
}

EngineConstants engine_constants(const ServingConstants& serving, Engine engine) {
  EngineConstants constants{
      serving.request_s,    serving.step_s,        serving.all_reduce_s,   serving.hop_s,
      serving.reduce_share, serving.recorded_rows, serving.layer_launch_s, 1};
  if (engine == Engine::early) {
    constants.request_s = serving.early_request_s;
    constants.step_s = serving.early_step_s;
    constants.recorded_rows = 0;
    constants.layer_launch_s = serving.early_layer_launch_s;
    constants.gang_launches = serving.early_gang_launches;
    constants.idle_request_s = std::max(0.0, serving.early_request_s - serving.request_s);
  } else if (engine == Engine::offline) {
    // What its launches cost is part of the fitted time per step.
    constants = {serving.offline_request_s,
                 serving.offline_step_s,
                 serving.offline_all_reduce_s,
                 serving.offline_hop_s,
                 serving.offline_reduce_share,
                 std::numeric_limits<double>::infinity(),
                 0,
                 1};
  }
  return constants;
}

}  // namespace drover::devices
