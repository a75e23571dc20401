// Hosts that report to a real router and do nothing else, for measuring what a large fleet costs
// whoever watches it:
//
//   drover_emulated_fleet ENDPOINT [DEVICES [DEVICES_PER_HOST]]     10,000 and 8, until SIGTERM
//
// Every device reports once a second. Three of four work: their load wanders by a twentieth of the
// whole a second, power and heat follow it, memory comes and goes in steps; the others idle, with
// the noise of their sensors. On a terminal that is more change than most real fleets make.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/random_stream.h"
#include "fleet/sample/sample.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;

// ZeroMQ allows 1,023 sockets to a process, and a host has several.
constexpr int hosts_per_process = 100;
constexpr int attempts_max = 20;
constexpr double memory_bytes = 80e9, cap_w = 700, idle_w = 70, inlet_c = 24;

struct Device {
  bool works = true;
  double load = 0, memory = 0.5, temperature_c = inlet_c, energy_j = 0;
};

class Host {
 public:
  Host(const std::string& endpoint, int number, int devices)
      : name_(fmt::format("h-{:04}", number)),
        random_(static_cast<std::uint64_t>(number)),
        devices_(static_cast<std::size_t>(devices)) {
    SessionOptions options;
    options.router.endpoint = endpoint;
    options.role = Role::agent;
    options.name = name_;
    options.timeout = std::chrono::seconds(120);
    // A thousand hosts that come at once try a router's patience, as they do in life.
    for (int attempt = 0; session_ == nullptr; ++attempt) {
      auto session = Session::open(options);
      if (session) session_ = std::move(*session);
      if (session || attempt < attempts_max) continue;
      fmt::print(stderr, "drover_emulated_fleet: {}\n", session.error().message);
      std::exit(1);
    }
    DROVER_REQUIRE(session_->sockets().connect_samples(session_->welcome().samples_endpoint).ok());
    for (Device& device : devices_) {
      device.works = random_.below(4) != 0;
      device.load = device.works ? random_.uniform() : 0;
      device.memory = device.works ? random_.uniform(0.3, 0.95) : 0;
    }
    session_->send(registration(number));
    // Spread over the second, as clocks of real hosts are.
    next_ = wall_now() + milliseconds(random_.below(1000));
  }

  void turn() {
    session_->wait(milliseconds(0));
    if (wall_now() < next_) return;
    next_ += std::chrono::seconds(1);
    Heartbeat beat;
    beat.incarnation = {1, 1};
    session_->send(beat);
    std::vector<Sample> rows(devices_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = measure(i);
    const Envelope samples{name_, ++samples_, session_->clock().now(), pack(name_, rows)};
    session_->sockets().send(samples_peer, encode(samples));
  }

 private:
  Register registration(int number) const {
    Register said;
    said.host = name_;
    said.rack = fmt::format("r-{:03}", number / 8);
    said.incarnation = {1, 1};
    const auto device = devices::Catalogue::embedded().device("h100-sxm");
    said.specs = {{"h100-sxm", (*device)->text}};
    said.groups.push_back({0, 0, static_cast<std::uint16_t>(devices_.size()), "h100-sxm", "", 0});
    return said;
  }

  Sample measure(std::size_t number) {
    Device& device = devices_[number];
    if (device.works) {
      device.load = std::clamp(device.load + random_.uniform(-0.05, 0.05), 0.0, 1.0);
      if (random_.below(20) == 0) device.memory = random_.uniform(0.3, 0.95);
    }
    const double power = idle_w + (cap_w - idle_w) * device.load + random_.uniform(-3, 3);
    device.temperature_c += 0.05 * (inlet_c + 0.08 * power - device.temperature_c);
    device.energy_j += power;
    Sample sample;
    sample.device = static_cast<std::uint16_t>(number);
    sample[Metric::utilization] = device.load;
    sample[Metric::tensor_activity] = 0.6 * device.load;
    sample[Metric::memory_activity] = 0.7 * device.load;
    sample[Metric::memory_total] = memory_bytes;
    sample[Metric::memory_used] = memory_bytes * device.memory;
    sample[Metric::power] = power;
    sample[Metric::power_cap] = cap_w;
    sample[Metric::temperature] = device.temperature_c;
    sample[Metric::clock] = device.works ? 1'980 : 345;
    sample[Metric::throttle] = device.works ? 0.0 : double{throttle_gpu_idle};
    sample[Metric::energy] = device.energy_j;
    sample[Metric::queue] = 0;
    sample[Metric::running] = std::round(16 * device.load);
    return sample;
  }

  std::string name_;
  RandomStream random_;
  std::vector<Device> devices_;
  std::unique_ptr<Session> session_;
  WallTime next_{};
  std::uint64_t samples_ = 0;
};

[[noreturn]] void run_hosts(const std::string& endpoint, int first, int end, int devices_left,
                            int devices_each) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::unique_ptr<Host>> hosts;
  for (int number = first; number < end; ++number) {
    const int devices = std::min(devices_each, devices_left);
    hosts.push_back(std::make_unique<Host>(endpoint, number, devices));
    devices_left -= devices;
    for (const auto& host : hosts) host->turn();  // those that have joined stay in touch
  }
  for (;;) {
    for (const auto& host : hosts) host->turn();
    ::usleep(200'000);
  }
}

void run(const std::string& endpoint, int devices, int devices_each) {
  const int hosts = (devices + devices_each - 1) / devices_each;
  for (int first = 0; first < hosts; first += hosts_per_process) {
    if (::fork() == 0) {
      run_hosts(endpoint, first, std::min(hosts, first + hosts_per_process),
                devices - first * devices_each, devices_each);
    }
  }
  ::wait(nullptr);  // none of them ends by itself
}

}  // namespace
}  // namespace drover::commands

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: drover_emulated_fleet ENDPOINT [DEVICES [DEVICES_PER_HOST]]\n");
    return 2;
  }
  drover::commands::run(words[1], count > 2 ? std::atoi(words[2]) : 10'000,
                        count > 3 ? std::max(1, std::atoi(words[3])) : 8);
  return 1;
}
