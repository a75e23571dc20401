// Encrypted connections: the launcher makes the agents' keys and carries them.
#include "tests/commands/launch/fixture.h"

namespace drover::launch {
namespace {

namespace fs = std::filesystem;
using commands::DroverProcess;
using commands::ProcessResult;

class LaunchWithKeys : public LaunchFixture {
 protected:
  std::string keyed() const {
    return folder.write("keyed.toml",
                        "[router]\nconnect = \"" + endpoint +
                            "\"\nkeys = \"keys\"\n[defaults]\nvia = \"local\"\nroot = \"" + root +
                            "\"\ndevices = \"l4:1\"\n[[hosts]]\nhosts = \"a[1-2]\"\n");
  }
  static fs::perms mode(const fs::path& path) { return fs::status(path).permissions(); }
};

TEST_F(LaunchWithKeys, EachHostGetsItsOwnKeyAndTheRoutersPublicOne) {
  const std::string keys = folder.file("keys");
  ASSERT_EQ(commands::run_drover({"keys", "new", "router", "--dir", keys}).exit_code, 0);
  router = std::make_unique<DroverProcess>(std::vector<std::string>{
      "router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite"), "--keys", keys});
  ASSERT_TRUE(router->says("router ready")) << router->err();
  const ProcessResult up = launch({"up", keyed(), "--json"});
  ASSERT_EQ(up.exit_code, 0) << up.out << up.err;
  EXPECT_EQ((up.out + up.err).find(file_text(keys + "/a1.key")), std::string::npos);
  for (const char* name : {"a1", "a2"}) {
    EXPECT_EQ(host_in(up, name)["router"].text(), "joined") << up.out;
    const fs::path carried = root + "/agents/" + name + "/keys";
    const fs::path there = carried / (name + std::string(".key"));
    EXPECT_EQ(file_text(there), file_text(keys + "/" + name + ".key"));
    EXPECT_NE(file_text(there), "");
    EXPECT_EQ(mode(there), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(mode(carried), fs::perms::owner_all);
    EXPECT_EQ(file_text(carried / "router.pub"), file_text(keys + "/router.pub"));
    EXPECT_FALSE(fs::exists(carried / "router.key"));
  }
  const ProcessResult status = launch({"status", keyed(), "--json"});
  EXPECT_EQ(host_in(status, "a1")["settings_differ"], Json(false)) << status.out;
  EXPECT_EQ(host_in(launch({"up", keyed(), "--json"}), "a1")["state"].text(), "already");
  EXPECT_EQ(launch({"down", keyed(), "--purge"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(root));
}

TEST_F(LaunchWithKeys, TheOperatorsKeyFolderBesideTheAgentsStaysUnchanged) {
  // As with keys = "~/.drover/keys" and hosts on this machine.
  const std::string keys = root + "/keys";
  ASSERT_EQ(commands::run_drover({"keys", "new", "router", "--dir", keys}).exit_code, 0);
  start_router();
  std::string text = file_text(keyed());
  text.replace(text.find("\"keys\""), 6, "\"" + keys + "\"");
  const std::string file = folder.write("own.toml", text);
  ASSERT_EQ(launch({"up", file}).exit_code, 0);
  EXPECT_EQ(launch({"down", file, "--purge"}).exit_code, 0);
  for (const char* name : {"router.key", "router.pub", "a1.key", "a1.pub", "a2.key"}) {
    EXPECT_TRUE(fs::exists(keys + "/" + name)) << name;
  }
  EXPECT_FALSE(fs::exists(root + "/agents"));
  EXPECT_FALSE(fs::exists(root + "/versions"));
}

TEST_F(LaunchWithKeys, ARevokedKeyIsNotAllowedAgainByUp) {
  const std::string keys = folder.file("keys");
  const auto tool = [&](const char* action, const char* name) {
    return commands::run_drover({"keys", action, name, "--dir", keys}).exit_code;
  };
  ASSERT_EQ(tool("new", "router"), 0);
  start_router();
  ASSERT_EQ(launch({"up", keyed()}).exit_code, 0);
  ASSERT_EQ(tool("revoke", "a1"), 0);
  const ProcessResult up = launch({"up", keyed()});
  EXPECT_EQ(up.exit_code, 1);
  EXPECT_NE(up.err.find("drover keys allow a1"), std::string::npos) << up.err;
  EXPECT_FALSE(fs::exists(keys + "/authorized/a1.pub"));
  EXPECT_EQ(launch({"up", keyed(), "a2"}).exit_code, 0);
  ASSERT_EQ(tool("allow", "a1"), 0);
  EXPECT_EQ(host_in(launch({"up", keyed(), "--json"}), "a1")["state"].text(), "already");
}

TEST_F(LaunchWithKeys, AMissingRouterKeyIsAnErrorBeforeAnyHostIsContacted) {
  const ProcessResult up = launch({"up", keyed()});
  EXPECT_EQ(up.exit_code, 1);
  EXPECT_NE(up.err.find("drover keys new router"), std::string::npos) << up.err;
  EXPECT_FALSE(fs::exists(root));
}

}  // namespace
}  // namespace drover::launch
