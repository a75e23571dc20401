// Host names in words: "node[01-20],spare".
#include <fmt/format.h>

#include "fleet/identity.h"
#include "fleet/keys.h"
#include "fleet/text.h"

namespace drover {
namespace {

/// The entries between commas that stand outside brackets.
std::vector<std::string_view> entries_of(std::string_view text) {
  std::vector<std::string_view> entries;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t index = 0; index <= text.size(); ++index) {
    if (index == text.size() || (text[index] == ',' && depth == 0)) {
      entries.push_back(trimmed(text.substr(start, index - start)));
      start = index + 1;
    } else if (text[index] == '[') {
      ++depth;
    } else if (text[index] == ']') {
      --depth;
    }
  }
  return entries;
}

std::optional<std::uint64_t> number_of(std::string_view digits) {
  constexpr std::size_t digits_max = 9;
  if (digits.empty() || digits.size() > digits_max) return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

/// "01-20,30" as texts with their leading zeros; none: it is no such list, or too long.
std::optional<std::vector<std::string>> numbers_of(std::string_view list) {
  std::vector<std::string> numbers;
  for (const std::string& range : split(list, ',')) {
    const std::size_t dash = range.find('-');
    const std::string first = range.substr(0, dash);
    const std::string last = dash == std::string::npos ? first : range.substr(dash + 1);
    const auto low = number_of(first);
    const auto high = number_of(last);
    if (!low || !high || *low > *high || *high - *low >= key_ids_max) return std::nullopt;
    for (std::uint64_t number = *low; number <= *high; ++number) {
      numbers.push_back(fmt::format("{:0{}}", number, first.size()));
    }
  }
  if (numbers.size() > key_ids_max) return std::nullopt;
  return numbers;
}

/// One entry: a name, or a name with one range in it.
std::optional<std::vector<std::string>> names_of(std::string_view entry) {
  const std::size_t open = entry.find('[');
  const std::size_t close = entry.find(']');
  if (open == std::string_view::npos && close == std::string_view::npos) {
    return std::vector<std::string>{std::string(entry)};
  }
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  auto names = numbers_of(entry.substr(open + 1, close - open - 1));
  if (!names) return std::nullopt;
  for (std::string& name : *names) {
    name = fmt::format("{}{}{}", entry.substr(0, open), name, entry.substr(close + 1));
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> expand_names(std::string_view text, std::string_view place) {
  std::vector<std::string> all;
  for (const std::string_view entry : entries_of(text)) {
    const auto names = names_of(entry);
    bool fine = names.has_value();
    for (std::size_t index = 0; fine && index < names->size(); ++index) {
      fine = is_name((*names)[index]);
    }
    if (!fine) {
      return error("{}: found \"{}\", expected host names such as a-1,node[01-20]", place,
                   excerpt(entry));
    }
    all.insert(all.end(), names->begin(), names->end());
    if (all.size() > key_ids_max) {
      return error("{}: more than {} host names", place, key_ids_max);
    }
  }
  return all;
}

}  // namespace drover
