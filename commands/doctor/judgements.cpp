#include "commands/doctor/judgements.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {

namespace {

// The smallest usual terminal, for which the views are drawn.
constexpr int columns_wanted = 80, rows_wanted = 24;

// A router has two connections of each agent and each viewer, and some files of its own.
constexpr std::uint64_t agents_wanted = 1250;
constexpr std::uint64_t files_wanted = 2 * agents_wanted + 300;

// A recording stops and a ledger rejects work when the disk is full.
constexpr std::uint64_t free_bytes_needed = std::uint64_t{256} << 20;
constexpr std::uint64_t free_bytes_wanted = std::uint64_t{1} << 30;

// Clocks that are kept by NTP differ less.
constexpr double offset_wanted_s = 1;

Finding fine(std::string found) { return {Verdict::ok, std::move(found), "", ""}; }

Finding note(std::string found, std::string expected, std::string fix) {
  return {Verdict::note, std::move(found), std::move(expected), std::move(fix)};
}

Finding problem(std::string found, std::string expected, std::string fix) {
  return {Verdict::problem, std::move(found), std::move(expected), std::move(fix)};
}

struct Advice {
  const char* expected;
  const char* fix;
};

/// How to get into a router that is there.
Advice advice_on(std::optional<ConnectRefusal> refusal) {
  if (!refusal) {
    return {"a router that accepts this connection",
            "drover keys list  # may the role of this key do so? else try again: it may be busy"};
  }
  switch (*refusal) {
    case ConnectRefusal::key:
      return {"a key that the router allows",
              "drover keys allow NAME.pub  # on the router's machine, with this key's public half"};
    case ConnectRefusal::router_key:
      return {"the router's present public key in router.pub",
              "scp ROUTER:DIR/router.pub DIR  # from the router's folder of keys into this one"};
    case ConnectRefusal::plain_text:
      return {"an encrypted connection",
              "drover doctor --keys DIR --key NAME  # with a key that the router knows"};
    case ConnectRefusal::encryption:
      return {"a router with keys, or a connection without",
              "env -u DROVER_KEYS drover doctor  # or: drover router --keys DIR"};
  }
  return {};
}

}  // namespace

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::note:
      return "note";
    case Verdict::problem:
      return "problem";
  }
  return "";
}

Finding judge_terminal(const TerminalFacts& facts) {
  if (!facts.interactive) {
    return note("standard output is no terminal", "a terminal, for drover top",
                "run drover doctor in the terminal itself");
  }
  if (!facts.problem.empty()) {
    return problem(facts.problem, "a terminal that the terminal database knows",
                   "export TERM=xterm-256color");
  }
  const std::string found =
      fmt::format("{}, {}x{}", printable(facts.term), facts.columns, facts.rows);
  if (facts.columns >= columns_wanted && facts.rows >= rows_wanted) return fine(found);
  return note(found, fmt::format("at least {}x{}", columns_wanted, rows_wanted),
              "enlarge the window; smaller ones show less");
}

Finding judge_colours(const TerminalFacts& facts) {
  if (!facts.problem.empty()) return note("not known", "a known terminal", "see terminal");
  if (facts.no_colour) return note("none: NO_COLOR is set", "256 colours", "unset NO_COLOR");
  if (facts.colours < 8) return note("none", "256 colours", "export TERM=xterm-256color");
  if (facts.colours < 256) {
    return note(fmt::format("{}", facts.colours), "256", "export TERM=xterm-256color");
  }
  return fine(facts.true_colour ? "24 bits" : fmt::format("{}", facts.colours));
}

Finding judge_locale(const LocaleFacts& facts) {
  const std::string name = facts.name.empty() ? "no locale is set" : printable(facts.name);
  if (facts.installed && facts.utf8) return fine(name);
  const std::string found = facts.installed ? name + ": not UTF-8" : name + ": not installed";
  return note(found, "a UTF-8 locale, for boxes and charts; else they are drawn in ASCII",
              "export LC_ALL=C.UTF-8");
}

Finding judge_ports(const PortsFacts& facts) {
  if (!facts.here) {
    return fine(fmt::format("{} is on another machine", printable(facts.endpoint)));
  }
  if (facts.router) return fine(fmt::format("{}: used by a router", printable(facts.endpoint)));
  for (const PortFacts& each : facts.ports) {
    if (each.error == 0) continue;
    if (each.error == EADDRINUSE) {
      return problem(fmt::format("port {} is taken, and no router answers at {}", each.port,
                                 printable(facts.endpoint)),
                     fmt::format("ports {} to {} free, or a router", facts.ports.front().port,
                                 facts.ports.back().port),
                     fmt::format("ss -ltnp 'sport = :{}'  # or: drover router --listen with "
                                 "another port",
                                 each.port));
    }
    return problem(fmt::format("port {}: {}", each.port, std::strerror(each.error)),
                   "a port on which this user may listen",
                   "drover router --listen tcp://127.0.0.1:7700");
  }
  if (facts.ports.empty()) return note("not known", "an endpoint with one port", "see router");
  return fine(fmt::format("{} to {}: free", facts.ports.front().port, facts.ports.back().port));
}

Finding judge_router(const RouterFacts& facts) {
  if (!facts.problem.empty() && facts.answers) {
    const auto [expected, fix] = advice_on(facts.refusal);
    return problem(facts.problem, expected, fix);
  }
  if (!facts.problem.empty()) {
    return note(facts.problem, "a running router (not needed to watch real devices)",
                "drover router  # or everything at once: drover demo");
  }
  const std::string found =
      fmt::format("{} at {}", printable(facts.software), printable(facts.endpoint));
  if (facts.software == facts.own) return fine(found);
  return note(found, facts.own + ", as this program", "install one version on all machines");
}

Finding judge_clock(const ClockFacts& facts) {
  // The system may wake a sleeper late, never early.
  if (facts.monotonic_s < facts.slept_s * 0.9) {
    return problem(fmt::format("the monotonic clock advanced {:.3f} s while {:.3f} s passed",
                               facts.monotonic_s, facts.slept_s),
                   "a monotonic clock that advances",
                   "cat /sys/devices/system/clocksource/clocksource0/current_clocksource");
  }
  if (!facts.offset_s) return fine("the monotonic clock advances; no router to compare with");
  if (facts.speed != 1) {
    return fine(fmt::format("fleet time runs {:g} times as fast as this machine's", facts.speed));
  }
  const double apart = std::abs(*facts.offset_s);
  const std::string found =
      fmt::format("the router's clock is {:.3f} s {} (round trip {:.1f} ms)", apart,
                  *facts.offset_s < 0 ? "behind" : "ahead", facts.round_trip_s * 1000);
  if (apart <= offset_wanted_s + facts.round_trip_s) return fine(found);
  return note(found,
              fmt::format("within {:g} s; times on screen are the router's", offset_wanted_s),
              "timedatectl set-ntp true  # on both machines");
}

Finding judge_keys(const KeysFacts& facts) {
  const std::string folder = printable(facts.folder);
  if (!facts.problems.empty()) {
    const std::string& first = facts.problems.front();
    const auto fix = first.find("fix with: ");
    const auto end = first.find(';', fix == std::string::npos ? 0 : fix);
    return problem(
        first.substr(0, first.find("; fix with: ")), "keys that only their user can read",
        fix == std::string::npos ? "drover keys list" : first.substr(fix + 10, end - fix - 10));
  }
  if (facts.exists)
    return fine(
        fmt::format("{}: {}", folder, counted(static_cast<std::uint64_t>(facts.keys), "key")));
  if (facts.wanted) {
    return problem(folder + ": no such folder", "the folder of $DROVER_KEYS or --keys",
                   "drover keys new router  # see drover keys --help");
  }
  if (facts.loopback) return fine("none; connections stay on this machine, not encrypted");
  return note("none, and the router is on another machine", "encrypted connections",
              "drover keys --help");
}

Finding judge_descriptors(const DescriptorFacts& facts) {
  const std::string found =
      facts.soft == facts.hard
          ? fmt::format("{} open files", facts.hard)
          : fmt::format("{} open files, raised to {} by a router", facts.soft, facts.hard);
  if (facts.hard >= files_wanted) return fine(found);
  return note(found, fmt::format("{} for a router with {} agents", files_wanted, agents_wanted),
              fmt::format("echo \"$USER hard nofile {}\" | sudo tee -a /etc/security/limits.conf",
                          2 * files_wanted));
}

Finding judge_drivers(const DriverFacts& facts) {
  if (!facts.ended) {
    return problem("the search for devices has not ended: a driver may hang", "drivers that answer",
                   "sudo dmesg | tail");
  }
  std::vector<std::string> found;
  std::size_t devices = 0;
  std::string why;
  for (const agents::FoundDriver& each : facts.drivers) {
    devices += each.devices;
    if (each.devices > 0) {
      found.push_back(fmt::format("{} of {}", counted(each.devices, "device"),
                                  printable(each.driver.empty() ? "a driver" : each.driver)));
    }
    if (each.driver.starts_with("NVML") && !each.notes.empty()) why = each.notes.front();
    if (each.driver.empty() && why.empty() && !each.notes.empty()) why = each.notes.front();
  }
  if (devices > 0) return fine(joined(found, ", "));
  if (facts.nvidia_cards > 0) {
    return problem(
        fmt::format("{} on the PCI bus, but no NVML{}{}",
                    counted(static_cast<std::uint64_t>(facts.nvidia_cards), "NVIDIA card"),
                    why.empty() ? "" : ": ", printable(why)),
        "NVIDIA's driver with libnvidia-ml.so.1",
        "nvidia-smi  # and: drover agent --real --dry-run");
  }
  return fine("no GPU or TPU on this machine; emulated ones need none");
}

Finding judge_disk(const std::vector<DiskPlace>& places) {
  const DiskPlace* least = nullptr;
  for (const DiskPlace& place : places) {
    if (!place.problem.empty()) {
      return problem(fmt::format("{}: {}", place.what, printable(place.problem)),
                     "a folder that this user can write to",
                     fmt::format("ls -ld {}", printable(place.folder)));
    }
    if (least == nullptr || place.free_bytes < least->free_bytes) least = &place;
  }
  if (least == nullptr) return problem("no folder to write to", "a home folder", "export HOME=...");
  const std::string found =
      fmt::format("{} free for the {} in {}", bytes_text(static_cast<double>(least->free_bytes)),
                  least->what, printable(least->folder));
  if (least->free_bytes >= free_bytes_wanted) return fine(found);
  const std::string fix = fmt::format("df -h {}", printable(least->folder));
  return least->free_bytes < free_bytes_needed
             ? problem(found,
                       fmt::format("at least {}: recordings stop below",
                                   bytes_text(static_cast<double>(free_bytes_needed))),
                       fix)
             : note(found,
                    fmt::format("{} or more", bytes_text(static_cast<double>(free_bytes_wanted))),
                    fix);
}

Finding judge_settings(const SettingsFacts& facts) {
  if (facts.path.empty()) {
    return note("no home folder, so no settings file", "$HOME or $XDG_CONFIG_HOME",
                "export HOME=...");
  }
  if (!facts.problem.empty()) {
    return problem(facts.problem, "valid settings",
                   "drover config check  # after editing the file");
  }
  if (!facts.exists) return fine(printable(facts.path) + ": none, the defaults apply");
  return fine(printable(facts.path) + ": valid");
}

}  // namespace drover::commands
