#include "commands/doctor/probes.h"

#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "commands/connection/keys.h"
#include "commands/dashboard/settings_file.h"
#include "commands/readings/driver_source.h"
#include "commands/shell/clock.h"
#include "commands/shell/file_descriptor.h"
#include "commands/shell/files.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"
#include "tui/terminal/terminal_description.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds router_answers_within{1500};
constexpr WallSpan drivers_answer_within = std::chrono::seconds(5);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

double seconds_since(WallTime start) {
  return std::chrono::duration<double>(wall_now() - start).count();
}

/// errno of an attempt to listen on this port, 0 if that works.
int listen_error(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  if (getaddrinfo(host.c_str(), service.c_str(), &hints, &found) != 0) return EADDRNOTAVAIL;
  const FileDescriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // As ZeroMQ does: connections of a router that has just ended do not count.
  const int on = 1;
  (void)setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool works = socket.is_open() &&
                     bind(socket.get(), found->ai_addr, found->ai_addrlen) == 0 &&
                     listen(socket.get(), 1) == 0;
  const int why = works ? 0 : errno;
  freeaddrinfo(found);
  return why;
}

/// The folder, or the nearest one above it that exists.
fs::path existing_folder(fs::path folder) {
  std::error_code unknown;
  while (!folder.empty() && !fs::exists(folder, unknown) && folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

DiskPlace probe_place(std::string what, const std::string& folder) {
  DiskPlace place{std::move(what), existing_folder(folder).string(), "", 0};
  struct statvfs found {};
  if (statvfs(place.folder.c_str(), &found) != 0 ||
      access(place.folder.c_str(), W_OK | X_OK) != 0) {
    place.problem = place.folder + ": " + std::strerror(errno);
    return place;
  }
  if ((found.f_flag & ST_RDONLY) != 0) place.problem = place.folder + ": mounted read-only";
  place.free_bytes = std::uint64_t{found.f_bavail} * found.f_frsize;
  return place;
}

/// The first word of a file of the kernel.
std::string first_word(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

/// Display controllers of NVIDIA, whether or not a driver is loaded.
int nvidia_cards() {
  int cards = 0;
  std::error_code problem;
  for (fs::directory_iterator entry("/sys/bus/pci/devices", problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const bool display = first_word(entry->path() / "class").starts_with("0x03");
    if (display && first_word(entry->path() / "vendor") == "0x10de") ++cards;
  }
  return cards;
}

}  // namespace

RouterProbe probe_router(const RouterAddress& address) {
  RouterProbe probe{address, nullptr, "", false, 0, 0};
  auto session = Session::open({address, Role::client, user_name("doctor"), router_answers_within},
                               &probe.refusal);
  if (!session) {
    probe.problem = session.error().message;
    probe.answers = session.error().kind == ErrorKind::refused;
    return probe;
  }
  probe.answers = true;
  probe.session = *std::move(session);
  const WallTime asked = wall_now();
  const auto summary = probe.session->ask<Summary>(SummaryRequest{}, router_answers_within);
  probe.round_trip_s = seconds_since(asked);
  if (!summary) probe.problem = summary.error().message;
  probe.offset_s = to_seconds(probe.session->clock().now() - system_now());
  return probe;
}

TerminalFacts probe_terminal() {
  TerminalFacts facts;
  facts.interactive = isatty(STDOUT_FILENO) == 1;
  facts.term = variable("TERM");
  const tui::TerminalDescription description = tui::describe_terminal(facts.term);
  facts.problem = description.problem;
  facts.colours = description.colours;
  facts.no_colour = !variable("NO_COLOR").empty();
  facts.true_colour = description.direct_colour;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    facts.columns = size.ws_col;
    facts.rows = size.ws_row;
  }
  return facts;
}

LocaleFacts probe_locale() {
  LocaleFacts facts;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (facts.name.empty()) facts.name = variable(name);
  }
  const locale_t locale = newlocale(LC_ALL_MASK, "", locale_t{});
  if (locale == locale_t{}) return facts;
  facts.installed = true;
  facts.utf8 = std::strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
  freelocale(locale);
  return facts;
}

PortsFacts probe_ports(const RouterProbe& router) {
  PortsFacts facts;
  facts.endpoint = router.address.endpoint;
  facts.router = router.answers;
  const auto endpoint = parse_endpoint(router.address.endpoint, "--connect");
  if (!endpoint) return facts;
  // Only the addresses of this machine can be listened on.
  facts.here = endpoint->loopback() || listen_error(endpoint->host, 0) == 0;
  if (!facts.here || facts.router) return facts;
  for (int port = endpoint->port; port < endpoint->port + 3 && port < 65536; ++port) {
    facts.ports.push_back({port, listen_error(endpoint->host, port)});
  }
  return facts;
}

ClockFacts probe_clock(const RouterProbe& router) {
  ClockFacts facts;
  const Instant began = system_now();
  const WallTime start = wall_now();
  usleep(5000);
  facts.monotonic_s = seconds_since(start);
  facts.slept_s = std::min(0.005, to_seconds(system_now() - began));
  if (router.session == nullptr) return facts;
  facts.offset_s = router.offset_s;
  facts.round_trip_s = router.round_trip_s;
  facts.speed = router.session->welcome().speed;
  return facts;
}

KeysFacts probe_keys(const RouterAddress& address) {
  KeysFacts facts;
  facts.wanted = !address.keys.empty();
  const auto endpoint = parse_endpoint(address.endpoint, "--connect");
  facts.loopback = endpoint && endpoint->loopback();
  const auto folder = facts.wanted ? Result<std::string>(address.keys) : default_keys_folder();
  if (!folder) return facts;
  facts.folder = *folder;
  std::error_code unknown;
  facts.exists = fs::exists(facts.folder, unknown);
  if (!facts.exists) return facts;
  const auto listing = list_keys(facts.folder);
  if (!listing) {
    facts.problems.push_back(listing.error().message);
    return facts;
  }
  facts.keys = static_cast<int>(listing->keys.size());
  facts.problems = listing->problems;
  return facts;
}

DescriptorFacts probe_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return {limit.rlim_cur, limit.rlim_max};
}

DriverFacts probe_drivers() {
  DriverFacts facts;
  facts.nvidia_cards = nvidia_cards();
  DriverSource source;
  const WallTime end = wall_now() + drivers_answer_within;
  while (source.found().empty() && wall_now() < end) {
    pollfd ready{source.descriptor(), POLLIN, 0};
    (void)::poll(&ready, 1, 100);
    (void)source.take(wall_now());
  }
  facts.drivers = source.found();
  facts.ended = !facts.drivers.empty();
  return facts;
}

std::vector<DiskPlace> probe_disk() {
  std::vector<DiskPlace> places;
  if (const auto folder = user_folder("XDG_STATE_HOME", ".local/state")) {
    places.push_back(probe_place("ledger", *folder));
  }
  if (const auto folder = user_folder("XDG_CONFIG_HOME", ".config")) {
    places.push_back(probe_place("settings and keys", *folder));
  }
  std::error_code unknown;
  places.push_back(probe_place("recordings", fs::current_path(unknown).string()));
  return places;
}

SettingsFacts probe_settings() {
  SettingsFile file(SettingsFile::default_path());
  SettingsFacts facts{file.path(), file.exists(), ""};
  if (const auto read = file.read(); !read) facts.problem = read.error().message;
  return facts;
}

}  // namespace drover::commands
