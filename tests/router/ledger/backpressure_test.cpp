// The store on a disk that fails: what was told to be on disk is there, and nothing is told that is
// not.
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "router/ledger/store.h"
#include "router/ledger/store_tables.h"
#include "tests/router/ledger/faulty_disk.h"
#include "tests/router/ledger/stored_rows.h"

namespace drover::router {
namespace {

namespace files = std::filesystem;

class FailingDisk : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (files::temp_directory_path() / "drover-ledger-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { files::remove_all(folder); }

  std::string path(int number = 0) const {
    return (folder / ("ledger-" + std::to_string(number) + ".sqlite")).string();
  }
  static std::unique_ptr<LedgerStore> open(const std::string& path) {
    auto store = LedgerStore::open(path);
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  static Write write(std::uint64_t sequence) {
    return {sequence, {Transition::accepted, {}, {7, sequence}, 0, std::string(200, 'x')}};
  }
  /// How many rows stand there; they are the first ones, whole and in order.
  static std::uint64_t rows_from_the_beginning(const std::string& path) {
    const auto rows = stored_rows(*open(path));
    EXPECT_TRUE(rows) << rows.error().message;
    std::uint64_t count = 0;
    for (const LedgerRow& row : *rows) EXPECT_EQ(row, write(++count).row);
    return count;
  }
  static bool within_a_minute(const std::function<bool()>& holds) {
    for (int attempt = 0; attempt < 3'000; ++attempt) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return holds();
  }

  FaultyDisk disk;
  files::path folder;
};

TEST_F(FailingDisk, AfterAWriteErrorOnlyCommittedRowsAreAcknowledged) {
  constexpr std::uint64_t commits = 6;
  int failures = 0;
  for (int call = 1;; ++call) {
    SCOPED_TRACE(call);
    std::uint64_t told = 0;
    bool failed = false;
    {
      auto store = open(path(call));
      disk.fail_from(call);
      for (std::uint64_t sequence = 1; sequence <= commits; ++sequence) {
        store->append({write(sequence)});
        const Status flushed = store->flush();
        if (!flushed) {
          failed = true;
          EXPECT_NE(flushed.error().message.find(path(call)), std::string::npos);
          EXPECT_FALSE(store->failure());
          EXPECT_FALSE(store->full());
        }
        EXPECT_EQ(store->committed(), failed ? told : sequence);
        told = store->committed();
      }
      disk.fail_from(failed ? 1 : 0);  // as a process that stops: not even closing gets through
    }
    disk.fail_from(0);
    const std::uint64_t there = rows_from_the_beginning(path(call));
    EXPECT_GE(there, told);
    EXPECT_LE(there, told + 1) << "more than the commit that failed";
    failures += failed ? 1 : 0;
    if (!failed) break;
  }
  EXPECT_GT(failures, 10);
}

TEST_F(FailingDisk, AFullDiskIsRetriedUntilThereIsSpace) {
  auto store = open(path());
  store->append({write(1)});
  ASSERT_TRUE(store->flush());
  disk.fill(true);
  for (std::uint64_t sequence = 2; sequence <= 400; ++sequence) store->append({write(sequence)});
  ASSERT_TRUE(within_a_minute([&] { return store->full(); }));
  const std::uint64_t before = store->committed();
  EXPECT_LT(before, 400u);
  EXPECT_TRUE(store->failure());
  EXPECT_FALSE(store->flush()) << "waits for no room";
  EXPECT_EQ(store->committed(), before);
  disk.fill(false);
  pollfd event{store->ready_descriptor(), POLLIN, 0};
  ASSERT_EQ(::poll(&event, 1, 30'000), 1) << "tells that there is room again";
  ASSERT_TRUE(within_a_minute([&] { return store->committed() == 400; }));
  EXPECT_FALSE(store->full());
  EXPECT_TRUE(store->flush());
  store.reset();
  EXPECT_EQ(rows_from_the_beginning(path()), 400u);
}

TEST_F(FailingDisk, ADiskThatStaysFullLosesOnlyUnacknowledgedRows) {
  std::uint64_t told = 0;
  {
    auto store = open(path());
    store->append({write(1)});
    ASSERT_TRUE(store->flush());
    disk.fill(true);
    store->append({write(2), write(3)});
    ASSERT_TRUE(within_a_minute([&] { return store->full(); }));
    told = store->committed();
  }
  disk.fill(false);
  EXPECT_EQ(rows_from_the_beginning(path()), told);
}

TEST_F(FailingDisk, AFullDiskBlocksNoOneAndReportsLostRows) {
  auto store = open(path());
  disk.fill(true);
  for (std::uint64_t sequence = 1; sequence <= 1'100'000; sequence += 1'000) {
    std::vector<Write> writes;
    for (std::uint64_t one = 0; one < 1'000; ++one) {
      writes.push_back({sequence + one, {Transition::accepted, {}, {7, sequence + one}, 0, ""}});
    }
    store->append(std::move(writes));  // that it comes back is what is tested
  }
  ASSERT_TRUE(within_a_minute([&] { return store->full(); }));
  const Status flushed = store->flush();
  ASSERT_FALSE(flushed);
  EXPECT_NE(flushed.error().message.find("the disk is full, the last rows are lost"),
            std::string::npos)
      << flushed.error().message;
}

TEST_F(FailingDisk, AReaderInATransactionCannotGrowTheLogWithoutLimit) {
  constexpr WalLimits limits{128 << 10, 512 << 10};
  auto opened = LedgerStore::open(path(), nullptr, limits);
  ASSERT_TRUE(opened) << opened.error().message;
  LedgerStore& store = **opened;
  std::uint64_t sequence = 0;
  const auto append = [&] { store.append({write(++sequence)}); };
  append();
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(store.log(), WalState::short_enough);
  LedgerTables reader;
  ASSERT_TRUE(reader.open(path()));
  bool was_large = false;
  std::uint64_t held = 0;
  const Status read = reader.read([&](std::int64_t, const LedgerRow&) {
    while (store.log() != WalState::full && sequence < 10'000) {
      append();
      EXPECT_TRUE(store.flush());
      was_large = was_large || store.log() == WalState::large;
    }
    held = store.committed();
    for (int more = 0; more < 100; ++more) append();
    EXPECT_TRUE(within_a_minute([&] { return store.full(); })) << "as a full disk";
    EXPECT_TRUE(store.failure());
    const Status flushed = store.flush();
    EXPECT_FALSE(flushed);
    if (!flushed) {
      EXPECT_NE(flushed.error().message.find("another program holds a long read transaction"),
                std::string::npos);
    }
    return error("enough");  // the transaction ends
  });
  EXPECT_FALSE(read);
  EXPECT_TRUE(was_large);
  EXPECT_LT(files::file_size(path() + "-wal"), 1U << 20);
  EXPECT_GT(sequence, held);
  ASSERT_TRUE(within_a_minute([&] { return store.committed() == sequence; }))
      << "goes on by itself";
  EXPECT_FALSE(store.full());
  EXPECT_EQ(store.log(), WalState::short_enough);
}

// What happens there is the test above's, with less.
TEST(WalState, IsLargeAndFullAtTheDocumentedSizes) {
  constexpr WalLimits limits;
  constexpr std::int64_t mib = 1024 * 1024;
  EXPECT_EQ(limits.large_bytes, 64 * mib);
  EXPECT_EQ(limits.full_bytes, 512 * mib);
}

TEST_F(FailingDisk, APowerCutLosesNoAcknowledgedRows) {
  auto store = open(path());
  for (std::uint64_t sequence = 1; sequence <= 60; ++sequence) {
    store->append({write(sequence)});
    ASSERT_TRUE(store->flush());
    if (sequence % 7 != 0) continue;
    const int number = static_cast<int>(sequence);
    for (const auto& [file, bytes] : disk.after_power_cut()) {
      std::string copy = path(number) + file.substr(path().size());
      std::ofstream(copy, std::ios::binary) << bytes;
    }
    EXPECT_GE(rows_from_the_beginning(path(number)), sequence);
  }
}

}  // namespace
}  // namespace drover::router
