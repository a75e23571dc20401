#include "fleet/text/toml_nesting.h"

#include <algorithm>
#include <string>

namespace drover::toml_file {
namespace {

class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  /// The first line that is nested too deeply, or nothing.
  std::optional<std::uint32_t> first_line_too_deep() {
    while (at_ < text_.size()) {
      const char character = text_[at_];
      if (character == '"' || character == '\'') {
        skip_string(character);
        continue;
      }
      if (character == '#') {
        skip_comment();
        continue;
      }
      count(character);
      if (brackets_ > brackets_deep_max || dots_ > dots_per_key_max) return line_;
      ++at_;
    }
    return std::nullopt;
  }

 private:
  void count(char character) {
    switch (character) {
      case '\n':
        ++line_;
        [[fallthrough]];
      case '=':
      case ',':
        dots_ = 0;
        break;
      case '.':
        ++dots_;
        break;
      case '[':
      case '{':
        ++brackets_;
        break;
      case ']':
      case '}':
        brackets_ = std::max(0, brackets_ - 1);
        break;
      default:
        break;
    }
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void skip_string(char quote) {
    const std::string fence(3, quote);
    const bool many_lines = text_.substr(at_, 3) == fence;
    at_ += many_lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char character = text_[at_];
      if (character == '\\' && quote == '"' && text_.substr(at_ + 1, 1) != "\n") {
        at_ += 2;
      } else if (many_lines && text_.substr(at_, 3) == fence) {
        at_ += 3;
        return;
      } else if (!many_lines && (character == quote || character == '\n')) {
        at_ += character == quote ? 1 : 0;
        return;
      } else {
        if (character == '\n') ++line_;
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  int brackets_ = 0;
  int dots_ = 0;
};

}  // namespace

std::optional<std::uint32_t> first_line_nested_too_deeply(std::string_view text) {
  return NestingScan{text}.first_line_too_deep();
}

}  // namespace drover::toml_file
