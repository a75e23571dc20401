#include "router/ledger/store.h"
#include "tests/router/ledger/stored_rows.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace drover::router {
namespace {

namespace files = std::filesystem;

class LedgerFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (files::temp_directory_path() / "drover-ledger-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = (folder / "ledger.sqlite").string();
  }
  void TearDown() override { files::remove_all(folder); }

  std::unique_ptr<LedgerStore> open() {
    auto store = LedgerStore::open(path);
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  std::string refusal() {
    const auto store = LedgerStore::open(path);
    return store ? "" : store.error().message;
  }
  static Write write(std::uint64_t sequence, std::uint64_t job) {
    // A payload with every byte, zero too.
    std::string payload;
    for (int byte = 0; byte < 256; ++byte) payload += static_cast<char>(byte);
    return {sequence,
            {Transition::leased, Instant{} + Duration(-5), {~job, job}, 7, std::move(payload)}};
  }

  files::path folder;
  std::string path;
};

TEST_F(LedgerFile, GivesBackEveryRowAsItWasWritten) {
  std::vector<LedgerRow> expected;
  {
    auto store = open();
    for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) {
      expected.push_back(write(sequence, sequence).row);
      store->append({write(sequence, sequence)});
    }
    store->append({{101, {Transition::running, {}, {1, 2}, 1, ""}}});
    expected.push_back({Transition::running, {}, {1, 2}, 1, ""});
    ASSERT_TRUE(store->flush());
    EXPECT_EQ(store->committed(), 101u);
  }
  EXPECT_EQ(*stored_rows(*open()), expected);
}

TEST_F(LedgerFile, EachRunAppendsAfterTheLast) {
  for (std::uint64_t life = 1; life <= 3; ++life) {
    auto store = open();
    EXPECT_EQ(stored_rows(*store)->size(), (life - 1) * 2);
    store->append({write(1, life), write(2, life)});
    ASSERT_TRUE(store->flush());
  }
  const auto rows = stored_rows(*open());
  ASSERT_EQ(rows->size(), 6u);
  EXPECT_EQ((*rows)[4].job.low, 3u);
}

TEST_F(LedgerFile, WritesAppendedRowsBeforeItCloses) {
  { open()->append({write(1, 1)}); }
  EXPECT_EQ(stored_rows(*open())->size(), 1u);
}

TEST_F(LedgerFile, ReportsWhenItHasCommitted) {
  auto store = open();
  store->append({write(1, 1)});
  pollfd event{store->ready_descriptor(), POLLIN, 0};
  ASSERT_EQ(::poll(&event, 1, 30'000), 1);
  EXPECT_EQ(store->committed(), 1u);
  EXPECT_EQ(::poll(&event, 1, 0), 0) << "asking empties the event";
}

TEST_F(LedgerFile, RefusesASecondRouter) {
  const auto store = open();
  const std::string refused = refusal();
  EXPECT_NE(refused.find("another router uses it"), std::string::npos) << refused;
  EXPECT_NE(refused.find(path), std::string::npos) << refused;
}

TEST_F(LedgerFile, RefusesASecondRouterThroughAnyPath) {
  const files::path file = path;
  const files::path other = folder / "other";
  files::create_directory(other);
  files::create_symlink(file, folder / "link.sqlite");
  files::create_symlink("../link.sqlite", other / "link-to-link.sqlite");
  files::create_directory_symlink(folder, other / "folder");
  // The first comes by a link to a file that is still to be made.
  path = (folder / "link.sqlite").string();
  const auto store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->path(), file.string());
  EXPECT_FALSE(files::exists(folder / "link.sqlite.lock"));
  for (const files::path& way : {file, folder / "link.sqlite", other / "link-to-link.sqlite",
                                 other / "folder" / "ledger.sqlite", folder / "." / "ledger.sqlite",
                                 other / ".." / "ledger.sqlite"}) {
    path = way.string();
    EXPECT_NE(refusal().find("another router uses it"), std::string::npos) << way;
  }
}

TEST_F(LedgerFile, RefusesAFileWithTwoHardLinks) {
  { open()->append({write(1, 1)}); }
  const files::path second = folder / "second.sqlite";
  files::create_hard_link(path, second);
  EXPECT_NE(refusal().find("2 names (hard links), expected one"), std::string::npos) << refusal();
  files::remove(second);
  EXPECT_EQ(stored_rows(*open())->size(), 1u);
}

TEST_F(LedgerFile, RefusesALoopOfSymbolicLinks) {
  files::create_symlink(folder / "b", folder / "a");
  files::create_symlink(folder / "a", folder / "b");
  path = (folder / "a").string();
  EXPECT_NE(refusal().find("loop"), std::string::npos) << refusal();
}

TEST_F(LedgerFile, NamesTheFolderThatIsMissing) {
  const std::string missing = (folder / "no" / "such").string();
  path = missing + "/ledger.sqlite";
  EXPECT_EQ(refusal(), "ledger " + path + ": there is no folder " + missing);
  std::ofstream(folder / "file") << "x";
  path = (folder / "file" / "ledger.sqlite").string();
  EXPECT_NE(refusal().find("not a folder"), std::string::npos) << refusal();
}

TEST_F(LedgerFile, IgnoresALockLeftByADeadRouter) {
  std::ofstream(path + ".lock") << "left over";
  EXPECT_NE(open(), nullptr);
}

TEST_F(LedgerFile, ATruncatedLogLosesOnlyIncompleteRows) {
  const files::path copy = folder / "copy.sqlite";
  {
    auto store = open();
    for (std::uint64_t sequence = 1; sequence <= 20; ++sequence) {
      store->append({write(sequence, sequence)});
      ASSERT_TRUE(store->flush());
    }
    // As after a power cut: file and log as they stand, the log's end torn off.
    files::copy_file(path, copy);
    files::copy_file(path + "-wal", copy.string() + "-wal");
  }
  const files::path log = copy.string() + "-wal";
  const auto whole = files::file_size(log);
  files::resize_file(log, whole - 100);
  path = copy.string();
  const auto rows = stored_rows(*open());
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 19u);
  EXPECT_EQ(rows->back().job.low, 19u);
}

TEST_F(LedgerFile, RefusesAFileThatIsNotALedger) {
  std::ofstream(path) << "This is a text that is long enough to be looked at: not SQLite.";
  EXPECT_EQ(refusal(), "ledger " + path + ": not an SQLite file, expected a ledger or no file");
  EXPECT_FALSE(files::exists(path + ".lock")) << "nothing is left beside a file that is not ours";
}

TEST_F(LedgerFile, RefusesAnotherSchemaVersion) {
  { open()->append({write(1, 1)}); }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(63);  // the last byte of SQLite's user_version
  file.put(2);
  file.close();
  EXPECT_EQ(refusal(), "ledger " + path + ": schema version 2, expected 3; give a new file");
}

TEST_F(LedgerFile, RefusesAFolder) {
  files::create_directory(path);
  EXPECT_EQ(refusal(), "ledger " + path + ": a folder, expected a file");
  EXPECT_FALSE(files::exists(path + ".lock"));
}

TEST_F(LedgerFile, RefusesADamagedFile) {
  {
    auto store = open();
    for (std::uint64_t sequence = 1; sequence <= 200; ++sequence) {
      store->append({write(sequence, sequence)});
    }
    ASSERT_TRUE(store->flush());
  }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (std::streamoff page = 1; page < 8; ++page) {
    file.seekp(page * 4096);
    file << "damage damage damage damage damage";
  }
  file.close();
  EXPECT_NE(refusal(), "") << "fewer jobs must not pass unseen";
}

/// Every file of the ledger, as it stands while its router lives: as a crash leaves it.
std::map<std::string, std::string> bytes_of(const files::path& folder, const std::string& name) {
  std::map<std::string, std::string> all;
  for (const char* end : {"", "-wal"}) {
    std::ifstream file(folder / (name + end), std::ios::binary);
    all[end] = std::string((std::istreambuf_iterator<char>(file)), {});
  }
  return all;
}

TEST_F(LedgerFile, AFlippedBitNeverChangesRowsUndetected) {
  std::vector<LedgerRow> written;
  {
    auto store = open();
    for (std::uint64_t sequence = 1; sequence <= 30; ++sequence) {
      written.push_back(write(sequence, sequence).row);
      store->append({write(sequence, sequence)});
    }
  }
  const std::string whole = bytes_of(folder, "ledger.sqlite").at("");
  ASSERT_GT(whole.size(), 8'192u);
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += 61) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    std::ofstream(path, std::ios::binary) << flipped;
    const auto store = LedgerStore::open(path);
    const auto rows = store ? stored_rows(**store) : Result<std::vector<LedgerRow>>(store.error());
    if (rows) {
      EXPECT_EQ(*rows, written) << "byte " << at;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST_F(LedgerFile, AFlippedBitInTheLogLosesNoMoreThanItsEnd) {
  std::vector<LedgerRow> written;
  std::map<std::string, std::string> whole;
  {
    auto store = open();
    for (std::uint64_t sequence = 1; sequence <= 30; ++sequence) {
      written.push_back(write(sequence, sequence).row);
      store->append({write(sequence, sequence)});
      ASSERT_TRUE(store->flush());
    }
    whole = bytes_of(folder, "ledger.sqlite");
  }
  int refused = 0;
  for (std::size_t at = 0; at < whole["-wal"].size(); at += 1'009) {
    std::string flipped = whole["-wal"];
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    std::ofstream(path, std::ios::binary) << whole[""];
    std::ofstream(path + "-wal", std::ios::binary) << flipped;
    files::remove(path + "-shm");
    const auto store = LedgerStore::open(path);
    if (!store) {
      ++refused;
      continue;
    }
    const auto rows = stored_rows(**store);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_GE(rows->size(), written.size() - 2) << "byte " << at;
    EXPECT_TRUE(std::equal(rows->begin(), rows->end(), written.begin())) << "byte " << at;
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace drover::router
