#include "agents/drivers/device_workers.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "fleet/base/mutex.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {

namespace {

MonotonicTime monotonic_now() { return std::chrono::steady_clock::now(); }

double seconds_of(MonotonicSpan span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

/// What the threads share. It outlives DeviceWorkers while a call hangs: then the last thread that
/// ends deletes it.
class DeviceWorkers::Threads {
 public:
  Threads(Search search, const DeviceWorkerSettings& settings)
      : search_(std::move(search)), settings_(settings) {}
  ~Threads() { close(descriptor_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void start();
  /// Whether all threads have ended in time. If not, they are detached, and `this` is theirs.
  bool end();

  int descriptor() const { return descriptor_; }
  DriverNews take();
  void request(MonotonicTime now);
  std::vector<SilentDevice> silent(MonotonicTime now) const;
  void set_power_cap(const std::string& identity, double watts);

 private:
  /// Under `mutex_`, but for what `device` points to: only the worker's thread calls it.
  struct Worker {
    std::string identity;
    std::unique_ptr<DriverDevice> device;  // null: lost
    bool requested = false;
    std::deque<double> caps;             // W, to be set
    std::optional<MonotonicTime> since;  // of the call that it is at
    std::thread thread;
  };

  /// The next call of a worker; without a device the thread ends.
  struct Call {
    DriverDevice* device = nullptr;
    std::optional<double> cap_w;  // none: a reading
  };

  void search_loop();
  void add(std::vector<FoundDevices> found);
  /// Returns the device if it is known already, so that it is destroyed without the lock.
  std::unique_ptr<DriverDevice> add(std::unique_ptr<DriverDevice> device) DROVER_REQUIRES(mutex_);
  void refuse_cap(const std::string& identity, double watts) DROVER_REQUIRES(mutex_);
  void work(Worker& worker);
  Call next_call(Worker& worker);
  void finish(Worker& worker, BoardReading reading);
  void finish(Worker& worker, PowerCapResult result);
  std::unique_ptr<DriverDevice> give_up(Worker& worker) DROVER_REQUIRES(mutex_);
  void leave();
  void wake_loop() DROVER_REQUIRES(mutex_);

  const Search search_;
  const DeviceWorkerSettings settings_;
  const int descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  mutable Mutex mutex_;
  std::condition_variable_any wake_;   // wakes the threads: something to do, or the end
  std::condition_variable_any ended_;  // wakes the destructor: the last thread ends
  std::vector<std::unique_ptr<Worker>> workers_ DROVER_GUARDED_BY(mutex_);
  std::thread searcher_ DROVER_GUARDED_BY(mutex_);
  bool search_due_ DROVER_GUARDED_BY(mutex_) = true;
  bool searching_ DROVER_GUARDED_BY(mutex_) = false;
  MonotonicTime search_began_ DROVER_GUARDED_BY(mutex_){};
  MonotonicTime next_search_ DROVER_GUARDED_BY(mutex_){};
  DriverNews news_ DROVER_GUARDED_BY(mutex_);
  std::size_t running_ DROVER_GUARDED_BY(mutex_) = 0;  // threads
  bool ending_ DROVER_GUARDED_BY(mutex_) = false;
  bool detached_ DROVER_GUARDED_BY(mutex_) = false;
};

void DeviceWorkers::Threads::start() {
  const MutexLock lock(mutex_);
  ++running_;
  searcher_ = std::thread([this] { search_loop(); });
}

bool DeviceWorkers::Threads::end() {
  std::vector<std::thread> threads;
  bool in_time = false;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    wake_.notify_all();
    in_time = ended_.wait_for(mutex_, settings_.end_within,
                              [&]() DROVER_REQUIRES(mutex_) { return running_ == 0; });
    detached_ = !in_time;
    threads.push_back(std::move(searcher_));
    for (const auto& worker : workers_) threads.push_back(std::move(worker->thread));
  }
  for (std::thread& thread : threads) in_time ? thread.join() : thread.detach();
  return in_time;
}

void DeviceWorkers::Threads::leave() {
  bool last = false;
  {
    const MutexLock lock(mutex_);
    --running_;
    last = running_ == 0 && detached_;
    if (running_ == 0) ended_.notify_all();
  }
  if (last) delete this;
}

void DeviceWorkers::Threads::wake_loop() {
  const std::uint64_t once = 1;
  (void)!write(descriptor_, &once, sizeof once);
}

DriverNews DeviceWorkers::Threads::take() {
  const MutexLock lock(mutex_);
  std::uint64_t count = 0;
  (void)!read(descriptor_, &count, sizeof count);
  return std::exchange(news_, {});
}

void DeviceWorkers::Threads::request(MonotonicTime now) {
  const MutexLock lock(mutex_);
  for (const auto& worker : workers_) {
    if (worker->device && !worker->since) worker->requested = true;
  }
  if (!searching_ && now >= next_search_) search_due_ = true;
  wake_.notify_all();
}

std::vector<SilentDevice> DeviceWorkers::Threads::silent(MonotonicTime now) const {
  const MutexLock lock(mutex_);
  std::vector<SilentDevice> silent;
  if (searching_ && now - search_began_ > settings_.answer_within) {
    const double silent_s = seconds_of(now - search_began_);
    silent.push_back(
        {"", silent_s, fmt::format("device discovery has been running for {:.0f} s", silent_s)});
  }
  for (const auto& worker : workers_) {
    if (!worker->since || now - *worker->since <= settings_.answer_within) continue;
    const double silent_s = seconds_of(now - *worker->since);
    silent.push_back({worker->identity, silent_s,
                      fmt::format("the driver has not answered for {:.0f} s", silent_s)});
  }
  return silent;
}

void DeviceWorkers::Threads::set_power_cap(const std::string& identity, double watts) {
  const MutexLock lock(mutex_);
  for (const auto& worker : workers_) {
    if (worker->identity != identity || !worker->device) continue;
    worker->caps.push_back(watts);
    return wake_.notify_all();
  }
  refuse_cap(identity, watts);
}

void DeviceWorkers::Threads::refuse_cap(const std::string& identity, double watts) {
  news_.power_caps.push_back(
      {identity, watts, error(ErrorKind::lost, "{}: no such device answers", excerpt(identity))});
  wake_loop();
}

void DeviceWorkers::Threads::search_loop() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      wake_.wait(mutex_, [&]() DROVER_REQUIRES(mutex_) { return ending_ || search_due_; });
      if (ending_) break;
      search_due_ = false;
      searching_ = true;
      search_began_ = monotonic_now();
      next_search_ = search_began_ + settings_.search_every;
    }
    add(search_());
  }
  leave();
}

void DeviceWorkers::Threads::add(std::vector<FoundDevices> found) {
  std::vector<std::unique_ptr<DriverDevice>> known;  // destroyed after the lock is free
  const MutexLock lock(mutex_);
  searching_ = false;
  news_.found.emplace();
  for (FoundDevices& each : found) {
    news_.found->push_back({each.driver, each.devices.size(), std::move(each.notes)});
    for (auto& device : each.devices) known.push_back(add(std::move(device)));
  }
  wake_loop();
}

std::unique_ptr<DriverDevice> DeviceWorkers::Threads::add(std::unique_ptr<DriverDevice> device) {
  if (ending_) return device;
  const std::string identity = device->identity();
  for (const auto& worker : workers_) {
    if (worker->identity != identity) continue;
    if (!worker->device) std::swap(worker->device, device);
    return device;
  }
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.identity = identity;
  worker.device = std::move(device);
  ++running_;
  worker.thread = std::thread([this, &worker] { work(worker); });
  return nullptr;
}

void DeviceWorkers::Threads::work(Worker& worker) {
  while (true) {
    const Call call = next_call(worker);
    if (!call.device) break;
    if (call.cap_w) {
      finish(worker, {worker.identity, *call.cap_w, call.device->set_power_cap(*call.cap_w)});
    } else {
      finish(worker, call.device->read(seconds_of(monotonic_now().time_since_epoch())));
    }
  }
  leave();
}

DeviceWorkers::Threads::Call DeviceWorkers::Threads::next_call(Worker& worker) {
  std::unique_ptr<DriverDevice> unused;  // destroyed after the lock is free
  const MutexLock lock(mutex_);
  wake_.wait(mutex_, [&]() DROVER_REQUIRES(mutex_) {
    return ending_ || worker.requested || !worker.caps.empty();
  });
  if (ending_ && worker.caps.empty()) {
    unused = std::move(worker.device);
    return {};
  }
  worker.since = monotonic_now();
  Call call{worker.device.get(), std::nullopt};
  if (worker.caps.empty()) {
    worker.requested = false;
  } else {
    call.cap_w = worker.caps.front();
    worker.caps.pop_front();
  }
  return call;
}

void DeviceWorkers::Threads::finish(Worker& worker, BoardReading reading) {
  std::unique_ptr<DriverDevice> given_up;
  {
    const MutexLock lock(mutex_);
    if (reading.lost.empty()) {
      worker.since.reset();
    } else {
      given_up = give_up(worker);
    }
    if (BoardReading* earlier = find_by(news_.readings, &BoardReading::identity, worker.identity)) {
      reading.xids.insert(reading.xids.begin(), earlier->xids.begin(), earlier->xids.end());
      *earlier = std::move(reading);
    } else {
      news_.readings.push_back(std::move(reading));
    }
    wake_loop();
  }
  if (!given_up) return;
  given_up.reset();  // may take long, as every call into the driver
  const MutexLock lock(mutex_);
  worker.since.reset();
}

std::unique_ptr<DriverDevice> DeviceWorkers::Threads::give_up(Worker& worker) {
  for (const double watts : std::exchange(worker.caps, {})) refuse_cap(worker.identity, watts);
  next_search_ = std::min(next_search_, search_began_ + settings_.search_pause);
  return std::move(worker.device);
}

void DeviceWorkers::Threads::finish(Worker& worker, PowerCapResult result) {
  const MutexLock lock(mutex_);
  worker.since.reset();
  news_.power_caps.push_back(std::move(result));
  wake_loop();
}

DeviceWorkers::DeviceWorkers(Search search, const DeviceWorkerSettings& settings)
    : threads_(std::make_unique<Threads>(std::move(search), settings)) {
  threads_->start();
}

DeviceWorkers::~DeviceWorkers() {
  if (!threads_->end()) (void)threads_.release();
}

int DeviceWorkers::descriptor() const { return threads_->descriptor(); }
DriverNews DeviceWorkers::take() { return threads_->take(); }
void DeviceWorkers::request(MonotonicTime now) { threads_->request(now); }

std::vector<SilentDevice> DeviceWorkers::silent(MonotonicTime now) const {
  return threads_->silent(now);
}

void DeviceWorkers::set_power_cap(const std::string& identity, double watts) {
  threads_->set_power_cap(identity, watts);
}

}  // namespace drover::agents
