#include "commands/completion/candidates.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "commands/verb_table.h"
#include "fleet/base/search.h"

namespace drover::commands {

namespace {

using Names = std::vector<std::string>;

void add_all(Names& names, const Names& more, std::string_view before = "") {
  for (const std::string& name : more) names.push_back(fmt::format("{}{}", before, name));
}

// What may stand at a place, from the fleet or the catalogue.

Names devices_and_jobs(const NameSources& sources) {
  const FleetNames fleet = sources.fleet();
  Names names = fleet.devices;
  add_all(names, fleet.jobs);
  return names;
}

Names targets(const NameSources& sources) {
  const FleetNames fleet = sources.fleet();
  Names names = {"site"};
  add_all(names, fleet.pools, "pool:");
  add_all(names, fleet.racks, "rack:");
  add_all(names, fleet.hosts, "host:");
  add_all(names, fleet.devices);
  return names;
}

Names host_targets(const NameSources& sources) {
  Names names;
  add_all(names, sources.fleet().hosts, "host:");
  return names;
}

Names specs(const NameSources& sources) {
  Names names = sources.devices();
  add_all(names, sources.models());
  return names;
}

/// An option's value or a positional word, and what may stand there. An option is named as
/// `--name`, or by the name of its value, as in `--help`.
struct Place {
  std::string_view verb;  // empty: any
  std::string_view name;
  Names (*names)(const NameSources&) = nullptr;
  PathKind paths = PathKind::none;
};

constexpr Place places[] = {
    {"estimate", "--device", [](const NameSources& all) { return all.devices(); }},
    {"agent", "--devices", [](const NameSources& all) { return all.devices(); }},
    {"compare", "DEVICE:COUNT...", [](const NameSources& all) { return all.devices(); }},
    {"catalogue", "NAME", specs},
    {"", "--model", [](const NameSources& all) { return all.models(); }},
    {"", "HOST/N", [](const NameSources& all) { return all.fleet().devices; }},
    {"", "--pool", [](const NameSources& all) { return all.fleet().pools; }},
    {"", "--host", [](const NameSources& all) { return all.fleet().hosts; }},
    {"why", "JOB", devices_and_jobs},
    {"", "JOB", [](const NameSources& all) { return all.fleet().jobs; }},
    {"", "JOB...", [](const NameSources& all) { return all.fleet().jobs; }},
    {"forget", "TARGET", host_targets},
    {"", "TARGET", targets},
    {"", "RULE", [](const NameSources& all) { return all.fleet().alert_rules; }},
    {"", "DIR", nullptr, PathKind::folders},
    {"", "FILE", nullptr, PathKind::files},
    {"", "PROGRAM", nullptr, PathKind::files},
    {"", "[=FILE]", nullptr, PathKind::files},
    {"", "TABLE", nullptr, PathKind::files},
    {"keys", "WHAT", nullptr, PathKind::files},
    {"launch", "fleet", nullptr, PathKind::files},
};

const Place* find_place(std::string_view verb, std::initializer_list<std::string_view> names) {
  for (const Place& place : places) {
    const bool named = std::find(names.begin(), names.end(), place.name) != names.end();
    if (named && (place.verb.empty() || place.verb == verb)) return &place;
  }
  return nullptr;
}

/// Adds the candidates that begin like the unfinished word. `kept`: the beginning of the word that
/// stays as it is, such as "--view=" or the names before the last comma.
void add_matching(Candidates& candidates, const Names& names, std::string_view word,
                  std::string kept = "", std::string_view help = "") {
  const std::size_t comma = word.rfind(',');
  if (comma != std::string_view::npos) {
    kept += word.substr(0, comma + 1);
    word.remove_prefix(comma + 1);
  }
  for (const std::string& name : names) {
    if (candidates.list.size() >= candidates_max) return;
    if (name.starts_with(word)) candidates.list.push_back({kept + name, std::string(help)});
  }
}

void add_place(Candidates& candidates, const Place* place, const NameSources& sources,
               std::string_view word, const std::string& kept = "") {
  if (place == nullptr) return;
  if (place->names != nullptr) add_matching(candidates, place->names(sources), word, kept);
  candidates.paths = place->paths;
}

void add_value(Candidates& candidates, std::string_view verb, const Option& option,
               const NameSources& sources, std::string_view word, const std::string& kept = "") {
  if (!option.known.empty()) return add_matching(candidates, option.known, word, kept);
  add_place(candidates, find_place(verb, {"--" + option.name, option.value}), sources, word, kept);
}

void add_options(Candidates& candidates, const CommandUsage& usage,
                 const std::set<std::string>& given, std::string_view word) {
  for (const Option& option : usage.options) {
    if (option.hidden || (given.contains(option.name) && !option.repeatable)) continue;
    add_matching(candidates, {"--" + option.name}, word, "", option.help);
  }
  add_matching(candidates, {"--help"}, word, "", "show the help of this command");
}

void add_verbs(Candidates& candidates, std::string_view word) {
  for (const Verb& verb : verb_table()) {
    if (!verb.hidden()) add_matching(candidates, {verb.name}, word, "", verb.summary);
  }
}

/// What the finished words of a verb's command line are.
struct Finished {
  std::set<std::string> options;
  std::size_t positionals = 0;
  const Option* awaits_value = nullptr;  // the last word is an option whose value comes next
  bool options_ended = false;            // by "--"
};

Finished read_finished(const CommandUsage& usage, const Names& words) {
  Finished finished;
  for (const std::string& word : words) {
    if (std::exchange(finished.awaits_value, nullptr) != nullptr) continue;
    if (finished.options_ended || !word.starts_with('-') || word.size() < 2) {
      ++finished.positionals;
      continue;
    }
    finished.options_ended = word == "--";
    const std::size_t equals = word.find('=');
    for (const Option& option : usage.options) {
      const bool by_letter = word.size() == 2 && word[1] == option.letter;
      if (word.substr(0, equals) != "--" + option.name && !by_letter) continue;
      finished.options.insert(option.name);
      const bool takes_next = !option.value.empty() && !option.value_optional();
      if (takes_next && equals == std::string::npos) finished.awaits_value = &option;
    }
  }
  return finished;
}

void add_positional(Candidates& candidates, const Verb& verb, const CommandUsage& usage,
                    std::size_t number, const NameSources& sources, std::string_view word) {
  const Names actions = actions_of(usage);
  if (number == 0 && !actions.empty()) return add_matching(candidates, actions, word);
  if (usage.positionals.empty()) return;
  const std::size_t last = usage.positionals.size() - 1;
  if (number > last && !usage.positionals[last].ends_with("...")) return;
  const std::string& name = usage.positionals[std::min(number, last)];
  add_place(candidates, find_place(verb.name, {name}), sources, word);
}

Candidates of_verb(const Verb& verb, const Names& words, const NameSources& sources) {
  Candidates candidates;
  const CommandUsage usage = full_usage(verb);
  const std::string& word = words.back();
  const Finished finished = read_finished(usage, {words.begin(), words.end() - 1});
  if (finished.awaits_value != nullptr) {
    add_value(candidates, verb.name, *finished.awaits_value, sources, word);
    return candidates;
  }
  const std::size_t equals = word.find('=');
  if (word.starts_with("--") && equals != std::string::npos) {
    for (const Option& option : usage.options) {
      if (word.substr(2, equals - 2) != option.name) continue;
      add_value(candidates, verb.name, option, sources, std::string_view(word).substr(equals + 1),
                word.substr(0, equals + 1));
    }
    return candidates;
  }
  if (!word.starts_with('-')) {
    add_positional(candidates, verb, usage, finished.positionals, sources, word);
  }
  const bool nothing = candidates.list.empty() && candidates.paths == PathKind::none;
  if ((word.starts_with('-') || (word.empty() && nothing)) && !finished.options_ended) {
    add_options(candidates, usage, finished.options, word);
  }
  return candidates;
}

}  // namespace

Candidates candidates_for(const std::vector<std::string>& words, const NameSources& sources) {
  Candidates candidates;
  if (words.empty()) return candidates;
  if (words.size() == 1) {
    add_verbs(candidates, words[0]);
    add_matching(candidates, {"help"}, words[0], "", "shows what a command does");
    if (words[0].starts_with('-')) add_matching(candidates, {"--help", "--version"}, words[0]);
    return candidates;
  }
  if (words[0] == "help" && words.size() == 2) {
    add_verbs(candidates, words[1]);
    return candidates;
  }
  const Verb* verb = find_verb(words[0]);
  return verb == nullptr ? candidates : of_verb(*verb, {words.begin() + 1, words.end()}, sources);
}

}  // namespace drover::commands
