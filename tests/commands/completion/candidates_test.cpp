// What drover completes, from unfinished command lines.
#include "commands/completion/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "commands/verb_table.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

/// A small fleet and catalogue that count how often they are asked.
struct Known {
  int asked = 0;
  NameSources sources{[this] {
                        ++asked;
                        return FleetNames{{"h-1/0", "h-1/1", "v-1/0"},
                                          {"h-1", "v-1"},
                                          {"rack-1"},
                                          {"h100", "v5e"},
                                          {"0a1b"},
                                          {"hot"}};
                      },
                      [] {
                        return std::vector<std::string>{"h100-sxm", "l4"};
                      },
                      [] {
                        return std::vector<std::string>{"gpt-2", "llama-3.1-8b"};
                      }};
};

struct CandidateCase {
  std::vector<std::string> words;
  std::string shown;  // candidates with blanks between them, then files or folders
};

std::string shown(const Candidates& candidates) {
  std::vector<std::string> texts;
  for (const Candidate& each : candidates.list) texts.push_back(each.text);
  if (candidates.paths == PathKind::files) texts.emplace_back("(files)");
  if (candidates.paths == PathKind::folders) texts.emplace_back("(folders)");
  return joined(texts, " ");
}

TEST(Candidates, AreWhatMayStandThere) {
  const CandidateCase cases[] = {
      {{"to"}, "top"},
      {{"rec"}, "record recording"},
      {{"--v"}, "--version"},
      {{"help", "wa"}, "watch"},
      {{"nonsense", ""}, ""},
      // Options, each once.
      {{"top", "--th"}, "--theme"},
      {{"top", "--theme", "light", "--th"}, ""},
      {{"top", "--print"}, "--print-config"},
      // Values of enumerations.
      {{"top", "--theme", "l"}, "light"},
      {{"top", "--theme=l"}, "--theme=light"},
      {{"doctor", "--only", "ports,d"}, "ports,descriptors ports,drivers ports,disk"},
      {{"recording", "export", "x.mcap", "--format", "c"}, "csv"},
      // Actions, then what they act on.
      {{"launch", ""}, "up status logs down"},
      {{"policy", "a"}, "apply"},
      {{"policy", "check", ""}, "(files)"},
      {{"keys", "n"}, "new"},
      {{"catalogue", ""}, "devices models"},
      {{"completion", ""}, "bash zsh fish"},
      // Names of the running fleet.
      {{"drain", "host:"}, "host:h-1 host:v-1"},
      {{"drain", "h-1/"}, "h-1/0 h-1/1"},
      {{"cap", "p"}, "pool:h100 pool:v5e"},
      {{"forget", ""}, "host:h-1 host:v-1"},
      {{"why", "0"}, "0a1b"},
      {{"why", "v"}, "v-1/0"},
      {{"cancel", "0a1b", "0"}, "0a1b"},
      {{"acknowledge", ""}, "hot"},
      {{"top", "--device", "v"}, "v-1/0"},
      // Names of the catalogue.
      {{"estimate", "--device", "h"}, "h100-sxm"},
      {{"submit", "--model", "g"}, "gpt-2"},
      // Names of files.
      {{"top", "--replay", "x"}, "(files)"},
      {{"top", "--keys", ""}, "(folders)"},
      {{"record", "-o", ""}, "(files)"},
      // A value that can be anything.
      {{"top", "--filter", ""}, ""},
  };
  for (const CandidateCase& each : cases) {
    Known known;
    EXPECT_EQ(shown(candidates_for(each.words, known.sources)), each.shown)
        << joined(each.words, " ");
  }
}

TEST(Candidates, AskTheFleetOnlyForItsNames) {
  Known known;
  for (const char* word : {"--th", "--theme=", "--replay"}) {
    (void)candidates_for({"top", word}, known.sources);
  }
  EXPECT_EQ(known.asked, 0);
  (void)candidates_for({"top", "--device", ""}, known.sources);
  EXPECT_EQ(known.asked, 1);
}

TEST(Candidates, HaveTheHelpOfOptionsAndVerbs) {
  Known known;
  const Candidates options = candidates_for({"drain", "--dead"}, known.sources);
  ASSERT_EQ(options.list.size(), 1u);
  EXPECT_NE(options.list[0].help.find("move running work"), std::string::npos);
  const Candidates verbs = candidates_for({"drai"}, known.sources);
  ASSERT_EQ(verbs.list.size(), 1u);
  EXPECT_EQ(verbs.list[0].help, find_verb("drain")->summary);
}

TEST(Candidates, AreLimitedInLargeFleets) {
  Known known;
  known.sources.fleet = [] {
    FleetNames names;
    for (int i = 0; i < 10'000; ++i) names.devices.push_back("h-1/" + std::to_string(i));
    return names;
  };
  EXPECT_EQ(candidates_for({"drain", "h"}, known.sources).list.size(), candidates_max);
}

TEST(Candidates, ExistForTheActionsOfEachVerbThatHasSome) {
  const std::vector<std::string> with_actions = {"policy",    "launch",     "keys",  "recording",
                                                 "catalogue", "completion", "config"};
  for (const Verb& verb : verb_table()) {
    const bool expected =
        std::find(with_actions.begin(), with_actions.end(), verb.name) != with_actions.end();
    EXPECT_EQ(!actions_of(verb.usage()).empty(), expected) << verb.name;
  }
}

}  // namespace
}  // namespace drover::commands
