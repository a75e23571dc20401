// Key folders, and an encrypted fleet of real processes.
#include "commands/connection/keys.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "commands/connection/allow_list.h"
#include "commands/connection/key_files.h"
#include "commands/connection/router_address.h"
#include "tests/commands/connection/key_folder.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

std::string said(const Status& status) { return status ? "" : status.error().message; }

TEST_F(KeyFolder, SecretsAndTheFolderAreAccessibleOnlyToTheOwner) {
  const auto made = make_key(folder, "h-1", KeyRole::agent);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->key.ids, std::vector<std::string>{"h-1"});
  EXPECT_EQ(mode_of(folder), 0700U);
  EXPECT_EQ(mode_of(in("h-1.key")), 0600U);
  EXPECT_NE(text_of(in("h-1.key")).find("secret = "), std::string::npos);
  EXPECT_EQ(text_of(in("h-1.pub")).find("secret"), std::string::npos);
}

TEST_F(KeyFolder, MakingAndAllowingTwiceChangesNothing) {
  const auto made = make_key(folder, "h-1", KeyRole::agent, {"h-1", "h-2"});
  ASSERT_TRUE(made);
  const std::string secret = text_of(in("h-1.key"));
  const auto again = make_key(folder, "h-1", KeyRole::agent, {"h-1", "h-2"});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->key, made->key);
  EXPECT_EQ(text_of(in("h-1.key")), secret);
  // A process that ended between the two files.
  fs::remove(in("h-1.pub"));
  ASSERT_TRUE(make_key(folder, "h-1", KeyRole::agent, {"h-1", "h-2"}));
  EXPECT_TRUE(fs::exists(in("h-1.pub")));
  EXPECT_FALSE(make_key(folder, "h-1", KeyRole::agent, {"h-3"}));
  EXPECT_FALSE(make_key(folder, "h-1", KeyRole::admin));
  EXPECT_EQ(text_of(in("h-1.key")), secret);

  EXPECT_EQ(said(allow_key(folder, "h-1")), "");
  const std::string state = *allow_list_state(folder);
  EXPECT_EQ(said(allow_key(folder, "h-1")), "");
  EXPECT_EQ(*allow_list_state(folder), state);
  ASSERT_EQ(read_allow_list(folder)->keys.size(), 1U);
  EXPECT_EQ(read_allow_list(folder)->keys[0], made->key);
  EXPECT_TRUE(*revoke_key(folder, "h-1"));
  EXPECT_FALSE(*revoke_key(folder, "h-1"));
  EXPECT_NE(*allow_list_state(folder), state);
  EXPECT_TRUE(read_allow_list(folder)->keys.empty());
}

TEST_F(KeyFolder, NamesThatEscapeTheFolderOrConfuseAreRefused) {
  for (const std::string name : {"../x", "a/b", "", ".", "..", ".x", "a b", "\x1b[1m", "router"}) {
    EXPECT_FALSE(make_key(folder, name, KeyRole::view)) << name;
  }
  EXPECT_FALSE(make_key(folder, "other", KeyRole::router));
  EXPECT_FALSE(make_key(folder, "eve", KeyRole::view, {"h-1"}));
  EXPECT_FALSE(allow_key(folder, "../x"));
  EXPECT_FALSE(revoke_key(folder, "../x"));
  EXPECT_FALSE(fs::exists(parent.file("a/x.key")));
}

TEST_F(KeyFolder, ASecretThatOthersCanReadIsRefusedWithAFix) {
  ASSERT_TRUE(make_key(folder, "router", KeyRole::router));
  ASSERT_TRUE(read_router_key(folder));
  for (const mode_t mode : {0640U, 0604U, 0620U, 0601U}) {
    ASSERT_EQ(chmod(in("router.key").c_str(), mode), 0);
    const auto refused = read_router_key(folder);
    ASSERT_FALSE(refused) << mode;
    EXPECT_NE(refused.error().message.find("chmod 600"), std::string::npos);
  }
  ASSERT_EQ(chmod(in("router.key").c_str(), 0400), 0);
  EXPECT_TRUE(read_router_key(folder));
  // Who may write to the allow-list can let himself in.
  ASSERT_EQ(chmod(folder.c_str(), 0770), 0);
  EXPECT_NE(read_allow_list(folder)->unsafe.find("chmod go-w"), std::string::npos);
  EXPECT_FALSE(make_key(folder, "eve", KeyRole::view));
}

/// h-1 and eve are allowed.
struct AllowedKeys : KeyFolder {
  void SetUp() override {
    ASSERT_TRUE(make_key(folder, "h-1", KeyRole::agent));
    ASSERT_TRUE(make_key(folder, "eve", KeyRole::view));
    for (const char* name : {"h-1", "eve"}) ASSERT_TRUE(allow_key(folder, name));
  }
};

TEST_F(AllowedKeys, IgnoreAFileThatOthersCanWrite) {
  const std::string state = *allow_list_state(folder);
  ASSERT_EQ(chmod(in("authorized/eve.pub").c_str(), 0666), 0);
  // Seen by a router that runs, too.
  EXPECT_NE(*allow_list_state(folder), state);
  const auto list = read_allow_list(folder);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->keys.size(), 1U);
  EXPECT_EQ(list->keys[0].name, "h-1");
  ASSERT_EQ(list->problems.size(), 1U);
  EXPECT_NE(list->problems[0].find("eve.pub: others may write"), std::string::npos);
}

TEST_F(AllowedKeys, TreatAFolderThatBecomesUnsafeAsAChange) {
  const std::string state = *allow_list_state(folder);
  ASSERT_EQ(chmod(in("authorized").c_str(), 0777), 0);
  EXPECT_NE(*allow_list_state(folder), state);
  EXPECT_TRUE(read_allow_list(folder)->keys.empty());
  EXPECT_NE(read_allow_list(folder)->unsafe, "");
}

TEST_F(AllowedKeys, IgnoreFilesOwnedByAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t bob = 54321;
  const std::string file = in("authorized/eve.pub");
  ASSERT_EQ(chown(file.c_str(), bob, bob), 0);
  auto list = read_allow_list(folder);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->keys.size(), 1U);
  ASSERT_EQ(list->problems.size(), 1U);
  EXPECT_NE(list->problems[0].find("belongs to user 54321"), std::string::npos);
  ASSERT_EQ(chown(file.c_str(), 0, 0), 0);
  for (const std::string& place : {folder, in("authorized")}) {
    ASSERT_EQ(chown(place.c_str(), bob, bob), 0);
    list = read_allow_list(folder);
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_TRUE(list->keys.empty()) << place;
    EXPECT_TRUE(list->unsafe.starts_with(place + ": belongs to user 54321")) << list->unsafe;
    ASSERT_EQ(chown(place.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(read_allow_list(folder)->keys.size(), 2U);
}

TEST_F(AllowedKeys, AreEmptyWithoutAFolderAndAnUnreadableFolderIsAnError) {
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit none { 3, before.rlim_max };
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto list = read_allow_list(folder);
  const auto state = allow_list_state(folder);
  const auto own = read_router_key(folder);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(list);
  EXPECT_FALSE(state);
  EXPECT_FALSE(own);
  fs::remove_all(in("authorized"));
  ASSERT_TRUE(read_allow_list(folder));
  EXPECT_TRUE(read_allow_list(folder)->keys.empty());
  fs::remove_all(folder);
  ASSERT_TRUE(read_allow_list(folder));
  EXPECT_TRUE(read_allow_list(folder)->keys.empty());
}

TEST_F(KeyFolder, MakingAKeyAgainKeepsARevokedOneRevoked) {
  const auto made = make_allowed_key(folder, "h-1");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(*is_allowed(folder, made->key));
  ASSERT_TRUE(make_allowed_key(folder, "h-1"));
  EXPECT_TRUE(*is_allowed(folder, made->key));
  ASSERT_TRUE(*revoke_key(folder, "h-1"));
  ASSERT_TRUE(make_allowed_key(folder, "h-1"));
  EXPECT_FALSE(*is_allowed(folder, made->key));
  // A process that ended before all was done is finished.
  fs::remove(in("h-1.pub"));
  const auto again = make_allowed_key(folder, "h-1");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->key, made->key);
  EXPECT_TRUE(*is_allowed(folder, made->key));
  // The name alone is not enough.
  PublicKey other = made->key;
  other.key = make_key(folder, "h-2", KeyRole::agent)->key.key;
  EXPECT_FALSE(*is_allowed(folder, other));
}

TEST_F(KeyFolder, AnUnreadableFolderIsAnErrorNotACrash) {
  ASSERT_TRUE(make_key(folder, "router", KeyRole::router));
  // A way that leads in a circle: neither there nor absent, for root too.
  fs::rename(parent.file("a"), parent.file("b"));
  fs::create_symlink("a", parent.file("a"));
  EXPECT_FALSE(read_router_key(folder));
  EXPECT_FALSE(read_credentials(folder, "", ""));
  EXPECT_FALSE(make_key(folder, "h-1", KeyRole::agent));
  EXPECT_FALSE(read_allow_list(folder));
  EXPECT_FALSE(list_keys(folder));
  const ProcessResult listed = run_drover({"keys", "list", "--dir", folder});
  EXPECT_EQ(listed.exit_code, 1);
  EXPECT_NE(listed.err.find(folder), std::string::npos) << listed.err;
  EXPECT_EQ(run_drover({"keys", "allow", "a/x.pub", "--dir", folder}).exit_code, 1);
}

TEST_F(KeyFolder, AMalformedFileAllowsNoKeyAndTheOthersCount) {
  ASSERT_TRUE(make_key(folder, "h-1", KeyRole::agent));
  ASSERT_TRUE(make_key(folder, "eve", KeyRole::view));
  for (const char* name : {"h-1", "eve"}) ASSERT_TRUE(allow_key(folder, name));
  const std::string place = in("authorized/");
  fs::copy(in("h-1.pub"), place + "copy.pub");
  fs::copy(place + "h-1.pub", place + "h-2.pub");
  std::ofstream(place + "empty.pub");
  std::ofstream(place + "big.pub") << std::string(1 << 20, '#');
  std::ofstream(place + "secret.pub") << text_of(in("eve.key"));
  ASSERT_EQ(mkfifo((place + "pipe.pub").c_str(), 0600), 0);
  fs::create_directory(place + "folder.pub");
  const auto list = read_allow_list(folder);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->keys.size(), 2U);
  EXPECT_EQ(list->problems.size(), 7U);
  for (const std::string& problem : list->problems) EXPECT_TRUE(problem.starts_with(place));
}

TEST_F(KeyFolder, ASecretOfAnotherKeyIsDetected) {
  ASSERT_TRUE(make_key(folder, "router", KeyRole::router));
  ASSERT_TRUE(make_key(parent.file("b"), "router", KeyRole::router));
  std::string mixed = text_of(in("router.key"));
  const std::string other = text_of(parent.file("b/router.key"));
  mixed = mixed.substr(0, mixed.find("secret = ")) + other.substr(other.find("secret = "));
  std::ofstream(in("router.key")) << mixed;
  const auto key = read_router_key(folder);
  ASSERT_FALSE(key);
  EXPECT_NE(key.error().message.find("does not match the secret key"), std::string::npos);
}

TEST_F(KeyFolder, ConnectionsUseTheNamedKeyOrTheOnlyOne) {
  ASSERT_TRUE(make_key(folder, "router", KeyRole::router));
  EXPECT_FALSE(read_credentials(folder, "", ""));
  ASSERT_TRUE(make_key(folder, "h-1", KeyRole::agent));
  EXPECT_EQ(read_credentials(folder, "", "")->own.known.name, "h-1");
  ASSERT_TRUE(make_key(folder, "eve", KeyRole::view));
  const auto several = read_credentials(folder, "", "nobody");
  ASSERT_FALSE(several);
  EXPECT_NE(several.error().message.find("--key"), std::string::npos);
  EXPECT_EQ(read_credentials(folder, "", "h-1")->own.known.name, "h-1");
  EXPECT_EQ(read_credentials(folder, "eve", "h-1")->own.known.name, "eve");
  EXPECT_FALSE(read_credentials(folder, "router", ""));
  EXPECT_FALSE(read_credentials(folder, "evee", ""));
  fs::remove(in("router.pub"));
  EXPECT_NE(read_credentials(folder, "eve", "").error().message.find("router.pub"),
            std::string::npos);
}

TEST(RouterAddress, AWildcardEndpointIsReachedAtTheDialedAddress) {
  const std::string control = "tcp://gpu-router:7700";
  EXPECT_EQ(reachable("tcp://0.0.0.0:7701", control), "tcp://gpu-router:7701");
  EXPECT_EQ(reachable("tcp://[::]:7701", control), "tcp://gpu-router:7701");
  EXPECT_EQ(reachable("tcp://10.0.0.9:7701", control), "tcp://10.0.0.9:7701");
}

TEST(Keys, AreRequiredByARouterBeyondLoopback) {
  const TestFolder folder;
  const ProcessResult refused = run_drover({"router", "--listen", "tcp://0.0.0.0:0"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--keys"), std::string::npos) << refused.err;
  const ProcessResult keyless =
      run_drover({"router", "--listen", "tcp://0.0.0.0:0", "--keys", folder.file("none")});
  EXPECT_EQ(keyless.exit_code, 1);
  EXPECT_NE(keyless.err.find("drover keys new router"), std::string::npos) << keyless.err;
}

TEST(Keys, ADashboardShowsIfARouterBeyondLoopbackHasNone) {
  const std::string endpoint = free_endpoint();
  const std::string everywhere = "tcp://0.0.0.0" + endpoint.substr(endpoint.rfind(':'));
  for (const bool beyond : {false, true}) {
    const TestFolder folder;
    std::vector<std::string> words = {"router", "--listen", beyond ? everywhere : endpoint,
                                      "--ledger", folder.file("l.sqlite")};
    if (beyond) words.emplace_back("--insecure");
    DroverProcess router(words);
    ASSERT_TRUE(router.says("router ready")) << router.err();
    const ProcessResult frame = run_drover({"frame", "--connect", endpoint, "--size", "160x40"});
    EXPECT_EQ(frame.exit_code, 0) << frame.err;
    EXPECT_EQ(frame.out.find("insecure") != std::string::npos, beyond) << frame.out;
    router.signal(SIGTERM);
    EXPECT_EQ(router.wait().exit_code, 0);
  }
}

TEST(Keys, AreCreatedListedAllowedAndRevokedByTheCommand) {
  const TestFolder parent;
  const std::string dir = parent.file("keys");
  const auto keys = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "keys");
    words.insert(words.end(), {"--dir", dir});
    return run_drover(words);
  };
  EXPECT_EQ(keys({"new", "router"}).exit_code, 0);
  EXPECT_EQ(keys({"new", "rack-1", "--role", "agent", "--ids", "n[1-2],spare"}).exit_code, 0);
  EXPECT_EQ(keys({"new", "eve"}).exit_code, 2);
  EXPECT_EQ(keys({"new", "eve", "--role", "boss"}).exit_code, 2);
  EXPECT_EQ(keys({"made"}).exit_code, 2);
  EXPECT_EQ(keys({"allow", dir + "/rack-1.pub"}).exit_code, 0);
  const auto listed = Json::parse(keys({"list", "--json"}).out);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0]["name"].text(), "rack-1");
  EXPECT_EQ((*listed)[0]["ids"].size(), 3U);
  EXPECT_EQ((*listed)[0]["allowed"], Json(true));
  EXPECT_EQ((*listed)[1]["allowed"], Json(false));
  const ProcessResult table = keys({"list"});
  EXPECT_NE(table.out.find((*listed)[0]["fingerprint"].text()), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("n[1-2],spare"), std::string::npos) << table.out;
  // The same words as in a fleet file.
  EXPECT_EQ(keys({"new", "gpus", "--role", "agent", "--ids", "gpu[1-2]-[0-1]"}).exit_code, 0);
  EXPECT_EQ(keys({"new", "all", "--role", "agent", "--ids", "n[1-4097]"}).exit_code, 2);
  EXPECT_EQ(keys({"new", "all", "--role", "agent", "--ids", "n[2-1]"}).exit_code, 2);
  EXPECT_NE(keys({"revoke", "rack-1"}).out.find("is revoked"), std::string::npos);
  EXPECT_NE(keys({"revoke", "rack-1"}).out.find("was not allowed"), std::string::npos);
}

}  // namespace
}  // namespace drover::commands
