#include "tests/studies/gavel_study.h"

#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "devices/catalogue/spec_name_resolver.h"
#include "fleet/trace/trace.h"

namespace drover::simulator {
namespace {

Result<std::string> text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return error("{}: cannot be read", path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Result<std::vector<Arrival>> read_gavel(const GavelFiles& files,
                                        const devices::Catalogue& catalogue, std::uint64_t seed,
                                        std::size_t jobs_max) {
  devices::SpecNameResolver names(catalogue);
  const auto find_device = [&](std::string_view name) -> Result<std::string> {
    const auto device = names.device(name);
    if (!device) return device.error();
    return device->spec->id;
  };
  const Result<std::string> measured = text_of(files.throughputs);
  if (!measured) return measured.error();
  auto throughputs = Throughputs::parse(*measured, files.throughputs, find_device);
  if (!throughputs) return throughputs.error();
  TraceReaderOptions reading;
  reading.format = TraceFormat::gavel;
  reading.file = files.trace;
  reading.throughputs = *std::move(throughputs);
  reading.find_model = [&](std::string_view name) -> Result<std::string> {
    const auto model = names.model(name);
    if (!model) return model.error();
    return (*model)->id;
  };
  std::ifstream file(files.trace, std::ios::binary);
  if (!file) return error("{}: cannot be read", files.trace);
  TraceReader reader(std::move(reading), RandomStream(seed).child("gavel"));
  std::vector<Arrival> arrivals;
  for (std::string line; arrivals.size() < jobs_max && std::getline(file, line);) {
    auto row = reader.read_line(line);
    if (!row) return row.error();
    if (*row) arrivals.push_back({(*row)->arrival, std::move((*row)->job)});
  }
  return arrivals;
}

std::vector<agents::AgentSettings> gavel_fleet(std::uint16_t of_each) {
  constexpr std::uint16_t host_devices = 8;
  std::vector<agents::AgentSettings> hosts;
  for (const auto& [name, device] : {std::pair{"k80", "k80"}, std::pair{"p100", "p100-pcie"},
                                     std::pair{"v100", "v100-sxm2-16gb"}}) {
    int number = 0;
    for (std::uint16_t left = of_each; left > 0;) {
      agents::AgentSettings host;
      host.host = fmt::format("{}-{}", name, ++number);
      host.rack = fmt::format("rack-{}", name);
      host.labels["price"] = number % 2 == 0 ? "spot" : "on_demand";
      const std::uint16_t count = std::min(left, host_devices);
      host.groups = {{device, count, ""}};
      left = static_cast<std::uint16_t>(left - count);
      hosts.push_back(std::move(host));
    }
  }
  return hosts;
}

}  // namespace drover::simulator
