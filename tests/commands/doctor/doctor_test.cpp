// drover doctor as a user runs it, and what its support bundle holds.
#include <gtest/gtest.h>

#include <unistd.h>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "router/lint/policy_file.h"
#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

std::string own_name() {
  std::string name(256, '\0');
  EXPECT_EQ(gethostname(name.data(), name.size()), 0);
  return name.c_str();
}

/// The finding of one check of `drover doctor --json`.
Json finding_of(const ProcessResult& ran, const std::string& check) {
  const Json checks = only_object(ran.out)["checks"];
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i]["name"].text() == check) return checks[i];
  }
  ADD_FAILURE() << check << " is not in " << ran.out << ran.err;
  return {};
}

TEST(Doctor, EndsWithAnErrorForAProblemAndNamesItsFix) {
  const TestFolder home;
  ASSERT_EQ(run_shell(fmt::format("mkdir -p {0}/drover && echo 'theme = \"drak\"' "
                                  ">{0}/drover/top.toml",
                                  home.path()))
                .exit_code,
            0);
  const std::string command = fmt::format(
      "XDG_CONFIG_HOME={} drover doctor --connect {} --skip drivers", home.path(), free_endpoint());
  const ProcessResult wrong = run_shell(command + " --json");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(finding_of(wrong, "settings")["verdict"].text(), "problem");
  EXPECT_NE(finding_of(wrong, "settings")["found"].text().find("top.toml:1: theme"),
            std::string::npos);
  EXPECT_EQ(finding_of(wrong, "ports")["verdict"].text(), "ok");
  EXPECT_EQ(finding_of(wrong, "router")["verdict"].text(), "note");
  // The same without the mistake: notes do not fail.
  const ProcessResult right = run_shell(command + ",settings");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("fix          drover router"), std::string::npos) << right.out;
}

TEST(Doctor, SaysHowToReachARouterWithoutKeys) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const TestFolder folder;
  const std::string keys = folder.file("keys");
  ASSERT_EQ(run_drover({"keys", "new", "router", "--dir", keys}).exit_code, 0);
  ASSERT_EQ(run_drover({"keys", "new", "ann", "--role", "view", "--dir", keys}).exit_code, 0);
  const ProcessResult ran = run_drover({"doctor", "--json", "--only", "router", "--connect",
                                        fleet.endpoint(), "--keys", keys, "--key", "ann"});
  EXPECT_EQ(ran.exit_code, 1);
  const std::string fix = finding_of(ran, "router")["fix"].text();
  // Either end may notice first that only one of them has keys.
  EXPECT_TRUE(fix.find("env -u DROVER_KEYS") != std::string::npos ||
              fix.find("router.pub") != std::string::npos)
      << ran.out;
}

TEST(Doctor, RefusesAnUnknownCheckAndAnExistingBundle) {
  const TestFolder folder;
  const ProcessResult unknown = run_drover({"doctor", "--only", "dsik"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean disk?"), std::string::npos) << unknown.err;
  const std::string there = folder.write("there", "mine");
  const ProcessResult existing = run_drover(
      {"doctor", "--only", "locale", "--bundle", there, "--connect", "tcp://127.0.0.1:1"});
  EXPECT_EQ(existing.exit_code, 1);
  EXPECT_EQ(folder.read("there"), "mine");
}

TEST(Doctor, SeesARouterAndPacksABundleWithoutNamesAndAddresses) {
  const TestFolder home;
  // A limit of a tenant that has no job.
  const std::string policy =
      home.write("policy.toml", std::string(router::builtin_policy_text()) +
                                    "\n[limits.per_tenant.acmebank]\nshare = 2\n");
  SmallFleet fleet({"--policy", policy});
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  home.write("top.toml", "filter = 'host == \"h-1\"'\n# ask ann.lee@corp.example or 10.1.2.3\n");
  // An action by somebody, and a job of a tenant with a name.
  const ProcessResult injected =
      run_shell(fmt::format("mkdir -p {0}/.config/drover && mv {0}/top.toml {0}/.config/drover && "
                            "drover submit --connect {1} --model llama-3.1-8b --tenant borealis && "
                            "drover inject h-1/1 ecc --connect {1}",
                            home.path(), fleet.endpoint()));
  ASSERT_EQ(injected.exit_code, 0) << injected.err;
  const ProcessResult ran = run_shell(fmt::format(
      "cd {0} && env -u XDG_CONFIG_HOME HOME={0} USER=ann.lee drover doctor --json --skip "
      "drivers,disk --connect {1} --bundle b.tar.gz; tar xzf b.tar.gz && cat drover-support/*",
      home.path(), fleet.endpoint()));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::size_t first_line = ran.out.find('\n');
  const ProcessResult report{0, ran.out.substr(0, first_line + 1), ran.err};
  EXPECT_EQ(finding_of(report, "router")["verdict"].text(), "ok") << report.out;
  EXPECT_NE(finding_of(report, "ports")["found"].text().find("used by a router"),
            std::string::npos);
  EXPECT_EQ(mode_of(home.file("b.tar.gz")), 0600u);

  const std::string bundle = ran.out.substr(first_line + 1);
  for (const char* kept :
       {"\"accepted\":1", "host-1", "[[rule]]", "filter = 'host == ", "drover 0.", "ecc"}) {
    EXPECT_NE(bundle.find(kept), std::string::npos) << kept << " in " << bundle;
  }
  for (const std::string& gone :
       {std::string("h-1/"), std::string("\"h-1\""), own_name(), std::string("ann.lee"),
        std::string("corp.example"), std::string("10.1.2.3"), std::string("borealis"),
        std::string("acmebank"), home.path()}) {
    EXPECT_EQ(bundle.find(gone), std::string::npos) << gone << " in " << bundle;
  }
}

}  // namespace
}  // namespace drover::commands
