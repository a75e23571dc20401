// What the real binary says to a person who is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "commands/shell/options.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

struct UsageCase {
  std::vector<std::string> words;
  int exit_code;
  std::vector<std::string> said;  // on stderr, each
};

TEST(Usage, EveryMistakeGetsOneClearLine) {
  const TestFolder folder;
  const std::string bad_policy =
      folder.write("bad.toml",
                   "[policy]\nname = \"x\"\n[pool.a]\nmatch = { kind = \"gpu\" }\nweird = 1\n"
                   "[[rule]]\nname = \"r\"\npools = [\"a\"]\nscore = { queue = 1 }\n");
  const std::string bad_alert =
      folder.write("bad_alert.toml",
                   "[pool.a]\nmatch = { kind = \"gpu\" }\n[[rule]]\nname = \"r\"\npools = "
                   "[\"a\"]\n[[alert]]\nname = \"x\"\nwhen = \"tmep > 70\"\n");
  const std::string empty = folder.write("empty.csv", "");
  const std::string all_bad =
      folder.write("all_bad.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\nx,y,z\n");
  const std::string headless = folder.write("headless.csv", "a,b,c\n1,2,3\n");
  const UsageCase cases[] = {
      {{"demmo"}, 2, {"unknown command 'demmo'", "demo"}},
      {{"router", "--polcy", "x"}, 2, {"--polcy", "--policy"}},
      {{"router", "--speed", "fast"}, 2, {"--speed", "fast"}},
      {{"router", "--listen", "tcp://0.0.0.0:7700"}, 2, {"not loopback", "--insecure"}},
      {{"router", "--listen", "7700"}, 2, {"--listen"}},
      {{"router", "--policy", bad_policy}, 2, {"bad.toml:5", "weird"}},
      {{"router", "--policy", folder.file("absent")}, 1, {"absent"}},
      {{"router", "--policy", bad_alert},
       2,
       {"bad_alert.toml:8: alert[1].when", "did you mean temp?, at character 1"}},
      {{"acknowledge"}, 2, {"RULE or --all is required"}},
      {{"acknowledge", "hot", "--all"}, 2, {"RULE or --all is required"}},
      {{"alerts", "--rule"}, 2, {"--rules"}},
      {{"agent"}, 2, {"--devices"}},
      {{"agent", "--devices", "h100-sxn:8"}, 2, {"h100-sxn", "h100-sxm"}},
      {{"agent", "--devices", "h100-sxm:8", "--replicas", "llama-3.1-7b:0"},
       2,
       {"llama-3.1-7b", "llama-3.1-70b"}},
      {{"agent", "--devices", "h100-sxm:2", "--replicas", "llama-3.1-8b:5"}, 2, {"5"}},
      {{"agent", "--devices", "h100-sxm:1", "--replicas", "llama-3.1-70b:0"}, 2, {"llama-3.1-70b"}},
      {{"agent", "--devices", "h100-sxm:1", "--name", "a b"}, 2, {"--name", "a b"}},
      {{"agent", "--name", std::string(5000, 'a'), "--devices", "l4"}, 2, {"--name", "aaaa.."}},
      {{"agent", "--devices", "l4", "--ambient", "81"}, 2, {"--ambient", "81"}},
      {{"agent", "--devices", "l4", "--json"}, 2, {"--json works only with --dry-run"}},
      {{"agent", "--real", "--json"}, 2, {"--json works only with --dry-run"}},
      {{"agent", "--real", "--dry-run", "--name", "x"}, 2, {"--name has no effect with --dry-run"}},
      {{"agent", "--real", "--stdio", "--every", "2s"}, 2, {"--every has no effect with --stdio"}},
      {{"agent", "--devices", "l4", "--metrics-labels", "dcgm"},
       2,
       {"--metrics-labels works only with --metrics or --remote-write"}},
      {{"agent", "--devices", "l4", "--remote-write", "http://ann:secret@h:x/"},
       2,
       {"--remote-write http://h:x/: has an invalid port (1 to 65535)"}},
      {{"top", "--history", "much"}, 2, {"--history", "much"}},
      {{"frame", "--history", "12kB"}, 2, {"--history: found 12kB, expected from 1MiB to 64GiB"}},
      {{"submit"}, 2, {"--model"}},
      {{"submit", "--model", "llama-3.1-8b", "--steps", "3"}, 2, {"--steps", "--kind train"}},
      {{"submit", "--model", "bert-large", "--kind", "train", "--input", "3"}, 2, {"--input"}},
      {{"submit", "--model", "llama-3.1-8b", "--load", "3"}, 2, {"--load", "--trace"}},
      {{"submit", "--trace", empty, "--model", "llama-3.1-8b", "--op", "triton"}, 2, {"--op"}},
      {{"submit", "--model", "llama-3.1-8b", "--op", "custom_cdua"},
       2,
       {"did you mean custom_cuda?"}},
      {{"submit", "--model", "llama-3.1-8b", "--op", "\x1b[31m"}, 2, {"'^[[31m'", "fp64"}},
      {{"submit", "--model", "llama-3.1-8b", "--deadline", "10000000d"}, 2, {"292 years"}},
      {{"submit", "--trace", headless, "--model", "llama-3.1-8b"},
       2,
       {"headless.csv:1: header: found no column TIMESTAMP"}},
      {{"submit", "--model", "llama-3.1-8c"}, 2, {"llama-3.1-8c", "llama-3.1-8b"}},
      {{"submit", "--model", "llama-3.1-8b", "--precision", "bf61"}, 2, {"bf61", "bf16"}},
      {{"submit", "--model", "llama-3.1-8b", "--kind", "trian"}, 2, {"trian", "train"}},
      {{"submit", "--model", "llama-3.1-8b", "--input", "0"}, 2, {"--input"}},
      {{"submit", "--trace", folder.file("absent.csv"), "--model", "llama-3.1-8b"},
       1,
       {"absent.csv"}},
      {{"submit", "--trace", empty, "--format", "azur", "--model", "llama-3.1-8b"},
       2,
       {"--format", "azur", "azure"}},
      {{"submit", "--trace", empty, "--format", "mooncake"}, 2, {"--model is required"}},
      {{"submit", "--trace", empty, "--format", "csv", "--model", "gpt-2"}, 2, {"--columns"}},
      {{"submit", "--trace", empty, "--format", "csv", "--columns", "arrival=t,imput=x"},
       2,
       {"--columns: unknown field \"imput\"", "did you mean input?"}},
      {{"submit", "--trace", empty, "--format", "csv", "--columns",
        "arrival=t,input=in,output=out"},
       2,
       {"--model is required"}},
      {{"submit", "--trace", headless, "--format", "csv", "--model", "gpt-2", "--columns",
        "arrival=t,input=a,output=b"},
       2,
       {"headless.csv:1: header: found no column t"}},
      {{"submit", "--trace", empty, "--model", "gpt-2", "--throughputs", "x"},
       2,
       {"--throughputs has no effect here: it is for --format gavel"}},
      {{"submit", "--trace", empty, "--format", "gavel", "--measured-on", "k80"},
       2,
       {"--measured-on", "--format tiresias"}},
      {{"submit", "--trace", empty, "--format", "tiresias", "--measured-on", "k81"},
       2,
       {"--measured-on", "k81", "k80"}},
      {{"submit", "--model", "gpt-2", "--columns", "x"}, 2, {"--columns", "--trace"}},
      {{"status", "--connect", "tcp://127.0.0.1:1"},
       1,
       {"no router at tcp://127.0.0.1:1", "drover router"}},
      {{"top", "--connect", "tcp://127.0.0.1:1"}, 1, {"start one with: drover router"}},
      {{"status", "--connect", "tcp://127.0.0.1:0"}, 2, {"--connect", "one port"}},
      {{"top", "--view", "fleets"}, 2, {"fleets", "fleet"}},
      {{"top", "--view", "routes"}, 2, {"did you mean routing?"}},
      {{"frame", "--size", "huge"}, 2, {"--size", "huge"}},
      {{"frame", "--size", "19x16"}, 2, {"--size", "from 20x3"}},
      {{"jobs", "--state", "running?"}, 2, {"running"}},
      {{"why", "a", "b"}, 2, {"'b'"}},
      {{"catalogue"}, 2, {"devices or models"}},
      {{"estimate", "--device", "l4"}, 2, {"--kind is required: one of gemm, "}},
      {{"estimate", "--kind", "decode"}, 2, {"--device is required"}},
      {{"estimate", "--kind", "decode", "--device", "l4", "--precision", "fp61"},
       2,
       {"precision: found \"fp61\", expected one of fp32, tf32"}},
      {{"launch"}, 2, {"ACTION and FLEET.toml are required; usage: drover launch up|status"}},
      {{"launch", "start"}, 2, {"found action 'start', expected up, status, logs or down"}},
      {{"catalogue", "devices", "h100"}, 2, {"did you mean h100-nvl, h100-sxm or h100-pcie?"}},
      {{"catalogue", "devices", "--catalogue", folder.file("absent")}, 1, {"absent"}},
      {{"demo", "--json"}, 2, {"--headless"}},
      {{"demo", "--story", "maybe"}, 2, {"--story", "on"}},
      {{"demo", "--model", "llama-3.1-8b"}, 2, {"--trace"}},
      {{"demo", "--throughputs", "x"}, 2, {"--throughputs", "--trace"}},
      {{"demo", "--trace", empty, "--format", "gavel", "--headless"}, 2, {"empty.csv", "no rows"}},
      {{"demo", "--trace", all_bad, "--model", "llama-3.1-8b", "--headless"}, 2, {"all_bad.csv:2"}},
      {{"demo", "--trace", empty, "--model", "llama-3.1-8b", "--headless"}, 2, {"empty.csv"}},
      {{"demo", "--trace", headless, "--model", "llama-3.1-8b", "--headless"},
       2,
       {"headless.csv:1"}},
      {{"demo", "--trace", empty, "--headless"}, 2, {"--model"}},
      {{"demo"}, 1, {"no terminal", "--once"}},
  };
  for (const UsageCase& expected : cases) {
    std::string shown = "drover";
    for (const std::string& word : expected.words) shown += " " + word;
    SCOPED_TRACE(shown);
    const ProcessResult ran = run_drover(expected.words);
    EXPECT_EQ(ran.exit_code, expected.exit_code) << ran.err;
    const bool json = contains(expected.words, std::string("--json"));
    EXPECT_EQ(json, only_object(ran.out)["error"].is_object());
    if (!json) {
      EXPECT_EQ(ran.out, "");
    }
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(ran.err.rfind("drover", 0), 0U) << ran.err;
    for (const std::string& said : expected.said) {
      EXPECT_NE(ran.err.find(said), std::string::npos) << said << " is not in: " << ran.err;
    }
  }
}

constexpr const char* verbs[] = {
    "demo",    "router",      "agent",      "top",       "frame",   "submit",    "status",
    "devices", "jobs",        "why",        "catalogue", "record",  "recording", "inject",
    "cap",     "keys",        "launch",     "drain",     "resume",  "cancel",    "forget",
    "alerts",  "acknowledge", "policy",     "estimate",  "compare", "validate",  "export",
    "config",  "doctor",      "completion", "hosts",     "pools",   "events"};

TEST(Usage, NoLineOfTheHelpIsWiderThanATerminal) {
  std::string help = run_drover({"--help"}).out;
  for (const char* verb : verbs) help += run_drover({verb, "--help"}).out;
  for (const char* hidden : {"feed", "story", "complete", "man"})
    help += run_drover({hidden, "--help"}).out;
  for (const std::string& line : split(help, '\n')) EXPECT_LE(line.size(), help_columns) << line;
}

TEST(Usage, EveryVerbTeachesByExample) {
  for (const char* verb : verbs) {
    const ProcessResult ran = run_drover({verb, "--help"});
    EXPECT_EQ(ran.exit_code, 0) << verb;
    EXPECT_NE(ran.out.find("Examples:\n  drover " + std::string(verb)), std::string::npos) << verb;
    EXPECT_NE(run_drover({}).out.find(verb), std::string::npos) << verb;
    EXPECT_EQ(run_drover({verb, "-h"}).out, ran.out);
    EXPECT_EQ(run_drover({"help", verb}).out, ran.out);
  }
  EXPECT_EQ(run_drover({"-h"}).out, run_drover({}).out);
}

TEST(Usage, TheVersionSaysWhatWasBuilt) {
  const ProcessResult ran = run_drover({"--version"});
  EXPECT_EQ(ran.exit_code, 0);
  const std::vector<std::string> lines = split(ran.out, '\n');
  ASSERT_EQ(lines.size(), 6u) << ran.out;
  EXPECT_EQ(lines[0], software_name);
  const char* facts[] = {"revision   ", "compiler   ", "build      ", "libraries  libzmq 4."};
  for (std::size_t i = 0; i < std::size(facts); ++i) {
    EXPECT_EQ(lines[i + 1].rfind(facts[i], 0), 0u) << lines[i + 1];
    EXPECT_GT(lines[i + 1].size(), 11u);
  }
}

TEST(Usage, ATargetIsWrittenAsTheHelpOfItsVerbSays) {
  for (const char* verb : {"drain", "resume"}) {
    const ProcessResult help = run_drover({verb, "--help"});
    const ProcessResult wrong = run_drover({verb, "nothing:here"});
    EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
    for (const char* form : {"HOST/N", "host:", "rack:", "pool:", "site"}) {
      EXPECT_NE(help.out.find(form), std::string::npos) << verb << " " << form;
      EXPECT_NE(wrong.err.find(form), std::string::npos) << wrong.err;
    }
  }
}

TEST(Usage, OutputThatCannotBeWrittenIsAFailure) {
  for (const char* verb : {"catalogue devices", "catalogue models --json", "demo --help", "help"}) {
    for (const char* nowhere : {">/dev/full", ">&-"}) {
      const ProcessResult ran = run_shell(fmt::format("drover {} {}", verb, nowhere));
      EXPECT_EQ(ran.exit_code, 1) << verb << nowhere;
      EXPECT_NE(ran.err.find("standard output: "), std::string::npos) << verb << ": " << ran.err;
      EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    }
  }
  // A reader who has seen enough is none, and who cannot be told is not told.
  EXPECT_EQ(run_shell("trap '' PIPE; drover catalogue devices | true").err, "");
  EXPECT_EQ(run_shell("drover demmo 2>/dev/full").exit_code, 2);
}

TEST(Usage, AnUnknownVerbCannotControlTheTerminal) {
  const ProcessResult ran = run_drover({"\x1b[31mdemo"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err.find('\x1b'), std::string::npos);
}

TEST(Catalogue, ShowsDevicesAndModelsWithTheirSources) {
  const ProcessResult devices = run_drover({"catalogue", "devices"});
  for (const char* id : {"h100-sxm", "a100-sxm-80gb", "l4", "tpu-v5e", "tpu-v5p"}) {
    EXPECT_NE(devices.out.find(id), std::string::npos) << id;
  }
  const ProcessResult models = run_drover({"catalogue", "models", "--json"});
  const auto array = Json::parse(models.out);
  ASSERT_TRUE(array.ok());
  EXPECT_GE(array->size(), 5U);
  const ProcessResult one = run_drover({"catalogue", "devices", "tpu-v5e"});
  EXPECT_EQ(one.exit_code, 0);
  for (const char* fact : {"id = \"tpu-v5e\"", "\n# from the generation tpu:\n# ",
                           "\n# common to all generations:\n# ", "\n# layers.kernel_cycles = "}) {
    EXPECT_NE(one.out.find(fact), std::string::npos) << fact << one.out;
  }
}

TEST(Catalogue, ReportsWhatAFolderReplacesAndRefusesDuplicateIds) {
  const TestFolder folder;
  const std::string spec = run_drover({"catalogue", "devices", "l4"}).out;
  const std::string parent = std::filesystem::path(folder.write("a.toml", spec)).parent_path();
  const ProcessResult replaced = run_drover({"catalogue", "devices", "--catalogue", parent});
  EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
  EXPECT_NE(replaced.err.find("a.toml replaces the built-in device l4"), std::string::npos);
  folder.write("b.toml", spec);
  const ProcessResult twice = run_drover({"catalogue", "devices", "--catalogue", parent});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.err.find("b.toml: id: \"l4\" is already in "), std::string::npos) << twice.err;
}

}  // namespace
}  // namespace drover::commands
