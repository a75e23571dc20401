// `drover watch --ssh` with a program of the test's own in the place of ssh, which runs the command
// here in a session of its own, as sshd does, and passes bytes on. The devices are those of an
// emulated agent, read through NVML.
#include <csignal>

#include <fmt/format.h>

#include "tests/commands/launch/fixture.h"

namespace drover::launch {
namespace {

namespace fs = std::filesystem;
using commands::DroverProcess;
using commands::eventually;
using commands::ProcessResult;

class WatchBySsh : public LaunchFixture {
 protected:
  void SetUp() override { fs::create_directory(temporary); }

  /// `cases` are those of a shell's `case` over the host's name; others get their command run.
  /// `path`: searched there before all others.
  std::string ssh(const std::string& cases = "", const std::string& path = "") const {
    const std::string relay = folder.write("relay.py", R"(
import os, subprocess, sys, threading
there = subprocess.Popen(["sh", "-c", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         start_new_session=True)
def pump(source, target):
    while block := os.read(source, 65536):
        while block:
            block = block[os.write(target, block):]
def send():
    pump(0, there.stdin.fileno())
    there.stdin.close()
threading.Thread(target=send, daemon=True).start()
pump(there.stdout.fileno(), 1)
os._exit(there.wait())
)");
    return program("ssh",
                   fmt::format("while [ $# -gt 2 ]; do shift; done\n"
                               "case $1 in\n{}\n*) ;;\nesac\n"
                               "export TMPDIR='{}' HOME='{}' PATH='{}'\"$PATH\"\n"
                               "exec python3 '{}' \"$2\"\n",
                               cases, temporary, temporary, path.empty() ? "" : path + ":", relay));
  }
  /// Two L4 boards for readers of NVML.
  void serve_boards() {
    start_router();
    agent = std::make_unique<DroverProcess>(
        std::vector<std::string>{"agent", "--connect", endpoint, "--name", "emulated", "--devices",
                                 "l4:2", "--fake-nvml=" + folder.file("nvml")});
    ASSERT_TRUE(agent->says("connected")) << agent->err();
    ASSERT_TRUE(eventually([&] { return fs::exists(folder.file("nvml")); }));
  }
  static std::vector<std::string> watch(const std::string& hosts) {
    return {"watch", "--ssh", hosts, "--text", "--every", "200ms"};
  }
  static ProcessResult ended(DroverProcess& watching) {
    watching.signal(SIGTERM);
    return watching.wait();
  }
  bool nothing_left() const {
    return fs::is_empty(temporary) && processes_with(temporary).empty() &&
           processes_with(folder.file("relay.py")).empty();
  }

  const std::string temporary = folder.file("tmp");
  const Environment nvml{"DROVER_NVML", DROVER_NVML};
  const Environment boards{"DROVER_FAKE_NVML", folder.file("nvml")};
  std::unique_ptr<DroverProcess> agent;
};

TEST_F(WatchBySsh, ShowsTheDevicesOfAllHostsAndLeavesNothingBehind) {
  serve_boards();
  const Environment program("DROVER_SSH",
                            ssh("n3) echo 'Host key verification failed.' >&2; exit 255 ;;\n"
                                "n4) printf 'ssh: \\033[2Jno way\\n' >&2; exit 255 ;;"));
  DroverProcess watching(watch("n[1-4]"));
  for (const char* device : {"n1/0", "n1/1", "n2/0", "n2/1"})
    EXPECT_TRUE(watching.says(device)) << device << watching.err();
  EXPECT_TRUE(watching.says("n3: its host key is unknown; connect once with ssh by hand"));
  EXPECT_TRUE(watching.says("n4: ssh: ^[[2Jno way"));
  const ProcessResult ran = ended(watching);
  EXPECT_EQ(ran.exit_code, 3) << "partly done: " << ran.err;
  EXPECT_TRUE(nothing_left());
}

TEST_F(WatchBySsh, AHostWhoseSshIsKilledIsConnectedAgainAndNothingIsLeftThere) {
  serve_boards();
  const Environment program("DROVER_SSH", ssh());
  DroverProcess watching(watch("n1"));
  ASSERT_TRUE(watching.says("n1/1")) << watching.err();
  EXPECT_FALSE(fs::is_empty(temporary));
  const std::string first = fs::directory_iterator(temporary)->path();
  for (const pid_t pid : processes_with(folder.file("relay.py"))) kill(pid, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !fs::exists(first); }));
  EXPECT_TRUE(watching.says("n1: ssh was ended by signal 9")) << watching.err();
  EXPECT_TRUE(eventually([&] { return !fs::is_empty(temporary); }));
  // The watcher itself is killed, so it cannot tell the host.
  watching.signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return nothing_left(); }));
}

TEST_F(WatchBySsh, WhereTheProgramCannotRunNvidiaSmiIsRead) {
  fs::create_directory(folder.file("bin"));
  program("bin/uname", "echo riscv64\n");
  // An old one, which does not know all fields.
  program("bin/nvidia-smi",
          "case $1 in *temperature.memory*)\n"
          "  echo 'Field \"temperature.memory\" is not a valid field to query.'\n"
          "  exit 2 ;;\nesac\n"
          "echo 'index, uuid, name, temperature.gpu, power.draw [W]'\n"
          "echo '0, GPU-0a, NVIDIA L4, 61, 70.5'\n"
          "echo '1, GPU-0b, NVIDIA L4, 62, [N/A]'\n");
  const Environment program("DROVER_SSH", ssh("", folder.file("bin")));
  DroverProcess watching({"watch", "--ssh", "n1", "--json", "--every", "200ms"});
  ASSERT_TRUE(watching.says("\"n1/1\"")) << watching.err();
  const ProcessResult ran = ended(watching);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::vector<std::string> lines = lines_of(ran.out);
  ASSERT_GE(lines.size(), 2u);
  const auto first = Json::parse(lines[0]);
  const auto second = Json::parse(lines[1]);
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)["id"].text(), "n1/0") << lines[0];
  EXPECT_EQ((*first)["temperature_c"].number(), 61) << lines[0];
  EXPECT_EQ((*second)["id"].text(), "n1/1");
  EXPECT_TRUE((*second)["power_w"].is_null()) << lines[1];
  EXPECT_TRUE(nothing_left());
}

TEST_F(WatchBySsh, OutputThatIsNoReadingEndsTheConnectionWithItsReason) {
  const Environment program("DROVER_SSH",
                            ssh("n1) echo '@drover ready agent'; echo garbage; sleep 98765 ;;\n"
                                "n2) echo '@drover failed it has neither'; exit 1 ;;\n"
                                "n3) head -c 200000 /dev/zero; sleep 98765 ;;"));
  DroverProcess watching(watch("n[1-3]"));
  EXPECT_TRUE(watching.says("n1: a reading of 1734439522 bytes was announced"));
  EXPECT_TRUE(watching.says("n2: it has neither"));
  EXPECT_TRUE(watching.says("n3: a line of more than 65536 bytes came"));
  const ProcessResult ran = ended(watching);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_TRUE(ran.err.ends_with("drover watch: no target answered\n")) << ran.err;
  EXPECT_TRUE(processes_with("98765").empty());
}

TEST_F(WatchBySsh, HostsThatCannotBeAreRefused) {
  for (const char* hosts : {"-oProxyCommand=x", "a b", "n[1-", "n[1-999]", "n1,n1"}) {
    const ProcessResult ran = commands::run_drover({"watch", std::string("--ssh=") + hosts});
    EXPECT_EQ(ran.exit_code, 2) << hosts;
    EXPECT_NE(ran.err.find("--ssh"), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace drover::launch
