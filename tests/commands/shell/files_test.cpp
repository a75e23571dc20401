#include "commands/shell/files.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <gtest/gtest.h>

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

/// A $TMPDIR of the test's own.
struct TemporaryFolders : testing::Test {
  std::string parent = (fs::temp_directory_path() / "drover_files_test_XXXXXX").string();

  void SetUp() override {
    ASSERT_NE(mkdtemp(parent.data()), nullptr);
    ASSERT_EQ(setenv("TMPDIR", parent.c_str(), 1), 0);
  }
  void TearDown() override {
    ASSERT_EQ(unsetenv("TMPDIR"), 0);
    fs::remove_all(parent);
  }
  /// As a process that was killed would have left it, so long ago.
  std::string orphan(const std::string& name, std::chrono::minutes ago) const {
    const fs::path path = fs::path(parent) / name;
    fs::create_directory(path);
    std::ofstream(path / "router.log") << "last words";
    fs::last_write_time(path, fs::file_time_type::clock::now() - ago);
    return path.string();
  }
};

TEST_F(TemporaryFolders, AreRemovedOnDestruction) {
  std::string path;
  {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder.ok());
    path = folder->path();
    EXPECT_TRUE(fs::is_directory(path));
    EXPECT_EQ(fs::status(path).permissions() & fs::perms::others_all, fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TemporaryFolders, OfKilledProcessesAreRemovedByTheNext) {
  const std::string dead = orphan("drover-abcdef", std::chrono::minutes(5));
  const std::string young = orphan("drover-fedcba", std::chrono::minutes(0));
  const std::string foreign = orphan("drover-my-notes", std::chrono::minutes(5));
  ASSERT_TRUE(TemporaryFolder::make().ok());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(young)) << "it may not have taken its lock yet";
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(TemporaryFolders, OfRunningProcessesAreLeftAlone) {
  auto living = TemporaryFolder::make();
  ASSERT_TRUE(living.ok());
  fs::last_write_time(living->path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(TemporaryFolder::make().ok());
  EXPECT_TRUE(fs::exists(living->path()));
}

TEST_F(TemporaryFolders, ThatAreKeptStayOnDisk) {
  std::string path;
  {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder.ok());
    folder->keep();
    path = folder->path();
  }
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(TemporaryFolder::make().ok());
  EXPECT_TRUE(fs::exists(path));
}

using ReplacedFile = TemporaryFolders;

TEST_F(ReplacedFile, HasTheNewTextAndIsPrivate) {
  const std::string path = parent + "/file";
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(replace_file(path, text, WrittenTo::disk).ok());
    EXPECT_EQ(*read_file(path), text);
  }
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ReplacedFile, TellsItsNameAndTheSystemsErrorAndLeavesNoDraft) {
  fs::create_directory(parent + "/folder");
  struct Case {
    const char* path;
    const char* error;
  };
  for (const Case& c :
       {Case{"/folder", "Is a directory"}, Case{"/none/file", "No such file or directory"}}) {
    const Status replaced = replace_file(parent + c.path, "text", WrittenTo::system);
    ASSERT_FALSE(replaced.ok()) << c.path;
    EXPECT_EQ(replaced.error().message, parent + c.path + ": " + c.error);
  }
  const auto entries = std::distance(fs::directory_iterator(parent), fs::directory_iterator());
  EXPECT_EQ(entries, 1) << "the folder";
}

}  // namespace
}  // namespace drover::commands
