// Processes on a card by fdinfo: real drivers' texts, copies of open files, shares over time.
#include "agents/drivers/drm_processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/agents/drivers/file_tree.h"

namespace drover::agents {
namespace {

constexpr const char* node = "/dev/dri/renderD128";
constexpr const char* bus = "0000:31:00.0";

std::string amdgpu_text(std::uint64_t client, std::uint64_t vram_kib, std::uint64_t gfx_ns,
                        std::uint64_t compute_ns, const char* pdev = bus) {
  return fmt::format(
      "pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t1234\ndrm-driver:\tamdgpu\n"
      "drm-client-id:\t{}\ndrm-pdev:\t{}\npasid:\t32770\ndrm-memory-vram:\t{} KiB\n"
      "drm-memory-gtt: \t2048 KiB\ndrm-memory-cpu: \t0 KiB\ndrm-engine-gfx:\t{} ns\n"
      "drm-engine-compute:\t{} ns\ndrm-engine-dec:\t9999999999 ns\n",
      client, pdev, vram_kib, gfx_ns, compute_ns);
}

TEST(Fdinfo, OfAmdgpuHasMemoryAndNanoseconds) {
  const DrmClient client = parse_fdinfo(amdgpu_text(7, 1024, 5, 12));
  EXPECT_EQ(client.bus, bus);
  EXPECT_EQ(client.client, 7u);
  EXPECT_EQ(client.memory_bytes, 1 << 20) << "without GTT, which is main memory";
  ASSERT_EQ(client.engines.size(), 2u) << "decoders are not counted";
  EXPECT_EQ(client.engines.at("gfx").work, 5);
  EXPECT_EQ(client.engines.at("compute").work, 12);
  EXPECT_FALSE(client.engines.at("gfx").total);
}

TEST(Fdinfo, OfXeHasRegionsAndCycles) {
  const DrmClient client = parse_fdinfo(
      "drm-driver:\txe\ndrm-client-id:\t20\ndrm-pdev:\t0000:03:00.0\ndrm-total-system:\t0\n"
      "drm-total-gtt:\t2 MiB\ndrm-resident-gtt:\t2 MiB\ndrm-total-vram0:\t16946852 KiB\n"
      "drm-resident-vram0:\t16000 MiB\ndrm-cycles-ccs:\t386293167\n"
      "drm-total-cycles-ccs:\t18956600119\ndrm-engine-capacity-ccs:\t2\ndrm-cycles-bcs:\t5\n");
  EXPECT_EQ(client.memory_bytes, 16000.0 * (1 << 20)) << "what is resident, not what is mapped";
  ASSERT_EQ(client.engines.size(), 1u);
  EXPECT_EQ(client.engines.at("ccs").work, 386293167);
  EXPECT_EQ(client.engines.at("ccs").total, 18956600119);
  EXPECT_EQ(client.engines.at("ccs").engines, 2);
}

TEST(Fdinfo, OfI915HasLocalMemoryInBytesAndUnits) {
  const DrmClient client = parse_fdinfo(
      "drm-driver:\ti915\ndrm-client-id:\t42\ndrm-pdev:\t0000:00:02.0\n"
      "drm-engine-render:\t9876543 ns\ndrm-total-system0:\t1234567\ndrm-total-local0:\t4096\n"
      "drm-total-local1:\t1 KiB\n");
  EXPECT_EQ(client.memory_bytes, 4096 + 1024);
  EXPECT_EQ(client.engines.at("render").work, 9876543);
}

TEST(Fdinfo, OfOtherFilesAndGarbageIsEmpty) {
  for (const std::string& text :
       {std::string("pos:\t0\nflags:\t02\n"), std::string("drm-client-id:\t-7\ndrm-pdev"),
        std::string("drm-engine-gfx:\tmany ns\ndrm-engine-capacity-gfx:"), std::string(9999, ':'),
        std::string("\0\xff\n:\n", 5)}) {
    const DrmClient client = parse_fdinfo(text);
    EXPECT_FALSE(client.client);
    EXPECT_FALSE(client.memory_bytes);
    EXPECT_TRUE(client.engines.empty());
  }
}

class DrmProcessesTest : public testing::Test {
 protected:
  FileTree tree_;
  DrmProcesses processes_{tree_.root(), {node}, bus};
};

TEST_F(DrmProcessesTest, HaveUserNameMemoryAndShareOfTheTimeBetweenReadings) {
  write_process(tree_, 4711, "python3", "5", node, amdgpu_text(1, 2048, 0, 1'000'000'000));
  tree_.write("etc/passwd", fmt::format("ada:x:{}:100::/home:/bin/sh\n", getuid()));
  DrmUse use = processes_.read(100);
  ASSERT_EQ(use.processes.size(), 1u);
  EXPECT_EQ(use.processes[0].pid, 4711u);
  EXPECT_EQ(use.processes[0].name, "python3");
  EXPECT_EQ(use.processes[0].user, "ada");
  EXPECT_EQ(use.processes[0].tenant, use.processes[0].user);
  EXPECT_EQ(use.processes[0].memory_bytes, 2 << 20);
  EXPECT_FALSE(use.processes[0].share) << "needs a second reading";
  EXPECT_FALSE(use.busy);

  tree_.write("proc/4711/fdinfo/5", amdgpu_text(1, 4096, 100'000'000, 2'500'000'000));
  use = processes_.read(102);
  EXPECT_EQ(use.processes[0].memory_bytes, 4 << 20);
  EXPECT_DOUBLE_EQ(*use.processes[0].share, 0.75) << "of the busiest engine, compute";
  EXPECT_DOUBLE_EQ(*use.busy, 0.75);
  EXPECT_EQ(use.memory_bytes, 4 << 20);
}

TEST_F(DrmProcessesTest, CountCopiesOfAnOpenFileOnce) {
  for (const char* number : {"5", "6"})
    write_process(tree_, 10, "train", number, node, amdgpu_text(1, 1024, 0, 0));
  write_process(tree_, 11, "loader", "5", node, amdgpu_text(1, 1024, 0, 0));  // a child's copy
  write_process(tree_, 12, "other", "3", node, amdgpu_text(2, 512, 0, 0));
  const DrmUse use = processes_.read(1);
  ASSERT_EQ(use.processes.size(), 2u);
  EXPECT_EQ(use.processes[0].name, "train");
  EXPECT_EQ(use.processes[0].memory_bytes, 1 << 20);
  EXPECT_EQ(use.processes[1].name, "other");
  EXPECT_EQ(use.memory_bytes, 1.5 * (1 << 20));
}

TEST_F(DrmProcessesTest, ChooseTheirNamesAndMayNotChooseWhatATerminalDoes) {
  write_process(tree_, 10, "\033[2J", "5", node, amdgpu_text(1, 0, 0, 0));
  EXPECT_EQ(processes_.read(0).processes[0].name, "^[[2J");
}

TEST_F(DrmProcessesTest, AddUpInTheBusyTimeOfTheCard) {
  write_process(tree_, 10, "one", "5", node, amdgpu_text(1, 0, 0, 0));
  write_process(tree_, 11, "two", "5", node, amdgpu_text(2, 0, 0, 0));
  processes_.read(0);
  tree_.write("proc/10/fdinfo/5", amdgpu_text(1, 0, 300'000'000, 0));
  tree_.write("proc/11/fdinfo/5", amdgpu_text(2, 0, 400'000'000, 0));
  EXPECT_DOUBLE_EQ(*processes_.read(1).busy, 0.7);
  tree_.write("proc/10/fdinfo/5", amdgpu_text(1, 0, 1'300'000'000, 0));
  tree_.write("proc/11/fdinfo/5", amdgpu_text(2, 0, 1'400'000'000, 0));
  EXPECT_DOUBLE_EQ(*processes_.read(2).busy, 1) << "never more than all of the time";
}

TEST_F(DrmProcessesTest, OfXeHaveTheShareOfCyclesOfAllEnginesOfAKind) {
  const auto text = [](std::uint64_t work, std::uint64_t total) {
    return fmt::format(
        "drm-client-id:\t1\ndrm-pdev:\t{}\ndrm-cycles-ccs:\t{}\n"
        "drm-total-cycles-ccs:\t{}\ndrm-engine-capacity-ccs:\t4\n",
        bus, work, total);
  };
  write_process(tree_, 10, "one", "5", node, text(0, 1000));
  processes_.read(0);
  tree_.write("proc/10/fdinfo/5", text(2000, 2000));
  EXPECT_DOUBLE_EQ(*processes_.read(1).processes[0].share, 0.5) << "two of four engines";
}

TEST_F(DrmProcessesTest, OfRocmHaveNoShareBecauseTheirWorkIsNotInTheCounters) {
  write_process(tree_, 10, "vllm", "5", node, amdgpu_text(1, 1024, 0, 0));
  tree_.link("proc/10/fd/6", "/dev/kfd");
  processes_.read(0);
  const DrmUse use = processes_.read(1);
  ASSERT_EQ(use.processes.size(), 1u);
  EXPECT_EQ(use.processes[0].memory_bytes, 1 << 20);
  EXPECT_FALSE(use.processes[0].share);
}

TEST_F(DrmProcessesTest, OnOtherCardsAreLeftOut) {
  write_process(tree_, 10, "one", "5", "/dev/dri/renderD129", amdgpu_text(1, 1024, 0, 0));
  write_process(tree_, 11, "two", "5", node, amdgpu_text(2, 1024, 0, 0, "0000:32:00.0"));
  write_process(tree_, 12, "shell", "0", "/dev/pts/0");
  tree_.write("proc/self-like/fd/1", "");
  EXPECT_TRUE(processes_.read(0).processes.empty());
}

TEST_F(DrmProcessesTest, ThatComeAreSeenAtTheNextLookAtAllProcesses) {
  EXPECT_TRUE(processes_.read(0).processes.empty());
  write_process(tree_, 10, "one", "5", node, amdgpu_text(1, 1024, 0, 0));
  EXPECT_TRUE(processes_.read(9.9).processes.empty());
  EXPECT_EQ(processes_.read(10).processes.size(), 1u);
  tree_.remove("proc/10");
  const DrmUse use = processes_.read(11);
  EXPECT_TRUE(use.processes.empty()) << "one that is gone is gone at once";
  EXPECT_EQ(use.busy, 0);
  EXPECT_EQ(use.memory_bytes, 0);
}

TEST_F(DrmProcessesTest, OutsideOfAContainerAreHiddenInIt) {
  tree_.link("proc/self/ns/pid", "pid:[4026532401]");
  EXPECT_FALSE(processes_.read(0).complete);
  FileTree host;
  host.link("proc/self/ns/pid", "pid:[4026531836]");
  EXPECT_TRUE(DrmProcesses(host.root(), {node}, bus).read(0).complete);
}

}  // namespace
}  // namespace drover::agents
