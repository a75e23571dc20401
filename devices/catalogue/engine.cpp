#include "devices/catalogue/engine.h"

#include <array>
#include <cctype>
#include <string>

namespace drover::devices {
namespace {

constexpr std::array<std::string_view, 3> engine_names{"vllm-0.11", "vllm-0.5", "offline"};

/// Lower-case letters and digits; other runs of characters become a blank: "vLLM v0.5.4" becomes
/// "vllm v0 5 4".
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

/// Whether the text is empty, or numbers separated by blanks, with an optional v: " v0 5 4".
bool is_release(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.starts_with('v')) text.remove_prefix(1);
  return text.find_first_not_of("0123456789 ") == std::string_view::npos;
}

}  // namespace

std::string_view to_text(ServingEngine engine) {
  return engine_names[static_cast<std::size_t>(engine)];
}

std::optional<ServingEngine> parse_engine(std::string_view text) {
  const std::string name = plain(text);
  if (name == "offline") return ServingEngine::offline;
  for (const std::string_view own : {"tensorrt llm", "tensorrtllm", "trt llm", "trtllm"}) {
    if (name.starts_with(own) && is_release(name.substr(own.size()))) return ServingEngine::offline;
  }
  if (!name.starts_with("vllm")) return std::nullopt;
  const std::string release = name.substr(4);
  if (!is_release(release)) return std::nullopt;
  // There are no measurements between 0.5 and 0.11.
  const std::size_t digits = release.find_first_of("0123456789");
  const bool zero = digits != std::string::npos && release.compare(digits, 2, "0 ") == 0;
  if (!zero) return ServingEngine::vllm_0_11;
  const std::string minor = release.substr(digits + 2, release.find(' ', digits + 2) - digits - 2);
  return minor.size() == 1 && minor[0] <= '6' ? ServingEngine::vllm_0_5 : ServingEngine::vllm_0_11;
}

}  // namespace drover::devices
