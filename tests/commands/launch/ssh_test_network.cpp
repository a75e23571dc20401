#include "tests/commands/launch/ssh_test_network.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::launch {

namespace fs = std::filesystem;
using commands::DroverProcess;
using commands::ProcessResult;
using commands::run_shell;

namespace {

constexpr int host_count = 3;
/// Before a line of a shell: not every PATH has where root's tools are.
constexpr const char* administrator = "PATH=$PATH:/usr/sbin:/sbin; ";
constexpr std::chrono::seconds debootstrap_patience{400};

/// The last lines of what a program said, as one.
std::string last_words(const std::string& text) {
  constexpr std::size_t lines_max = 5;
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    if (!trimmed(line).empty()) lines.push_back(excerpt(trimmed(line), 300));
  }
  if (lines.size() > lines_max) lines.erase(lines.begin(), lines.end() - lines_max);
  return lines.empty() ? "without a word" : fmt::format("{}", fmt::join(lines, "; "));
}

std::string ending(const ProcessResult& ran) {
  return ran.exit_code < 0 ? "killed, or not done in time"
                           : fmt::format("exit status {}", ran.exit_code);
}

Status run_steps(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (Status done = run_step(line); !done) return done;
  }
  return {};
}

/// Of tests that were killed: their number is no process any more.
void remove_leftovers() {
  run_shell(
      "for space in $(ip netns list | sed -n 's/^\\(drover-[0-9]*-[0-9]\\).*/\\1/p'); do "
      "pid=${space#drover-}; [ -d /proc/${pid%-*} ] && continue; "
      "kill -9 $(ip netns pids $space); ip netns del $space; done");
}

}  // namespace

Status run_step(const std::string& line, std::chrono::seconds patience) {
  const ProcessResult ran = run_shell(administrator + line, patience);
  if (ran.exit_code == 0) return {};
  return error("`{}`: {}: {}", line, ending(ran), last_words(ran.err.empty() ? ran.out : ran.err));
}

Status SshTestNetwork::possible() {
  if (geteuid() != 0) return error("not root: no network namespaces");
  for (const char* tool : {"ip", "ssh", "ssh-keygen", "sshd", "unshare", "mount"}) {
    if (!run_step(fmt::format("command -v {}", tool))) return error("{} is not installed", tool);
  }
  const std::string trial = fmt::format("drover-{}-try", getpid());
  const commands::TestFolder folder;
  const std::string mounts =
      "unshare -m sh -c 'mount --make-rprivate / && mount --bind /tmp /srv && "
      "mount -t proc proc /srv'";
  // Who enters a namespace changes how mounts of `/` spread: in a chroot it is often no mount
  // point.
  Status tried = run_steps({
      fmt::format("ip netns add {}", trial),
      fmt::format("ip -n {} link add name bridge0 type bridge", trial),
      fmt::format("ip -n {} link add v0 type veth peer name eth0", trial),
      fmt::format("ip netns exec {} true", trial),
      mounts,
      "mkdir -p /run/sshd",
      fmt::format("ssh-keygen -q -t ed25519 -N '' -f {}", folder.file("key")),
      fmt::format("$(command -v sshd) -t -f /dev/null -h {}", folder.file("key")),
  });
  run_shell(fmt::format("{}ip netns del {}", administrator, trial));
  return tried;
}

Result<std::string> SshTestNetwork::fresh_root() {
  const std::string root = DROVER_SOURCE_DIR "/build/test-root-bookworm";
  if (fs::exists(root)) return root;
  if (!run_step("command -v debootstrap")) return error("debootstrap is not installed");
  // One test makes it, and the others wait for it. A debootstrap that fails leaves its /proc
  // mounted.
  const Status made = run_step(
      fmt::format(
          "flock '{0}.lock' sh -c \""
          "clean() {{ umount '{0}.new/proc'; rm -rf --one-file-system '{0}.new'; }} 2>/dev/null; "
          "[ -d '{0}' ] && exit; clean; "
          "debootstrap --variant=minbase bookworm '{0}.new' && mv -T '{0}.new' '{0}' && exit; "
          "clean; exit 1\"",
          root),
      debootstrap_patience);
  if (!made) return made.error();
  return root;
}

SshTestNetwork::SshTestNetwork(const std::string& fresh_root)
    : id_(fmt::format("drover-{}", getpid())), net_("10.77.0") {
  remove_leftovers();
  built_ = build(fresh_root);
}

Status SshTestNetwork::build(const std::string& fresh_root) {
  const std::string hub = space(0);
  Status done = run_steps({
      fmt::format("ip netns add {}", hub),
      fmt::format("ip -n {} link set lo up", hub),
      fmt::format("ip -n {} link add name bridge0 type bridge", hub),
      fmt::format("ip -n {} addr add {}/24 dev bridge0", hub, router_address()),
      fmt::format("ip -n {} link set bridge0 up", hub),
      fmt::format("ssh-keygen -q -t ed25519 -N '' -f {}", folder_.file("id")),
  });
  for (int host = 1; done && host <= host_count; ++host) {
    done = run_steps({
        fmt::format("ip netns add {}", space(host)),
        fmt::format("ip -n {} link add v{} type veth peer name eth0 netns {}", hub, host,
                    space(host)),
        fmt::format("ip -n {} link set v{} master bridge0 up", hub, host),
        fmt::format("ip -n {} addr add {}/24 dev eth0", space(host), address(host)),
        fmt::format("ip -n {} link set lo up", space(host)),
        fmt::format("ip -n {} link set eth0 up", space(host)),
    });
    if (done) done = start_host(host, host == host_count ? fresh_root : "");
  }
  return done;
}

Status SshTestNetwork::start_host(int host, const std::string& root) {
  const std::string key = folder_.file(fmt::format("host{}", host));
  if (Status made = run_step(fmt::format("ssh-keygen -q -t ed25519 -N '' -f {}", key)); !made) {
    return made;
  }
  const std::string config = folder_.write(
      fmt::format("config{}", host),
      fmt::format("ListenAddress {}\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\n"
                  "PasswordAuthentication no\nUsePAM no\nPermitRootLogin prohibit-password\n"
                  "PidFile none\n{}",
                  address(host), key, folder_.file("id.pub"),
                  root.empty() ? "" : "ChrootDirectory /srv\n"));
  // Mounts of a host's own: they go away with it.
  const std::string mounts =
      root.empty()
          ? ""
          : fmt::format("mount --bind '{}' /srv && mount -t proc proc /srv/proc && ", root);
  servers_.push_back(std::make_unique<DroverProcess>(
      "/bin/sh",
      std::vector<std::string>{
          "-c", fmt::format("{}exec ip netns exec {} unshare -m sh -c \"mount "
                            "--make-rprivate / && {}exec $(command -v sshd) -D -e -f {}\"",
                            administrator, space(host), mounts, config)}));
  return {};
}

SshTestNetwork::~SshTestNetwork() {
  for (int number = 0; number <= host_count; ++number) {
    run_shell(fmt::format("kill -9 $(ip netns pids {0}); ip netns del {0}", space(number)));
  }
}

Status SshTestNetwork::ready() {
  if (!built_) return built_;
  for (int host = 1; host <= host_count; ++host) {
    if (Status fine = answers(host); !fine) return fine;
  }
  return {};
}

Status SshTestNetwork::answers(int host) {
  const std::string try_it = fmt::format(
      "ip netns exec {} ssh -F none -i {} -o UserKnownHostsFile={} -o "
      "StrictHostKeyChecking=accept-new -o BatchMode=yes root@{} true",
      space(0), folder_.file("id"), known_hosts(), address(host));
  DroverProcess& server = *servers_[static_cast<std::size_t>(host - 1)];
  Status tried;
  bool ended = false;
  commands::eventually(
      [&] {
        ended = server.ends(std::chrono::seconds(0));
        tried = run_step(try_it);
        return tried || ended;
      },
      std::chrono::seconds(20));
  if (tried) return {};
  return error("host {} does not answer: {}; its server {}: {}", host, tried.error().message,
               ended ? "ended: " + ending(server.wait()) : "runs", last_words(server.err()));
}

std::string SshTestNetwork::space(int number) const { return fmt::format("{}-{}", id_, number); }
std::string SshTestNetwork::address(int host) const { return fmt::format("{}.1{}", net_, host); }
std::string SshTestNetwork::router_address() const { return net_ + ".1"; }

Status SshTestNetwork::plug(int host, bool in) const {
  return run_step(fmt::format("ip -n {} link set v{} {}", space(0), host, in ? "up" : "down"));
}

std::unique_ptr<DroverProcess> SshTestNetwork::start(const std::vector<std::string>& words) const {
  const std::string line = fmt::format("{}exec ip netns exec {} \"$@\"", administrator, space(0));
  std::vector<std::string> all = {"-c", line, "ip", DROVER_BINARY};
  all.insert(all.end(), words.begin(), words.end());
  return std::make_unique<DroverProcess>("/bin/sh", all);
}

ProcessResult SshTestNetwork::drover(const std::vector<std::string>& words) const {
  return start(words)->wait(std::chrono::seconds(120));
}

std::string SshTestNetwork::ssh_options() const {
  return fmt::format(
      R"(["-F", "none", "-i", "{}", "-o", "UserKnownHostsFile={}", "-o", "StrictHostKeyChecking=yes"])",
      folder_.file("id"), known_hosts());
}

int SshTestNetwork::agents(int host) const {
  const ProcessResult ran = run_shell(fmt::format(
      "for pid in $(ip netns pids {}); do tr '\\0' ' ' </proc/$pid/cmdline; echo; done | "
      "grep -c 'drover agent '",
      space(host)));
  return std::atoi(ran.out.c_str());
}

}  // namespace drover::launch
