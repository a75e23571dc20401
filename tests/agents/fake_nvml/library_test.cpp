// libdrover-nvml.so beside a real router and a real agent: what programs that read NVML see. They
// are a C program (client.c) that calls every symbol, a Python script, and, where it is installed,
// the NVIDIA plugin of Performance Co-Pilot.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "agents/fake_nvml/layout.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using namespace fake_nvml;
using std::chrono::seconds;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;  // programs without the sanitizer cannot load the library
#else
constexpr bool sanitized = false;
#endif

std::string library() { return DROVER_NVML_FOLDER "/libnvidia-ml.so.1"; }

ProcessResult client(const std::string& words) {
  return run_shell("'" DROVER_NVML_CLIENT "' '" + library() + "' " + words);
}

/// A router, and an agent whose host has two H100 (the first serves a model), a GPU of AMD and an
/// L4. Its file is this test's own.
class FakeNvml : public testing::Test {
 protected:
  void SetUp() override {
    setenv(path_variable, file.c_str(), 1);
    router = std::make_unique<DroverProcess>(std::vector<std::string>{
        "router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite")});
    ASSERT_TRUE(router->says("router ready")) << router->err();
    start_agent();
    ASSERT_TRUE(eventually([&] { return client("values").exit_code == 0; })) << agent->err();
  }
  void TearDown() override { unsetenv(path_variable); }

  std::unique_ptr<DroverProcess> make_agent(const std::string& name, const std::string& devices) {
    return std::make_unique<DroverProcess>(
        std::vector<std::string>{"agent", "--connect", endpoint, "--name", name, "--devices",
                                 devices, "--replicas", "llama-3.1-8b:0", "--fake-nvml"});
  }
  void start_agent() { agent = make_agent("h-1", "h100-sxm:2,mi300x:1,l4:1"); }

  ProcessResult inject(const std::string& target, const std::string& fault) {
    return run_drover({"inject", target, fault, "--for", "60s", "--connect", endpoint});
  }
  /// One value that the client prints of a device; "" without it.
  static std::string value(const std::string& device_and_name) {
    std::istringstream lines(client("values").out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(device_and_name + " ")) return line.substr(device_and_name.size() + 1);
    }
    return "";
  }
  static double number(const std::string& device_and_name) {
    return std::strtod(value(device_and_name).c_str(), nullptr);
  }

  TestFolder folder;
  const std::string file = folder.file("nvml");
  const std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router, agent;
};

TEST_F(FakeNvml, EverySymbolAnswersWhateverItsArgumentsAre) {
  const ProcessResult called = client("all");
  EXPECT_EQ(called.exit_code, 0) << called.out << called.err;
}

TEST_F(FakeNvml, TheClientCallsEverySymbolOfTheLibraryAndNothingElseIsVisible) {
  const ProcessResult exported =
      run_shell("nm -D --defined-only '" + library() + "' | sed 's/.* //' | LC_ALL=C sort");
  const ProcessResult called =
      run_shell("'" DROVER_NVML_CLIENT "' '" + library() + "' names | LC_ALL=C sort");
  EXPECT_EQ(called.out, exported.out);
}

TEST_F(FakeNvml, ThreadsMayCallAtTheSameTime) {
  const ProcessResult called = client("threads 200");
  EXPECT_EQ(called.exit_code, 0) << called.out << called.err;
}

TEST_F(FakeNvml, ValuesAreThoseOfDroverDevices) {
  // Sensors refresh each value at its own time; idle boards settle.
  const auto agree = [&] {
    const auto shown = Json::parse(run_drover({"devices", "--json", "--connect", endpoint}).out);
    if (!shown || shown->size() != 4) return false;
    const std::size_t rows[] = {0, 1, 3};
    for (int index = 0; index < 3; ++index) {
      const Json& row = (*shown)[rows[index]];
      const std::string of = std::to_string(index) + " ";
      const auto differs = [&](const char* ours, const char* theirs, double unit, double step) {
        return std::abs(number(of + ours) - row[theirs].number() * unit) > step;
      };
      if (differs("power_mw", "power_w", 1e3, 51) || differs("limit_mw", "power_cap_w", 1e3, 51) ||
          differs("temperature_c", "temperature_c", 1, 0.51) ||
          differs("clock_mhz", "clock_mhz", 1, 0.5) ||
          differs("utilization", "utilization", 100, 0.51) ||
          differs("memory_used", "memory_used_bytes", 1, 1e6) ||
          differs("memory_total", "memory_total_bytes", 1, 1e6)) {
        return false;
      }
    }
    return number("0 memory_used") > 16e9;  // the model's weights
  };
  EXPECT_TRUE(eventually(agree)) << client("values").out;
  EXPECT_EQ(value("0 process"), "serve llama-3.1-8b");
  EXPECT_EQ(value("1 processes"), "0");
  EXPECT_EQ(value("2 name"), "NVIDIA L4");
  EXPECT_EQ(value("3 handle"), "");
}

TEST_F(FakeNvml, AnInjectedXidArrivesAsAnEvent) {
  DroverProcess waiting(DROVER_NVML_CLIENT, {library(), "wait", "30000"});
  ASSERT_TRUE(waiting.says("ready"));
  ASSERT_EQ(inject("h-1/3", "xid=31").exit_code, 0);
  EXPECT_EQ(waiting.wait().out, "ready\n2 8 31\n");
}

TEST_F(FakeNvml, AnInjectedMemoryErrorIsCountedAndArrivesAsAnEvent) {
  EXPECT_EQ(value("1 ecc_uncorrected"), "0");
  DroverProcess waiting(DROVER_NVML_CLIENT, {library(), "wait", "30000"});
  ASSERT_TRUE(waiting.says("ready"));
  ASSERT_EQ(inject("h-1/1", "ecc").exit_code, 0);
  EXPECT_EQ(waiting.wait().out, "ready\n1 2 0\n");
  EXPECT_EQ(value("1 ecc_uncorrected"), "1");
  EXPECT_EQ(value("0 ecc_uncorrected"), "0");
}

TEST_F(FakeNvml, ALostDeviceAnswersThatItIsLost) {
  ASSERT_EQ(inject("h-1/1", "lose").exit_code, 0);
  EXPECT_TRUE(eventually([&] { return value("1 handle") == "!15"; }));
  EXPECT_EQ(value("0 handle"), "0");
}

TEST_F(FakeNvml, AProgramFindsTheAgentAgainAfterItWasKilled) {
  DroverProcess watching(DROVER_NVML_CLIENT, {library(), "watch", "60000"});
  ASSERT_TRUE(watching.says("code 0\n"));
  agent->signal(SIGKILL);
  ASSERT_TRUE(agent->ends());
  EXPECT_TRUE(watching.says("code 15\n"));
  EXPECT_EQ(client("values").out, "!9 Driver Not Loaded\n");
  start_agent();
  EXPECT_TRUE(watching.says("code 0\ncode 15\ncode 0\n")) << watching.out() << agent->err();
}

TEST_F(FakeNvml, ALostHostIsAnAbsentDriver) {
  ASSERT_EQ(inject("host:h-1", "lose").exit_code, 0);
  EXPECT_TRUE(eventually([&] { return client("values").out == "!9 Driver Not Loaded\n"; }));
}

TEST_F(FakeNvml, TheFileIsRemovedWhenTheAgentEnds) {
  EXPECT_TRUE(std::filesystem::exists(file));
  agent->signal(SIGTERM);
  ASSERT_TRUE(agent->ends());
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(FakeNvml, ASecondAgentDoesNotTakeTheFile) {
  const ProcessResult second = make_agent("h-2", "h100-sxm:1")->wait();
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.err.find("another agent serves NVML from " + file), std::string::npos)
      << second.err;
  EXPECT_EQ(value("0 handle"), "0");
}

TEST_F(FakeNvml, AnotherFileOfThatNameIsKept) {
  const std::string text = folder.write("notes.txt", "mine");
  const ProcessResult refused = run_drover({"agent", "--connect", endpoint, "--name", "h-2",
                                            "--devices", "l4:1", "--fake-nvml=" + text});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_EQ(folder.read("notes.txt"), "mine");
}

TEST_F(FakeNvml, AHostWithoutNvidiaHasNothingToServe) {
  const ProcessResult refused = run_drover(
      {"agent", "--connect", endpoint, "--name", "h-2", "--devices", "mi300x:1", "--fake-nvml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("no NVIDIA GPU among --devices mi300x:1"), std::string::npos)
      << refused.err;
}

TEST_F(FakeNvml, APythonProgramReadsIt) {
  if (sanitized) GTEST_SKIP() << "the library needs the sanitizer's runtime";
  const ProcessResult read =
      run_shell("LD_LIBRARY_PATH='" DROVER_NVML_FOLDER "' /usr/bin/python3 '" DROVER_SOURCE_DIR
                "/examples/read_nvml.py'");
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_NE(read.out.find("0  NVIDIA H100 SXM5 80GB"), std::string::npos) << read.out;
  EXPECT_NE(read.out.find("serve llama-3.1-8b"), std::string::npos) << read.out;
  EXPECT_NE(read.out.find("2  NVIDIA L4"), std::string::npos) << read.out;
}

/// Performance Co-Pilot reads NVML by a plugin that its package has; it needs no daemon.
TEST_F(FakeNvml, PerformanceCoPilotReadsIt) {
  const std::string plugin = "/var/lib/pcp/pmdas/nvidia";
  if (sanitized) GTEST_SKIP() << "the library needs the sanitizer's runtime";
  if (!std::filesystem::exists(plugin + "/pmda_nvidia.so")) GTEST_SKIP() << "pcp is not installed";
  const std::string names = folder.file("names");
  const ProcessResult read =
      run_shell("(echo 'root { nvidia }'; sed 's/NVML:/120:/' " + plugin + "/pmns) > '" + names +
                "'; LD_LIBRARY_PATH='" DROVER_NVML_FOLDER "' pminfo -n '" + names +
                "' -L -K clear -K add,120," + plugin + "/pmda_nvidia.so,nvidia_init -f nvidia");
  EXPECT_NE(read.out.find("nvidia.numcards\n    value 3"), std::string::npos)
      << read.out << read.err;
  EXPECT_NE(read.out.find("value \"NVIDIA L4\""), std::string::npos) << read.out;
}

TEST_F(FakeNvml, TheExampleRunsAProgramBesideAnEmulatedFleet) {
  if (sanitized) GTEST_SKIP() << "the library needs the sanitizer's runtime";
  const ProcessResult ran =
      run_shell("unset " + std::string(path_variable) +
                "; DROVER=\"" DROVER_BINARY "\" '" DROVER_SOURCE_DIR
                "/examples/with_fake_nvml' l4:3 /usr/bin/python3 '" DROVER_SOURCE_DIR
                "/examples/read_nvml.py'");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("2  NVIDIA L4"), std::string::npos) << ran.out << ran.err;
}

/// A file as an agent writes it, which a test may damage. This process holds its lock, as an agent
/// would.
class NvmlFile : public testing::Test {
 protected:
  void SetUp() override {
    header.error_bytes = sizeof(NvmlError);
    header.device_bytes = sizeof(NvmlDevice);
    header.device_count = 1;
    header.present = 1;
    header.sequence = 2;
    std::memcpy(device.name.data(), "board", 5);
    setenv(path_variable, path.c_str(), 1);
  }
  void TearDown() override {
    unsetenv(path_variable);
    if (descriptor >= 0) close(descriptor);
  }

  std::string bytes() const {
    std::string all(file_bytes(1), '\0');
    std::memcpy(all.data(), &header, sizeof header);
    std::memcpy(all.data() + devices_at, &device, sizeof device);
    return all;
  }
  /// What a program says that reads this file.
  std::string answer(const std::string& content) {
    if (descriptor >= 0) close(descriptor);
    descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    EXPECT_EQ(write(descriptor, content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    EXPECT_EQ(fcntl(descriptor, F_OFD_SETLK, &lock), 0);
    return client("values").out;
  }
  bool refused(const std::string& content) { return answer(content) == "!9 Driver Not Loaded\n"; }

  TestFolder folder;
  std::string path = folder.file("nvml");
  FileHeader header;
  NvmlDevice device;
  int descriptor = -1;
};

TEST_F(NvmlFile, AnUndamagedOneIsRead) {
  EXPECT_NE(answer(bytes()).find("0 name board\n"), std::string::npos);
}

TEST_F(NvmlFile, OfAnotherLayoutOrSizeIsNotRead) {
  const std::string good = bytes();
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{4}, sizeof(FileHeader), devices_at + 7, good.size() - 1}) {
    EXPECT_TRUE(refused(good.substr(0, length))) << length;
  }
  EXPECT_TRUE(refused(good + "x"));
  const FileHeader intact = header;
  const auto damaged = [&](auto damage) {
    header = intact;
    damage(header);
    return refused(bytes());
  };
  EXPECT_TRUE(damaged([](FileHeader& one) { one.magic[0] = 'x'; }));
  EXPECT_TRUE(damaged([](FileHeader& one) { ++one.version; }));
  EXPECT_TRUE(damaged([](FileHeader& one) { one.header_bytes = 0; }));
  EXPECT_TRUE(damaged([](FileHeader& one) { one.device_bytes = 1U << 30U; }));
  EXPECT_TRUE(damaged([](FileHeader& one) { one.device_count = 0xffffffffU; }));
  EXPECT_TRUE(damaged([](FileHeader& one) { one.present = 0; }));
  EXPECT_TRUE(damaged([](FileHeader& one) { one.sequence = 3; })) << "the agent stopped in a write";
}

TEST_F(NvmlFile, WithWildValuesHurtsNobody) {
  std::memset(static_cast<void*>(&device), 0xff, sizeof device);
  device.lost = 0;
  header.errors_total = ~std::uint64_t{0};
  EXPECT_NE(answer(bytes()).find("0 power_mw 4294967295"), std::string::npos);
  EXPECT_NE(client("all").exit_code, -1) << "ended by a signal";
}

TEST_F(NvmlFile, ThatOthersCanWriteIsNotRead) {
  ASSERT_FALSE(refused(bytes()));
  chmod(path.c_str(), 0666);
  EXPECT_EQ(client("values").out, "!9 Driver Not Loaded\n");
  chmod(path.c_str(), 0644);
  EXPECT_NE(client("values").exit_code, 1);
}

TEST_F(NvmlFile, OfAnotherUserIsNotRead) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_FALSE(refused(bytes()));
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_EQ(client("values").out, "!9 Driver Not Loaded\n");
}

TEST_F(NvmlFile, WithoutAnAgentIsNotRead) {
  ASSERT_FALSE(refused(bytes()));
  close(descriptor);
  descriptor = -1;
  EXPECT_EQ(client("values").out, "!9 Driver Not Loaded\n");
}

TEST_F(NvmlFile, APipeOrALinkInItsPlaceIsNotRead) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(client("values").out, "!9 Driver Not Loaded\n");
  unlink(path.c_str());
  ASSERT_EQ(symlink("/etc/passwd", path.c_str()), 0);
  EXPECT_EQ(client("values").out, "!9 Driver Not Loaded\n");
}

}  // namespace
}  // namespace drover::commands
