// Small files of the kernel, and what each way of saying nothing means.
#include "agents/drivers/sysfs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "agents/drivers/board_reading.h"
#include "agents/drivers/cpu.h"
#include "tests/agents/drivers/file_tree.h"

namespace drover::agents {
namespace {

std::string why(const Result<std::string>& result) { return result ? "" : result.error().message; }
std::string why(const Result<double>& result) { return result ? "" : result.error().message; }

TEST(KernelFiles, HaveTextOrAReason) {
  const FileTree tree;
  tree.write("good", " 42 \n");
  tree.write("empty", "");
  tree.write("blank", " \n");
  tree.write("folder/file", "");
  EXPECT_EQ(*read_kernel_file(tree.path("good")), "42");
  EXPECT_EQ(why(read_kernel_file(tree.path("absent"))), "the driver has no file absent");
  EXPECT_EQ(read_kernel_file(tree.path("absent")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(why(read_kernel_file(tree.path("empty"))), "the driver's file empty is empty");
  EXPECT_EQ(why(read_kernel_file(tree.path("blank"))), "the driver's file blank is empty");
  EXPECT_EQ(why(read_kernel_file(tree.path("folder"))),
            "the device does not answer (folder: Is a directory)");
}

TEST(KernelFiles, SayInWordsWhatADriverAnswersInstead) {
  EXPECT_EQ(reason_of_errno(EBUSY, "gpu_busy_percent"),
            "the driver is busy (gpu_busy_percent: EBUSY)");
  EXPECT_EQ(reason_of_errno(EINVAL, "power1_cap"),
            "the driver does not support power1_cap on this board (EINVAL)");
  EXPECT_EQ(reason_of_errno(EOPNOTSUPP, "power1_average"),
            "the driver does not support power1_average on this board (EOPNOTSUPP)");
  EXPECT_EQ(reason_of_errno(EPERM, "power1_cap"),
            "the driver does not allow power1_cap now (EPERM): the board may be suspended or in a "
            "reset");
  EXPECT_EQ(reason_of_errno(EACCES, "power1_cap"), "only root may use power1_cap");
  EXPECT_EQ(reason_of_errno(ENODEV, "temp1_input"),
            "the device does not answer (temp1_input: No such device)");
}

TEST(KernelFiles, PassOnTheErrorOfARead) {
  const FileTree tree;
  tree.link("memory", "/proc/self/mem");  // opens, and cannot be read at 0
  EXPECT_EQ(why(read_kernel_file(tree.path("memory"))),
            "the device does not answer (memory: Input/output error)");
}

TEST(KernelFiles, AreNumbersOrSayWhatWasFound) {
  const FileTree tree;
  tree.write("power", "305000000\n");
  tree.write("words", "N/A\n");
  tree.write("more", "12 W\n");
  tree.write("escape", "\033[2J");
  EXPECT_EQ(*read_kernel_number(tree.path("power"), 1e-6), 305);
  EXPECT_EQ(why(read_kernel_number(tree.path("words"))),
            "words contains \"N/A\", and a number was expected");
  EXPECT_EQ(why(read_kernel_number(tree.path("more"))),
            "more contains \"12 W\", and a number was expected");
  EXPECT_EQ(why(read_kernel_number(tree.path("escape"))),
            "escape contains \"^[[2J\", and a number was expected");
}

TEST(KernelFiles, AreReadUpToALimit) {
  const FileTree tree;
  tree.write("huge", std::string(1 << 20, '7'));
  tree.link("endless", "/dev/zero");
  EXPECT_EQ(why(read_kernel_file(tree.path("huge"))), "huge has more than 4096 bytes");
  EXPECT_EQ(why(read_kernel_file(tree.path("endless"))), "endless has more than 4096 bytes");
  EXPECT_EQ(read_kernel_bytes(tree.path("endless"), 10'000)->size(), 10'000u);
}

TEST(KernelFiles, DoNotMakeAReaderWait) {
  const FileTree tree;
  ASSERT_EQ(mkfifo(tree.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(why(read_kernel_file(tree.path("pipe"))), "the driver's file pipe is empty");
}

TEST(KernelFiles, HaveNamesInNaturalOrder) {
  const FileTree tree;
  for (const char* name : {"card10", "card2", "card0", "renderD128"}) tree.write(name, "");
  EXPECT_EQ(folder_names(tree.root(), "card"),
            (std::vector<std::string>{"card0", "card2", "card10"}));
  EXPECT_TRUE(folder_names(tree.path("absent")).empty());
}

TEST(KernelFiles, HaveValuesByKey) {
  const std::string_view text = "DRIVER=amdgpu\nPCI_ID=1002:74A1\nDRIVERS=x\n";
  EXPECT_EQ(value_of_key(text, "DRIVER"), "amdgpu");
  EXPECT_EQ(value_of_key(text, "PCI_ID"), "1002:74A1");
  EXPECT_EQ(value_of_key(text, "PCI"), "");
  EXPECT_EQ(value_of_key("ue: 1\nce: 12", "ce", ':'), "12");
}

TEST(BoardReadings, KeepTheFirstReasonAndTheLastValue) {
  BoardReading reading;
  put(reading, Metric::power, error("first"));
  put(reading, Metric::power, error("second"));
  EXPECT_EQ(why_missing(reading, Metric::power), "first");
  put(reading, Metric::power, 300.0);
  EXPECT_EQ(why_missing(reading, Metric::power), "");
  put(reading, Metric::power, error("too late"));
  EXPECT_EQ(reading.values[Metric::power], 300);
  EXPECT_EQ(why_missing(reading, Metric::power), "");
}

TEST(CounterRates, NeedTwoReadingsAndSurviveANewBeginning) {
  CounterRate rate;
  EXPECT_EQ(why(rate.update(1000, 10)), "a rate needs two readings");
  EXPECT_EQ(*rate.update(1600, 12), 300);
  EXPECT_EQ(why(rate.update(5, 13)), "the counter was reset");
  EXPECT_EQ(*rate.update(25, 14), 20);
}

TEST(BusiestCores, AreTheOnesThatIdledLeast) {
  const FileTree tree;
  BusiestCore busiest(tree.root());
  EXPECT_EQ(why(busiest.read()), "the driver has no file stat");
  tree.write("proc/stat",
             "cpu  300 0 0 1700 0 0 0 0 0 0\n"
             "cpu0 100 0 0 900 0 0 0 0 0 0\n"
             "cpu1 200 0 0 800 0 0 0 0 0 0\n"
             "intr 12345 0 0\n");
  EXPECT_EQ(why(busiest.read()), "a share of time needs two readings");
  // Of 100 ticks, cpu0 works 10, and cpu1 75 in four ways; 5 of its ticks it waits for a disk.
  tree.write("proc/stat",
             "cpu  385 0 0 1810 5 0 0 0 0 0\n"
             "cpu0 110 0 0 990 0 0 0 0 0 0\n"
             "cpu1 240 10 15 820 5 4 3 3 40 10\n"
             "intr 12399 0 0\n");
  EXPECT_DOUBLE_EQ(*busiest.read(), 0.75);
}

TEST(BusiestCores, OfThisMachineAreReadable) {
  BusiestCore busiest("");
  EXPECT_FALSE(busiest.read());
  volatile double work = 0;
  std::string share = "a share of time needs two readings";
  while (share == "a share of time needs two readings") {  // until a tick has passed
    for (int step = 0; step < 10'000'000; ++step) work = work + step;
    const auto read = busiest.read();
    share = read ? "" : read.error().message;
    if (read) {
      EXPECT_GE(*read, 0);
      EXPECT_LE(*read, 1);
    }
  }
  EXPECT_EQ(share, "");
}

TEST(BusiestCores, GarbageAndHugeFilesAreNoShares) {
  const FileTree tree;
  tree.write("proc/stat", "cpux\ncpu\ncpu0\ncpu0 -1 banana\n\xff\xfe\n");
  BusiestCore busiest(tree.root());
  for (int reading = 0; reading < 2; ++reading) EXPECT_FALSE(busiest.read());
  tree.write("proc/stat", std::string(10 << 20, 'c'));
  EXPECT_EQ(why(busiest.read()), "/proc/stat has no lines of cores");
}

}  // namespace
}  // namespace drover::agents
