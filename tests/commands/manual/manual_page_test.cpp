// The pages for man: complete, as roff wants them, and the same as the help.
#include "commands/manual/manual_page.h"

#include <gtest/gtest.h>

#include <filesystem>

#include <fmt/format.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

TEST(ManualPage, EscapesWhatRoffWouldTakeForItself) {
  EXPECT_EQ(roff_text(".TH is no request"), "\\&.TH is no request");
  EXPECT_EQ(roff_text("a\n'b"), "a\n\\&\\(aqb");
  EXPECT_EQ(roff_text("--at ~/x\\n `y`^"), "\\-\\-at \\(ti/x\\en \\(gay\\(ga\\(ha");
  EXPECT_EQ(roff_text("1.5 e.g. this"), "1.5 e.g. this");
}

TEST(ManualPage, OfAVerbHasAllThatItsHelpHas) {
  for (const Verb& verb : verb_table()) {
    if (verb.hidden()) continue;
    const std::string page = verb_page(verb).text;
    EXPECT_NE(page.find(roff_text(verb.summary)), std::string::npos) << verb.name;
    for (const Option& option : full_usage(verb).options) {
      const bool there = page.find(roff_text("--" + option.name)) != std::string::npos;
      EXPECT_EQ(there, !option.hidden) << verb.name << " " << option.name;
    }
    for (const char* section : {"SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"}) {
      EXPECT_NE(page.find(fmt::format(".SH {}\n", section)), std::string::npos) << verb.name;
    }
  }
}

TEST(ManualPage, OfTheProgramListsAllVerbs) {
  const std::string page = program_page().text;
  for (const Verb& verb : verb_table()) {
    const bool there =
        page.find(fmt::format("\\fBdrover\\-{}\\fR(1)", verb.name)) != std::string::npos;
    EXPECT_EQ(there, !verb.hidden()) << verb.name;
  }
}

/// Runs a checker on all pages; what it says.
std::string said_about_pages(const std::string& checker) {
  const TestFolder folder;
  const ProcessResult ran = run_shell(
      fmt::format("drover man --all {0} && for page in {0}/*.1; do {1} \"$page\" 2>&1; done",
                  folder.path(), checker));
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(std::filesystem::exists(folder.file("drover.1")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("drover-top.1")));
  return ran.out;
}

TEST(ManualPage, HasNothingThatGroffWarnsOf) {
  if (run_shell("command -v groff").exit_code != 0) GTEST_SKIP() << "groff is not installed";
  EXPECT_EQ(said_about_pages("groff -man -Tutf8 -ww -z"), "");
}

TEST(ManualPage, HasNothingThatMandocWarnsOf) {
  if (run_shell("command -v mandoc").exit_code != 0) GTEST_SKIP() << "mandoc is not installed";
  EXPECT_EQ(said_about_pages("mandoc -T lint -W warning"), "");
}

}  // namespace
}  // namespace drover::commands
