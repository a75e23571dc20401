// One agent of a name on one machine, and nobody else who could keep it from starting.
#include "commands/agent/host_name_lock.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* router = "tcp://127.0.0.1:7700";

bool taken(HostNameLock& claim) {
  const auto answer = claim.take();
  EXPECT_TRUE(answer) << answer.error().message;
  return answer && *answer;
}

std::string refusal(const std::string& folder) {
  HostNameLock claim("h-1", router, {folder});
  const auto answer = claim.take();
  return answer ? std::string() : answer.error().message;
}

TEST(HostNameLock, OneAgentPerNameAndRouterHoldsItUntilItExits) {
  const TestFolder folder;
  const std::vector<std::string> there = {folder.file("claims")};
  auto first = std::make_unique<HostNameLock>("h-1", router, there);
  HostNameLock second("h-1", "tcp://localhost:7700", there);
  HostNameLock other_name("h-2", router, there);
  HostNameLock other_router("h-1", "tcp://127.0.0.1:7710", there);
  EXPECT_TRUE(taken(*first));
  EXPECT_TRUE(taken(*first)) << "asked again";
  EXPECT_FALSE(taken(second));
  EXPECT_TRUE(taken(other_name));
  EXPECT_TRUE(taken(other_router));
  first.reset();
  EXPECT_TRUE(taken(second));
  EXPECT_EQ(fs::status(there[0]).permissions(), fs::perms::owner_all);
}

TEST(HostNameLock, IsReleasedHoweverItsProcessEnds) {
  const TestFolder folder;
  const std::vector<std::string> there = {folder.file("claims")};
  const pid_t child = fork();
  if (child == 0) {
    HostNameLock claim("h-1", router, there);
    const auto answer = claim.take();
    folder.write(answer && *answer ? "held" : "not held", "");
    for (;;) pause();
  }
  EXPECT_TRUE(eventually([&] { return fs::exists(folder.file("held")); }));
  HostNameLock claim("h-1", router, there);
  EXPECT_FALSE(taken(claim));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(taken(claim));
}

TEST(HostNameLock, AFolderThatOthersCanWriteIsRefusedWithAFix) {
  const TestFolder folder;
  const std::string place = folder.file("claims");
  for (const mode_t mode : {0777, 0770, 0702}) {
    mkdir(place.c_str(), 0700);
    chmod(place.c_str(), mode);
    const std::string why = refusal(place);
    EXPECT_NE(why.find(fmt::format("others may write there (mode {:04o})", mode)),
              std::string::npos)
        << why;
    const auto mend = why.find("chmod 700 ");
    ASSERT_NE(mend, std::string::npos) << why;
    ASSERT_EQ(run_shell(why.substr(mend)).exit_code, 0);
    EXPECT_EQ(refusal(place), "");
  }
}

TEST(HostNameLock, APathThatIsNotAFolderIsRefusedAndNotFollowed) {
  const TestFolder folder;
  const std::string own = folder.file("own");
  ASSERT_EQ(mkdir(own.c_str(), 0700), 0);
  const std::string link = folder.file("link");
  fs::create_directory_symlink(own, link);
  EXPECT_EQ(refusal(link), link + ": is a symbolic link, expected a folder; remove it");
  const std::string astray = folder.file("astray");
  fs::create_symlink(folder.file("nowhere"), astray);
  EXPECT_EQ(refusal(astray), astray + ": is a symbolic link, expected a folder; remove it");
  const std::string file = folder.write("file", "");
  EXPECT_EQ(refusal(file), file + ": is a file, expected a folder; remove it");
  EXPECT_TRUE(fs::is_empty(own));
  EXPECT_FALSE(fs::exists(folder.file("nowhere")));
}

TEST(HostNameLock, FoldersOfAnotherUserAreNotUsedAndBlockNoAgent) {
  const TestFolder folder;
  const std::string place = folder.file("claims");
  const std::string own = folder.file("own");
  const std::string link = folder.file("link");
  ASSERT_EQ(mkdir(place.c_str(), 0777), 0);
  ASSERT_EQ(mkdir(own.c_str(), 0700), 0);
  fs::create_directory_symlink(own, link);
  for (const std::string& theirs : {place, link}) {
    if (lchown(theirs.c_str(), 65533, 65533) != 0) GTEST_SKIP() << "only root can give it away";
    HostNameLock claim("h-1", router, {theirs});
    EXPECT_TRUE(taken(claim));
    ASSERT_EQ(claim.passed_over().size(), 1U);
    const std::string& why = claim.passed_over()[0];
    EXPECT_NE(why.find(theirs + ": belongs to user 65533, expected this user"), std::string::npos)
        << why;
    EXPECT_NE(why.find("XDG_RUNTIME_DIR"), std::string::npos) << why;
  }
  EXPECT_TRUE(fs::is_empty(place));
  EXPECT_TRUE(fs::is_empty(own));
}

TEST(HostNameLock, OneSafeFolderIsEnoughAndTheOtherIsReported) {
  const TestFolder folder;
  const std::string link = folder.file("link");
  fs::create_symlink(folder.file("nowhere"), link);
  HostNameLock claim("h-1", router, {link, folder.file("safe")});
  HostNameLock other("h-1", router, {folder.file("safe")});
  EXPECT_TRUE(taken(claim));
  ASSERT_EQ(claim.passed_over().size(), 1U);
  EXPECT_NE(claim.passed_over()[0].find("is a symbolic link"), std::string::npos);
  EXPECT_FALSE(taken(other));
}

TEST(HostNameLock, ProcessesWithDifferentFoldersConflictInASharedOne) {
  const TestFolder folder;
  HostNameLock first("h-1", router, {folder.file("runtime"), folder.file("shared")});
  HostNameLock second("h-1", router, {folder.file("shared")});
  HostNameLock third("h-1", router, {folder.file("another"), folder.file("shared")});
  EXPECT_TRUE(taken(second));
  EXPECT_FALSE(taken(first));
  EXPECT_FALSE(taken(third));
  HostNameLock fourth("h-1", router, {folder.file("runtime")});
  EXPECT_TRUE(taken(fourth)) << "one that was not taken whole holds no part";
}

TEST(HostNameLock, AnAgentRunsWithoutALockFolderAndReportsIt) {
  const TestFolder folder;
  HostNameLock claim("h-1", router, {folder.file("no/such/folder")});
  EXPECT_TRUE(taken(claim));
  ASSERT_EQ(claim.passed_over().size(), 1U);
  EXPECT_EQ(claim.passed_over()[0], folder.file("no/such/folder") + ": No such file or directory");
}

TEST(HostNameLock, ARuntimeFolderIsUsedOnlyIfPrivateToThisUser) {
  const TestFolder folder;
  const std::string runtime = folder.file("runtime");
  const std::string always = fmt::format("/tmp/drover-claims-{}", geteuid());
  ASSERT_EQ(mkdir(runtime.c_str(), 0700), 0);
  setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  EXPECT_EQ(host_lock_folders(), (std::vector<std::string>{runtime + "/drover", always}));
  chmod(runtime.c_str(), 0755);
  EXPECT_EQ(host_lock_folders().back(), always);
  EXPECT_NE(host_lock_folders().front(), runtime + "/drover");
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(host_lock_folders().back(), always);
}

/// A name that any user of the machine can bind; agents took it for their claim once.
int bind_abstract(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  EXPECT_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size), 0);
  return descriptor;
}

TEST(HostNameLock, AnAbstractSocketOfAnotherProcessBlocksNoAgent) {
  const std::string endpoint = free_endpoint();
  const int bound =
      bind_abstract("drover/loopback:" + endpoint.substr(endpoint.rfind(':') + 1) + "/h-1");
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "l4:1"});
  EXPECT_TRUE(agent.says("cannot reach the router")) << agent.err();
  EXPECT_EQ(agent.err().find("another agent"), std::string::npos) << agent.err();
  close(bound);
}

TEST(HostNameLock, AnAgentDoesNotStartIfOthersCanWriteToAllLockFolders) {
  // Root, be it in a user namespace.
  const std::string place = "/tmp/drover-claims-0";
  const std::string mounted = fmt::format(
      "mount -t tmpfs tmpfs /tmp && {{ [ ! -d /run/user ] || mount -t tmpfs tmpfs /run/user; }} && "
      "mkdir -m 777 {0} && chmod 777 {0}",
      place);
  const char* own = geteuid() == 0 ? "-m" : "-rm";
  const ProcessResult trial = run_shell(fmt::format("unshare {} sh -c '{}'", own, mounted));
  if (trial.exit_code != 0) GTEST_SKIP() << "no file system can be mounted here: " << trial.err;
  // Opened before: the build folder may lie in /tmp.
  const ProcessResult ran = run_shell(
      fmt::format("unset XDG_RUNTIME_DIR; unshare {} sh -c 'exec 9<\"{}\" && {} && exec "
                  "/proc/self/fd/9 agent --devices l4:1 --exit-after-silence 1s --connect {}'",
                  own, DROVER_BINARY, mounted, free_endpoint()));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.err.find("drover agent: " + place + ": others may write there (mode 0777)"),
            std::string::npos)
      << ran.err;
}

}  // namespace
}  // namespace drover::commands
