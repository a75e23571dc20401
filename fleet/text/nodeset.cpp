#include "fleet/text/nodeset.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"

namespace drover {

namespace {

/// Longer runs of digits are treated as text.
constexpr std::size_t digits_max = 9;

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= digits_max &&
         std::all_of(text.begin(), text.end(), is_digit);
}

std::uint32_t number_from(std::string_view digits) {
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string padded(std::uint32_t value, std::size_t width) {
  return fmt::format("{:0{}}", value, width);
}

bool has_padding(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

/// Adds the numbers of one element of a bracket: "07" or "01-20".
Status add_element(std::string_view element, std::vector<std::string>& numbers) {
  const std::size_t dash = element.find('-');
  const std::string_view first = element.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : element.substr(dash + 1);
  if (!all_digits(first) || !all_digits(last)) {
    return error("found '{}' in brackets, expected a number or a range such as 01-20",
                 excerpt(element));
  }
  const std::uint32_t low = number_from(first);
  const std::uint32_t high = number_from(last);
  if (low > high) return error("found the range {}, expected an ascending range", element);
  if ((has_padding(last) && last.size() != first.size()) ||
      (has_padding(first) && last.size() < first.size())) {
    return error("found the range {}, expected the same number of digits on both sides", element);
  }
  if (high - low >= nodeset_names_max)
    return error("the range {} has over {} names", element, nodeset_names_max);
  for (std::uint32_t value = low; value <= high; ++value) {
    numbers.push_back(padded(value, first.size()));
  }
  if (numbers.size() > nodeset_names_max)
    return error("the bracket has over {} names", nodeset_names_max);
  return {};
}

/// Replaces the names by all combinations of a name and an ending.
Status multiply(std::vector<std::string>& names, const std::vector<std::string>& endings) {
  if (names.size() * endings.size() > nodeset_names_max)
    return error("over {} names", nodeset_names_max);
  std::vector<std::string> product;
  for (const std::string& name : names) {
    for (const std::string& ending : endings) product.push_back(name + ending);
  }
  names = std::move(product);
  return {};
}

Result<std::vector<std::string>> expand_word(std::string_view word) {
  std::vector<std::string> names = {""};
  while (!word.empty()) {
    const std::size_t open = word.find_first_of("[]");
    const std::string_view text = word.substr(0, open);
    for (std::string& name : names) name += text;
    if (open == std::string_view::npos) break;
    if (word[open] == ']') return error("found ] without a [ before it");
    const std::size_t close = word.find_first_of("[]", open + 1);
    if (close == std::string_view::npos || word[close] == '[')
      return error("found [ without its ]");
    std::vector<std::string> numbers;
    for (const std::string& element : split(word.substr(open + 1, close - open - 1), ',')) {
      DROVER_TRY(add_element(element, numbers));
    }
    DROVER_TRY(multiply(names, numbers));
    word.remove_prefix(close + 1);
  }
  return names;
}

/// Splits the text at the commas outside brackets.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') inside = text[i] == '[';
    if (text[i] != ',' || inside) continue;
    words.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  words.push_back(text.substr(start));
  return words;
}

/// A set of names that differ only in numbers: texts[0] numbers[0] texts[1] numbers[1] ..
/// texts[n].
struct NumberBlock {
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> numbers;
};

NumberBlock block_of(std::string_view name) {
  NumberBlock block;
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (end == i || end - i > digits_max) {
      const std::size_t taken = std::max<std::size_t>(end - i, 1);
      text += name.substr(i, taken);
      i += taken;
      continue;
    }
    block.texts.push_back(std::move(text));
    text.clear();
    block.numbers.push_back({std::string(name.substr(i, end - i))});
    i = end;
  }
  block.texts.push_back(std::move(text));
  return block;
}

bool before(const std::string& a, const std::string& b) {
  const std::uint32_t left = number_from(a);
  const std::uint32_t right = number_from(b);
  return left != right ? left < right : a.size() < b.size();
}

/// Joins blocks that differ only in their numbers at `field`.
std::vector<NumberBlock> joined_at(std::vector<NumberBlock> blocks, std::size_t field) {
  using Rest = std::pair<std::vector<std::string>, std::vector<std::vector<std::string>>>;
  std::map<Rest, NumberBlock> joined;
  for (NumberBlock& block : blocks) {
    Rest rest(block.texts, block.numbers);
    if (field < block.numbers.size()) rest.second[field].clear();
    const auto [found, fresh] = joined.try_emplace(std::move(rest), block);
    if (fresh) continue;
    auto& numbers = found->second.numbers[field];
    numbers.insert(numbers.end(), block.numbers[field].begin(), block.numbers[field].end());
  }
  blocks.clear();
  for (auto& [rest, block] : joined) {
    if (field < block.numbers.size()) {
      std::sort(block.numbers[field].begin(), block.numbers[field].end(), before);
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/// "01-03,05" for sorted numbers.
std::string ranges_text(const std::vector<std::string>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::size_t width = numbers[i].size();
    std::size_t last = i;
    while (last + 1 < numbers.size() &&
           numbers[last + 1] == padded(number_from(numbers[last]) + 1, width)) {
      ++last;
    }
    if (!text.empty()) text += ",";
    text += numbers[i];
    if (last > i) text += "-" + numbers[last];
    i = last + 1;
  }
  return text;
}

std::string block_text(const NumberBlock& block) {
  std::string text = block.texts[0];
  for (std::size_t i = 0; i < block.numbers.size(); ++i) {
    const auto& numbers = block.numbers[i];
    text += numbers.size() == 1 ? numbers[0] : "[" + ranges_text(numbers) + "]";
    text += block.texts[i + 1];
  }
  return text;
}

}  // namespace

bool is_host_name(std::string_view text) {
  return is_name(text) && std::isalnum(static_cast<unsigned char>(text[0])) != 0;
}

Result<std::vector<std::string>> expand_nodeset(std::string_view text, std::string_view place) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const std::string_view word : words_of(text)) {
    auto some = expand_word(trimmed(word));
    if (!some) return error("{}: {}: {}", place, excerpt(text), some.error().message);
    for (std::string& name : *some) {
      if (!is_host_name(name)) {
        return error(
            "{}: {}: found the name '{}', expected a letter or digit and then up to 63 of "
            "A-Z a-z 0-9 . _ : -",
            place, excerpt(text), excerpt(name, 70));
      }
      if (!known.insert(name).second) {
        return error("{}: {}: names {} twice", place, excerpt(text), name);
      }
      names.push_back(std::move(name));
    }
    if (names.size() > nodeset_names_max) {
      return error("{}: {}: over {} names", place, excerpt(text), nodeset_names_max);
    }
  }
  return names;
}

std::string fold_nodeset(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<NumberBlock> blocks;
  std::size_t fields = 0;
  for (const std::string& name : names) {
    blocks.push_back(block_of(name));
    fields = std::max(fields, blocks.back().numbers.size());
  }
  for (std::size_t field = fields; field > 0; --field)
    blocks = joined_at(std::move(blocks), field - 1);
  std::sort(blocks.begin(), blocks.end(), [](const NumberBlock& a, const NumberBlock& b) {
    if (a.texts[0] != b.texts[0] || a.numbers.empty() || b.numbers.empty()) {
      return std::pair(a.texts, a.numbers) < std::pair(b.texts, b.numbers);
    }
    return before(a.numbers[0][0], b.numbers[0][0]);
  });
  std::string text;
  for (const NumberBlock& block : blocks) {
    if (!text.empty()) text += ",";
    text += block_text(block);
  }
  return text;
}

}  // namespace drover
