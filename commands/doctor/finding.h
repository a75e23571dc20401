// What a check of `drover doctor` has found.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::commands {

enum class Verdict : std::uint8_t { ok, note, problem };
std::string_view to_text(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string found;
  // Both empty if all is well.
  std::string expected;
  std::string fix;  // a command, or one sentence

  bool operator==(const Finding&) const = default;
};

}  // namespace drover::commands
