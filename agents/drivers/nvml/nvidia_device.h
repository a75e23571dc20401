// One NVIDIA board, read through NVML.
#pragma once

#include <bitset>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/drivers/driver.h"
#include "agents/drivers/nvml/nvml_library.h"
#include "agents/drivers/nvml/nvml_questions.h"
#include "agents/drivers/process_owners.h"

namespace drover::agents {

/// A use of the library. NVML counts its uses and closes the driver when the last one ends, so that
/// a driver that was unloaded works again once it is back.
class NvmlUse {
 public:
  explicit NvmlUse(const nvml::Library& library)
      : shut_down_(library.shut_down), answer_(library.initialize()) {}
  ~NvmlUse() {
    if (answer_ == nvml::Answer::ok) (void)shut_down_();
  }
  NvmlUse(const NvmlUse&) = delete;
  NvmlUse& operator=(const NvmlUse&) = delete;
  nvml::Answer answer() const { return answer_; }

 private:
  nvml::Function<> shut_down_;
  nvml::Answer answer_;
};

/// Another board of this machine.
struct OtherBoard {
  nvml::Device handle = nullptr;
  std::string bus;
};

/// What is known of a board once it is found.
struct NvidiaBoard {
  unsigned index = 0;  // NVML's
  nvml::Device handle = nullptr;
  std::string identity;
  std::string name;
  std::string uuid;
  std::string bus;
  std::string driver;  // its version
  std::optional<std::uint16_t> numa_node;
  std::vector<OtherBoard> others;
};

/// The PCI address as the kernel writes it: "0000:3b:00.0".
std::string bus_text(const nvml::PciAddress& address);

class NvidiaDevice : public DriverDevice {
 public:
  NvidiaDevice(const nvml::Library& library, NvidiaBoard board, const DriverPlaces& places);
  ~NvidiaDevice() override;

  std::string identity() const override { return board_.identity; }
  BoardReading read(double now_s) override;
  Status set_power_cap(double watts) override;

 private:
  // agents/drivers/nvml/nvidia_device.cpp
  void read_facts(double now_s);
  void read_memory(Sample& values);
  void read_numbers(Sample& values);
  void read_counters(Sample& values);
  void fill_in_missing(BoardReading& reading) const;
  // agents/drivers/nvml/nvidia_rates.cpp
  void read_events(BoardReading& reading);
  void read_fields(Sample& values, double now_s);
  void read_activity(Sample& values);
  bool counts_activity();
  // agents/drivers/nvml/nvidia_links.cpp
  void read_links(double now_s);
  DeviceLink read_link(unsigned number, bool active);
  template <typename... Parameters, typename... Arguments>
  bool ask_link(Question question, const nvml::Function<nvml::Device, Parameters...>& function,
                Arguments... arguments);
  void show_links();
  std::optional<double> link_rate();
  void read_paths();
  // agents/drivers/nvml/nvidia_processes.cpp
  /// None: the driver does not say.
  std::optional<std::vector<nvml::Process>> processes_of(
      Question question, const nvml::Function<nvml::Device, unsigned*, nvml::Process*>& function);
  void read_processes(Board& board, double now_s);
  void read_process_shares(std::vector<DeviceProcess>& processes, double now_s);
  void read_partitions(Board& board);

  /// A counter of bytes, and when it was read.
  struct Counted {
    double bytes = 0;
    double at_s = 0;
  };
  void set_rate(Sample& values, Metric metric, std::optional<Counted>& before, Counted now);

  /// A round through the links, over several readings.
  struct LinkRound {
    bool round_open = false;
    std::optional<double> began_s;
    std::optional<double> asked_s;
    unsigned next = 0;  // the number of a link
    std::vector<DeviceLink> read;
    std::bitset<question_count> answered, refused;  // by some link
  };

  const nvml::Library library_;
  const NvmlUse use_;
  const NvidiaBoard board_;
  NvmlQuestions questions_;
  ProcessOwners owners_;

  Board facts_;  // what seldom changes
  double facts_read_s_ = 0;
  LinkRound links_;
  bool asked_paths_ = false;
  std::future<std::vector<DevicePath>> paths_;  // valid until they are in `facts_`
  bool partitioned_ = false;
  std::optional<Counted> link_sent_;
  std::optional<Counted> link_received_;
  nvml::EventSet events_ = nullptr;
  unsigned last_xid_ = 0;
  nvml::GpmSample activity_before_ = nullptr;
  nvml::GpmSample activity_now_ = nullptr;
  bool has_activity_before_ = false;
  std::uint64_t shares_taken_us_ = 0;  // of the newest share of a process that was read
  double shares_came_s_ = 0;           // when it was read
};

}  // namespace drover::agents
