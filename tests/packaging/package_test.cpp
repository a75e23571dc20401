// Drover as a distribution installs it: every file in its place, and a Debian package that can be
// installed, run and removed.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

bool available(const std::string& program) {
  return run_shell(fmt::format("command -v {} >/dev/null", program)).exit_code == 0;
}

/// A system of this test's own.
class Package : public ::testing::Test {
 protected:
  /// The whole output if the command fails.
  void runs(const std::string& command) const {
    const ProcessResult ran = run_shell(command);
    EXPECT_EQ(ran.exit_code, 0) << command << "\n" << ran.out << ran.err;
  }
  std::string root() const { return folder_.file("root"); }
  bool has(const std::string& path) const { return fs::exists(root() + path); }

  /// Builds the package; its path.
  std::string build() const {
    runs(fmt::format("cd {} && {} -G DEB --config {}/CPackConfig.cmake -B out", folder_.path(),
                     DROVER_CPACK, DROVER_BUILD_DIR));
    const ProcessResult found = run_shell(fmt::format("ls {}/out/*.deb", folder_.path()));
    return found.out.substr(0, found.out.find('\n'));
  }

  const TestFolder folder_;
};

TEST_F(Package, InstallsEachFileWhereADistributionHasIt) {
  runs(fmt::format("DESTDIR={} {} --install {} --prefix /usr", root(), DROVER_CMAKE,
                   DROVER_BUILD_DIR));
  for (const char* path :
       {"/usr/bin/drover", "/usr/share/man/man1/drover.1.gz", "/usr/share/man/man1/drover-top.1.gz",
        "/usr/share/bash-completion/completions/drover", "/usr/share/zsh/site-functions/_drover",
        "/usr/share/fish/vendor_completions.d/drover.fish", "/usr/share/doc/drover/README.md",
        "/usr/share/doc/drover/docs/commands.md"}) {
    EXPECT_TRUE(has(path)) << path;
  }
  // The program needs no file of the build.
  const ProcessResult version = run_shell(root() + "/usr/bin/drover --version");
  EXPECT_EQ(version.exit_code, 0) << version.err;
  runs(fmt::format("! readelf -d {}/usr/bin/drover | grep -i 'r.*path'", root()));
  runs(fmt::format("find {}/usr -path '*/drover/nvml/libnvidia-ml.so.1' | grep -q .", root()));
  if (available("man")) {
    runs(fmt::format("man -l {}/usr/share/man/man1/drover-top.1.gz | grep -q dashboard", root()));
  }
}

TEST_F(Package, ForDebianCanBeInstalledRunAndRemoved) {
  if (!available("dpkg-shlibdeps") || !available("dpkg")) GTEST_SKIP() << "needs dpkg-dev";
  const std::string package = build();
  ASSERT_TRUE(package.ends_with(".deb")) << package;
  const ProcessResult needs = run_shell(fmt::format("dpkg-deb -f {} Depends", package));
  for (const char* library : {"libc6", "libzmq5", "libsqlite3-0", "libncursesw6", "libtinfo6"}) {
    EXPECT_NE(needs.out.find(library), std::string::npos) << library << " in " << needs.out;
  }
  // What is not uploaded to Debian closes none of its bugs.
  if (available("lintian")) {
    runs(
        fmt::format("lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "
                    "{}",
                    package));
  }
  // An empty system: its libraries are those of this machine, so dependencies are not checked.
  runs(
      fmt::format("mkdir -p {0}/var/lib/dpkg/info {0}/var/lib/dpkg/updates && "
                  "touch {0}/var/lib/dpkg/status",
                  root()));
  const std::string dpkg = fmt::format(
      "PATH=$PATH:/usr/sbin:/sbin {} dpkg --root={} --force-not-root --force-depends --log={}",
      getuid() == 0 || !available("fakeroot") ? "" : "fakeroot", root(), folder_.file("log"));
  runs(fmt::format("{} -i {}", dpkg, package));
  EXPECT_EQ(run_shell(root() + "/usr/bin/drover --version").out, run_drover({"--version"}).out);
  EXPECT_TRUE(has("/usr/share/doc/drover/copyright"));
  runs(fmt::format("{} --purge drover", dpkg));
  EXPECT_FALSE(has("/usr/bin/drover"));
  EXPECT_FALSE(has("/usr/share/doc/drover"));
}

}  // namespace
}  // namespace drover::commands
