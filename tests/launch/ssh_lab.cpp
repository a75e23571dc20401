#include "ssh_lab.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace drover::launch {

namespace fs = std::filesystem;
using commands::Program;
using commands::Ran;
using commands::run_shell;

namespace {

constexpr int host_count = 3;
constexpr std::chrono::seconds debootstrap_patience{400};

bool runs(const std::string& line) { return run_shell(line).exit_code == 0; }

/// Of tests that were killed: their number is no process any more.
void remove_leftovers() {
  run_shell(
      "for space in $(ip netns list | sed -n 's/^\\(drover-[0-9]*-[0-9]\\).*/\\1/p'); do "
      "pid=${space#drover-}; [ -d /proc/${pid%-*} ] && continue; "
      "kill -9 $(ip netns pids $space); ip netns del $space; done");
}

}  // namespace

std::string SshLab::missing() {
  if (geteuid() != 0) return "not root: no network namespaces";
  for (const char* tool : {"ip", "ssh", "ssh-keygen", "/usr/sbin/sshd"}) {
    if (!runs(fmt::format("command -v {}", tool))) return fmt::format("{} is not installed", tool);
  }
  const std::string trial = fmt::format("drover-{}-try", getpid());
  if (!runs(fmt::format("ip netns add {0} && ip netns del {0}", trial))) {
    return "no network namespaces on this machine";
  }
  return {};
}

std::string SshLab::fresh_root() {
  const std::string root = DROVER_SOURCE_DIR "/build/test-root-bookworm";
  if (fs::exists(root)) return root;
  if (!runs("command -v debootstrap")) return {};
  const std::string fresh = fmt::format("{}.{}", root, getpid());
  const Ran made = run_shell(
      fmt::format("debootstrap --variant=minbase bookworm '{0}' && mv -T '{0}' '{1}'", fresh, root),
      debootstrap_patience);
  if (made.exit_code == 0) return root;
  run_shell(fmt::format("rm -rf --one-file-system '{}'", fresh));
  // Another test may have been faster.
  return fs::exists(root) ? root : std::string();
}

SshLab::SshLab(const std::string& fresh_root) : id_(fmt::format("drover-{}", getpid())) {
  net_ = "10.77.0";
  remove_leftovers();
  const std::string hub = space(0);
  run_shell(
      fmt::format("ip netns add {0} && ip -n {0} link set lo up && ip -n {0} link add name bridge0 "
                  "type bridge && "
                  "ip -n {0} addr add {1}.1/24 dev bridge0 && ip -n {0} link set bridge0 up",
                  hub, net_));
  const std::string key = folder_.file("id");
  run_shell(fmt::format("mkdir -p /run/sshd; ssh-keygen -q -t ed25519 -N '' -f {}", key));
  for (int host = 1; host <= host_count; ++host) {
    run_shell(fmt::format(
        "ip netns add {1} && ip -n {0} link add v{3} type veth peer name eth0 netns {1} && "
        "ip -n {0} link set v{3} master bridge0 up && ip -n {1} addr add {2} dev eth0 && "
        "ip -n {1} link set lo up && ip -n {1} link set eth0 up",
        hub, space(host), address(host) + "/24", host));
    start_host(host, host == host_count ? fresh_root : "");
  }
}

void SshLab::start_host(int host, const std::string& root) {
  const std::string key = folder_.file(fmt::format("host{}", host));
  run_shell(fmt::format("ssh-keygen -q -t ed25519 -N '' -f {}", key));
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
  servers_.push_back(std::make_unique<Program>(
      "/bin/sh",
      std::vector<std::string>{
          "-c", fmt::format("exec ip netns exec {} unshare -m sh -c \"mount --make-rprivate / && "
                            "{}exec /usr/sbin/sshd -D -e -f {}\"",
                            space(host), mounts, config)}));
}

SshLab::~SshLab() {
  for (int number = 0; number <= host_count; ++number) {
    run_shell(fmt::format("kill -9 $(ip netns pids {0}); ip netns del {0}", space(number)));
  }
}

bool SshLab::ready() {
  for (int host = 1; host <= host_count; ++host) {
    const std::string try_it = fmt::format(
        "ip netns exec {} ssh -F none -i {} -o UserKnownHostsFile={} -o "
        "StrictHostKeyChecking=accept-new -o BatchMode=yes root@{} true",
        space(0), folder_.file("id"), known_hosts(), address(host));
    if (!commands::eventually([&] { return runs(try_it); }, std::chrono::seconds(20))) return false;
  }
  return true;
}

std::string SshLab::space(int number) const { return fmt::format("{}-{}", id_, number); }
std::string SshLab::address(int host) const { return fmt::format("{}.1{}", net_, host); }
std::string SshLab::router_address() const { return net_ + ".1"; }

void SshLab::plug(int host, bool in) const {
  run_shell(fmt::format("ip -n {} link set v{} {}", space(0), host, in ? "up" : "down"));
}

std::unique_ptr<Program> SshLab::start(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {"netns", "exec", space(0), DROVER_BINARY};
  all.insert(all.end(), words.begin(), words.end());
  return std::make_unique<Program>("/bin/ip", all);
}

Ran SshLab::drover(const std::vector<std::string>& words) const {
  return start(words)->wait(std::chrono::seconds(120));
}

std::string SshLab::ssh_options() const {
  return fmt::format(
      R"(["-F", "none", "-i", "{}", "-o", "UserKnownHostsFile={}", "-o", "StrictHostKeyChecking=yes"])",
      folder_.file("id"), known_hosts());
}

int SshLab::agents(int host) const {
  const Ran ran = run_shell(fmt::format(
      "for pid in $(ip netns pids {}); do tr '\\0' ' ' </proc/$pid/cmdline; echo; done | "
      "grep -c 'drover agent '",
      space(host)));
  return std::atoi(ran.out.c_str());
}

}  // namespace drover::launch
