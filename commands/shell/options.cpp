#include "commands/shell/options.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/program_options.hpp>

#include "fleet/base/identity.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {

namespace po = boost::program_options;

namespace {

// The name of the positional words for Boost; no option can have it.
constexpr const char* words_key = "words of the command line";

constexpr std::string_view repeated = "...";

std::string long_name(std::string_view name) { return fmt::format("--{}", name); }

po::options_description describe(const CommandUsage& usage) {
  po::options_description description;
  for (const Option& option : usage.options) {
    if (option.value.empty()) {
      description.add_options()(option.name.c_str(), option.help.c_str());
    } else {
      auto* value = po::value<std::vector<std::string>>();
      if (option.value_optional()) value->implicit_value({""}, "");
      description.add_options()(option.name.c_str(), value, option.help.c_str());
    }
  }
  description.add_options()(words_key, po::value<std::vector<std::string>>());
  return description;
}

/// Replaces `-o` by its long name. Other words that begin with `-` may be values, such as -5.
std::vector<std::string> with_long_names(std::vector<std::string> words,
                                         const CommandUsage& usage) {
  for (std::string& word : words) {
    if (word.size() != 2 || word[0] != '-') continue;
    for (const Option& option : usage.options) {
      if (option.letter != 0 && option.letter == word[1]) word = long_name(option.name);
    }
  }
  return words;
}

std::vector<std::string> shown_names(const CommandUsage& usage) {
  std::vector<std::string> names;
  for (const Option& option : usage.options) {
    if (!option.hidden) names.push_back("--" + option.name);
  }
  return names;
}

}  // namespace

Option Option::choice(std::string name, std::string value, std::string help,
                      std::vector<std::string> known) {
  Option option{std::move(name), std::move(value), std::move(help)};
  option.known = std::move(known);
  return option;
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string result;
  for (std::string line : split(text, '\n')) {
    while (line.size() > columns) {
      const std::size_t word = line.find_first_not_of(' ');
      std::size_t blank = line.rfind(' ', columns);
      if (blank == std::string::npos || blank < word) blank = line.find(' ', word);
      if (blank == std::string::npos) break;
      result += line.substr(0, line.find_last_not_of(' ', blank) + 1) + '\n';
      line.replace(0, line.find_first_not_of(' ', blank), indent, ' ');
    }
    result += line + '\n';
  }
  result.pop_back();
  return result;
}

std::string help_text(const CommandUsage& usage) {
  constexpr std::size_t synopsis_indent = 7;  // of "usage: "
  std::string text =
      fmt::format("{}\n\n{}\n\nOptions:\n", wrapped(usage.synopsis, help_columns, synopsis_indent),
                  wrapped(trimmed(usage.description), help_columns, 0));
  std::size_t widest = 0;
  const auto spelled = [](const Option& option) {
    const std::string letter = option.letter == 0 ? "" : fmt::format("-{}, ", option.letter);
    return fmt::format("  {}--{}{}{}", letter, option.name,
                       option.value.empty() || option.value_optional() ? "" : " ", option.value);
  };
  for (const Option& option : usage.options) {
    if (!option.hidden) widest = std::max(widest, spelled(option).size());
  }
  const auto add = [&](const std::string& option, std::string_view help) {
    const std::string row = fmt::format("{:<{}}  {}", option, widest, help);
    text += wrapped(row, help_columns, widest + 2) + '\n';
  };
  for (const Option& option : usage.options) {
    if (!option.hidden) add(spelled(option), option.help);
  }
  add("  --help", "show this help");
  text += fmt::format("\nExamples:\n{}\n", usage.examples);
  return text;
}

std::vector<std::string> actions_of(const CommandUsage& usage) {
  // Behind "usage: drover VERB ".
  const std::vector<std::string> words = split(usage.synopsis, ' ');
  std::string rest;
  for (std::size_t i = 3; i < words.size(); ++i) rest += words[i] + " ";
  std::vector<std::string> actions;
  for (const std::string& alternative : split(rest, '|')) {
    const std::string_view trimmed_text = trimmed(alternative);
    const std::string action(trimmed_text.substr(0, trimmed_text.find(' ')));
    const bool word = !action.empty() && std::all_of(action.begin(), action.end(),
                                                     [](char c) { return c >= 'a' && c <= 'z'; });
    if (!word) return {};
    actions.push_back(action);
  }
  return actions.size() > 1 ? actions : std::vector<std::string>();
}

bool prints_json(const CommandUsage& usage, const std::vector<std::string>& words) {
  return std::any_of(usage.options.begin(), usage.options.end(),
                     [](const Option& option) { return option.name == "json"; }) &&
         std::find(words.begin(), words.end(), "--json") != words.end();
}

Result<Arguments> Arguments::parse(const CommandUsage& usage,
                                   const std::vector<std::string>& words) {
  const po::options_description description = describe(usage);
  po::positional_options_description positional;
  positional.add(words_key, -1);
  Arguments arguments;
  try {
    // Boost's short options are off, because -5 may be a value. Abbreviations are off, because a
    // new option would break scripts that use them.
    const auto style = po::command_line_style::allow_long |
                       po::command_line_style::long_allow_adjacent |
                       po::command_line_style::long_allow_next;
    const auto parsed = po::command_line_parser(with_long_names(words, usage))
                            .options(description)
                            .positional(positional)
                            .style(style)
                            .run();
    for (const auto& option : parsed.options) {
      auto& values = arguments.values_[option.string_key];
      values.insert(values.end(), option.value.begin(), option.value.end());
    }
  } catch (const po::unknown_option& problem) {
    const std::string name = problem.get_option_name();
    return error("unknown option {}{}", excerpt(name), suggestion(name, shown_names(usage)));
  } catch (const po::error& problem) {
    return error("{}", excerpt(problem.what(), 200));
  }
  for (const Option& option : usage.options) {
    const auto found = arguments.values_.find(option.name);
    if (found == arguments.values_.end()) continue;
    if (!option.repeatable && found->second.size() > 1) {
      return error("--{} is given twice", option.name);
    }
    for (const std::string& value : found->second) {
      if (option.check == nullptr) break;
      DROVER_TRY(option.check(value));
    }
  }
  const auto words_given = arguments.values_.extract(words_key);
  const std::size_t count = words_given.empty() ? 0 : words_given.mapped().size();
  const std::size_t names = usage.positionals.size();
  const bool last_repeats = names > 0 && usage.positionals.back().ends_with(repeated);
  if (count > names && !last_repeats) {
    return error("unexpected argument '{}'; {}", excerpt(words_given.mapped()[names]),
                 usage.synopsis);
  }
  for (std::size_t i = 0; i < count; ++i) {
    arguments.values_[usage.positionals[std::min(i, names - 1)]].push_back(words_given.mapped()[i]);
  }
  return arguments;
}

std::string Arguments::text(std::string_view name, std::string otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return otherwise;
  return found->second.front();
}

std::vector<std::string> Arguments::text_list(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Duration Arguments::duration(std::string_view name, Duration otherwise) {
  return parsed(name, parse_duration, otherwise);
}

double Arguments::number(std::string_view name, double low, double high, double otherwise) {
  const auto in_range = [&](const std::string& text, const std::string& place) -> Result<double> {
    const auto value = parse_number(text, place);
    if (!value || (*value >= low && *value <= high)) return value;
    return error("{}: found {}, expected {} to {}", place, excerpt(text), low, high);
  };
  return parsed(name, in_range, otherwise);
}

std::int64_t Arguments::integer(std::string_view name, std::int64_t low, std::int64_t high,
                                std::int64_t otherwise) {
  const auto in_range = [&](const std::string& text,
                            const std::string& place) -> Result<std::int64_t> {
    const auto value = parse_integer(text, place);
    if (!value || (*value >= low && *value <= high)) return value;
    return error("{}: found {}, expected {} to {}", place, *value, low, high);
  };
  return parsed(name, in_range, otherwise);
}

std::string Arguments::one_of(std::string_view name, const std::vector<std::string>& known,
                              std::string otherwise) {
  if (!has(name)) return otherwise;
  std::string value = text(name);
  if (!contains(known, value)) {
    add_problem(error("--{}: unknown '{}'{}", name, excerpt(value), suggestion(value, known)));
    return otherwise;
  }
  return value;
}

std::string Arguments::name(std::string_view name, std::string otherwise) {
  std::string value = text(name, std::move(otherwise));
  if (!is_name(value)) {
    add_problem(error("--{}: found '{}', expected 1 to 64 characters of A-Z a-z 0-9 . _ : -", name,
                      excerpt(value)));
  }
  return value;
}

void Arguments::add_problem(Error problem) {
  if (problem_.ok()) problem_ = std::move(problem);
}

Result<TimeArgument> parse_time_argument(std::string_view text, std::string_view place) {
  if (const auto at = parse_timestamp(text)) return TimeArgument{{}, *at};
  if (const auto after = parse_duration(text, place)) return TimeArgument{*after, {}};
  return error(
      "{}: found \"{}\", expected a time from the start (30s, 5m) or in UTC "
      "(2026-11-21T02:38:01Z)",
      place, excerpt(text));
}

}  // namespace drover::commands
