// What a command that fails tells other programs: the kind of the error, and the exit code that
// follows from it (docs/commands.md).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "commands/shell/outcome.h"
#include "fleet/text/json.h"
#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

TEST(ErrorKinds, EachHasTheExitCodeThatThePageOfCommandsStates) {
  const std::string page = text_of(DROVER_SOURCE_DIR "/docs/commands.md");
  for (std::size_t i = 0; i < error_kinds.size(); ++i) {
    const ErrorKindRow& row = error_kinds[i];
    EXPECT_EQ(static_cast<std::size_t>(row.kind), i);
    EXPECT_EQ(CommandOutcome(error(row.kind, "why")).exit, row.exit);
    const std::string stated = fmt::format("| `{}` | {} |", row.name, static_cast<int>(row.exit));
    EXPECT_NE(page.find(stated), std::string::npos) << stated;
  }
}

/// Stdout is one object with the error of this kind; its message is also the line on stderr.
void expect_error(const ProcessResult& ran, ErrorKind kind) {
  const Json error = only_object(ran.out)["error"];
  ASSERT_TRUE(error.is_object()) << ran.out << ran.err;
  EXPECT_EQ(error["kind"].text(), row_of(kind).name) << ran.err;
  EXPECT_EQ(ran.exit_code, static_cast<int>(row_of(kind).exit)) << ran.err;
  EXPECT_NE(ran.err.find(error["message"].text()), std::string::npos) << ran.err;
}

TEST(ErrorKinds, ARouterThatAnswersRefusesOrFindsNothing) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  expect_error(fleet.ask({"why", "0123456789abcdef", "--json"}), ErrorKind::not_found);
  const ProcessResult twice = fleet.ask({"resume", "host:h-1", "--json"});
  expect_error(twice, ErrorKind::refused);
  EXPECT_EQ(only_object(twice.out)["applied"], Json(false)) << "the reply has the error";
  const ProcessResult drained = fleet.ask({"drain", "host:h-1", "--json"});
  EXPECT_EQ(drained.exit_code, 0) << drained.err;
  EXPECT_TRUE(only_object(drained.out)["error"].is_null()) << drained.out;
}

TEST(ErrorKinds, WithoutARouterOneIsLost) {
  expect_error(run_drover({"status", "--json", "--connect", free_endpoint()}), ErrorKind::lost);
}

TEST(ErrorKinds, AWrongOptionOrFileContentIsInvalid) {
  expect_error(run_drover({"status", "--josn", "--json"}), ErrorKind::invalid);
  expect_error(run_drover({"jobs", "--json", "--ended", "many"}), ErrorKind::invalid);
  const TestFolder folder;
  folder.write("spec.toml", "id = 7\n");
  expect_error(run_drover({"catalogue", "devices", "--json", "--catalogue", folder.file("")}),
               ErrorKind::invalid);
}

TEST(ErrorKinds, AFileThatCannotBeReadOrWrittenIsIo) {
  const TestFolder folder;
  const std::string text = folder.write("text", "no recording\n");
  expect_error(run_drover({"recording", "info", text, "--json"}), ErrorKind::io);
  expect_error(run_drover({"recording", "info", folder.file("absent"), "--json"}),
               ErrorKind::not_found);
  expect_error(run_drover({"validate", "--json", "--rows", "/dev/full"}), ErrorKind::io);
}

TEST(ErrorKinds, WithoutJsonOnlyStandardErrorHasTheError) {
  const ProcessResult ran = run_drover({"status", "--connect", free_endpoint()});
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.exit_code, 1);
}

}  // namespace
}  // namespace drover::commands
