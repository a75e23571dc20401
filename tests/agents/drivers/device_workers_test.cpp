// Devices that hang, vanish and come back: the loop never waits for one.
#include "agents/drivers/device_workers.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <poll.h>

#include <gtest/gtest.h>

#include "fleet/base/search.h"

namespace drover::agents {
namespace {

using namespace std::chrono_literals;

/// What the test and the devices of one search share.
struct Script {
  std::mutex mutex;
  std::condition_variable changed;
  bool hanging = false;  // the next calls do not return while this is so
  int reading = 0;       // calls that have begun
  int in_call = 0;
  std::string lost;
  std::vector<std::uint32_t> xids;
  int alive = 0;  // devices that were made, less those destroyed
  double cap_w = 0;

  void hang(bool on) {
    const std::lock_guard lock(mutex);
    hanging = on;
    changed.notify_all();
  }
  void set_lost(const std::string& why) {
    const std::lock_guard lock(mutex);
    lost = why;
  }
  template <typename Condition>
  bool becomes(Condition condition) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 10s, [&] { return condition(*this); });
  }
};

/// Lets no call return as long as it lives, so that a test that fails ends as well.
struct Hang {
  explicit Hang(Script& hung) : script(hung) { script.hang(true); }
  ~Hang() { script.hang(false); }
  Hang(const Hang&) = delete;
  Hang& operator=(const Hang&) = delete;
  Script& script;
};

class ScriptedDevice : public DriverDevice {
 public:
  ScriptedDevice(std::string identity, Script& script)
      : identity_(std::move(identity)), script_(script) {
    const std::lock_guard lock(script_.mutex);
    ++script_.alive;
  }
  ~ScriptedDevice() override {
    const std::lock_guard lock(script_.mutex);
    --script_.alive;
    script_.changed.notify_all();
  }
  std::string identity() const override { return identity_; }
  BoardReading read(double now_s) override {
    std::unique_lock lock(script_.mutex);
    ++script_.reading;
    wait(lock);
    BoardReading reading;
    reading.identity = identity_;
    reading.lost = script_.lost;
    reading.xids = script_.xids;
    reading.values[Metric::energy] = now_s;
    return reading;
  }
  Status set_power_cap(double watts) override {
    std::unique_lock lock(script_.mutex);
    wait(lock);
    if (watts > 700) return error("{} W is too much", watts);
    script_.cap_w = watts;
    return {};
  }

 private:
  void wait(std::unique_lock<std::mutex>& lock) {
    ++script_.in_call;
    script_.changed.notify_all();
    script_.changed.wait(lock, [&] { return !script_.hanging; });
    --script_.in_call;
  }
  std::string identity_;
  Script& script_;
};

std::vector<FoundDevices> found(std::vector<std::pair<std::string, Script*>> scripts) {
  std::vector<FoundDevices> drivers(1);
  drivers[0].driver = "scripted";
  for (auto& [identity, script] : scripts)
    drivers[0].devices.push_back(std::make_unique<ScriptedDevice>(identity, *script));
  return drivers;
}

MonotonicTime time_now() { return std::chrono::steady_clock::now(); }

/// The loop of an agent: adds up the news until the condition holds.
template <typename Condition>
testing::AssertionResult wait_for(DeviceWorkers& workers, DriverNews& news, Condition condition) {
  const MonotonicTime last = time_now() + 10s;
  while (!condition()) {
    if (time_now() > last) return testing::AssertionFailure() << "did not come within 10 s";
    pollfd descriptor{workers.descriptor(), POLLIN, 0};
    poll(&descriptor, 1, 100);
    DriverNews more = workers.take();
    for (auto& reading : more.readings) news.readings.push_back(std::move(reading));
    for (auto& result : more.power_caps) news.power_caps.push_back(std::move(result));
    if (more.found) news.found = std::move(more.found);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult search_ends(DeviceWorkers& workers, DriverNews& news) {
  return wait_for(workers, news, [&] { return news.found.has_value(); });
}

std::ptrdiff_t readings_of(const DriverNews& news, const std::string& identity) {
  return std::count_if(news.readings.begin(), news.readings.end(),
                       [&](const BoardReading& each) { return each.identity == identity; });
}

TEST(DeviceWorkers, ReadEachDeviceOnceForEachRequest) {
  Script one;
  Script two;
  DeviceWorkers workers([&] { return found({{"one", &one}, {"two", &two}}); });
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  ASSERT_EQ(news.found->size(), 1U);
  EXPECT_EQ(news.found->front().driver, "scripted");
  EXPECT_EQ(news.found->front().devices, 2U);
  EXPECT_TRUE(news.readings.empty());  // nobody has asked
  for (int round = 1; round <= 3; ++round) {
    workers.request(time_now());
    ASSERT_TRUE(wait_for(workers, news, [&] {
      return readings_of(news, "one") == round && readings_of(news, "two") == round;
    }));
  }
  EXPECT_EQ(one.reading, 3);
  // Readings carry rates, so their times must differ.
  EXPECT_LT(news.readings.front().values[Metric::energy],
            news.readings.back().values[Metric::energy]);
}

TEST(DeviceWorkers, AHangingDeviceDelaysNoOther) {
  Script hung;
  Script well;
  DeviceWorkers workers([&] { return found({{"hung", &hung}, {"well", &well}}); });
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  const Hang hang(hung);
  for (int round = 1; round <= 5; ++round) {
    workers.request(time_now());
    ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "well") == round; }));
  }
  EXPECT_EQ(readings_of(news, "hung"), 0);
  ASSERT_TRUE(hung.becomes([](const Script& each) { return each.in_call == 1; }));
  // Once it answers, it does so once: what was asked meanwhile is not repeated.
  hung.hang(false);
  ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "hung") == 1; }));
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(workers.take().readings.empty());
  EXPECT_EQ(hung.reading, 1);
}

TEST(DeviceWorkers, TellHowLongADeviceHasNotAnswered) {
  Script script;
  DeviceWorkers workers([&] { return found({{"hung", &script}}); });
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  const Hang hang(script);
  workers.request(time_now());
  ASSERT_TRUE(script.becomes([](const Script& each) { return each.in_call == 1; }));
  EXPECT_TRUE(workers.silent(time_now()).empty());  // it is not late yet
  const auto silent = workers.silent(time_now() + 12s);
  ASSERT_EQ(silent.size(), 1U);
  EXPECT_EQ(silent[0].identity, "hung");
  EXPECT_NEAR(silent[0].silent_s, 12, 0.5);
  EXPECT_EQ(silent[0].why, "the driver has not answered for 12 s");
  script.hang(false);
  ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "hung") == 1; }));
  EXPECT_TRUE(workers.silent(time_now() + 12s).empty());
}

TEST(DeviceWorkers, SetPowerCapsAfterTheCallThatHangsAndReportTheResults) {
  Script script;
  DeviceWorkers workers([&] { return found({{"one", &script}}); });
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  const Hang hang(script);
  workers.request(time_now());
  ASSERT_TRUE(script.becomes([](const Script& each) { return each.in_call == 1; }));
  workers.set_power_cap("one", 300);  // returns at once
  workers.set_power_cap("one", 900);
  workers.set_power_cap("other", 300);
  script.hang(false);
  ASSERT_TRUE(wait_for(workers, news, [&] { return news.power_caps.size() == 3; }));
  EXPECT_EQ(news.power_caps[0].identity, "other");
  EXPECT_EQ(news.power_caps[0].status.error().message, "other: no such device answers");
  EXPECT_TRUE(news.power_caps[1].status.ok());
  EXPECT_EQ(news.power_caps[2].watts, 900);
  EXPECT_EQ(news.power_caps[2].status.error().message, "900 W is too much");
  EXPECT_EQ(script.cap_w, 300);
}

TEST(DeviceWorkers, GiveUpALostDeviceAndSearchForItAtOnce) {
  Script script;
  DeviceWorkers workers([&] { return found({{"one", &script}}); }, {.search_pause = 1ms});
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  script.set_lost("GPU is lost");
  workers.request(time_now());
  ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "one") == 1; }));
  EXPECT_EQ(news.readings[0].lost, "GPU is lost");
  // Its object is gone, so a driver that was unloaded is not held.
  ASSERT_TRUE(script.becomes([](const Script& each) { return each.alive == 0; }));
  workers.set_power_cap("one", 300);
  ASSERT_TRUE(wait_for(workers, news, [&] { return news.power_caps.size() == 1; }));
  EXPECT_EQ(news.power_caps[0].status.error().kind, ErrorKind::lost);
  // The next request searches, long before the minute is over; the one after it reads again.
  script.set_lost("");
  news.found.reset();
  workers.request(time_now() + 2ms);
  ASSERT_TRUE(search_ends(workers, news));
  ASSERT_TRUE(wait_for(workers, news, [&] {
    workers.request(time_now());  // dropped while the old object is being destroyed
    return readings_of(news, "one") >= 2;
  }));
  EXPECT_EQ(news.readings[1].lost, "");
}

TEST(DeviceWorkers, SearchAgainForDevicesThatAreNew) {
  Script old;
  Script added;
  std::atomic<int> searches = 0;
  DeviceWorkers workers([&] {
    return ++searches == 1 ? found({{"old", &old}}) : found({{"old", &old}, {"new", &added}});
  });
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  workers.request(time_now());
  ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "old") == 1; }));
  EXPECT_EQ(searches, 1);
  news.found.reset();
  workers.request(time_now() + 61s);
  ASSERT_TRUE(search_ends(workers, news));
  EXPECT_EQ(news.found->front().devices, 2U);
  workers.request(time_now());
  ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "new") == 1; }));
  // The known device is read through the object that it had.
  EXPECT_TRUE(old.becomes([](const Script& each) { return each.alive == 1; }));
}

TEST(DeviceWorkers, ReadOnWhileASearchHangs) {
  Script script;
  Script search;
  std::atomic<int> searches = 0;
  DeviceWorkers workers([&] {
    if (++searches > 1) (void)ScriptedDevice("search", search).read(0);
    return found({{"one", &script}});
  });
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  const Hang hang(search);
  workers.request(time_now() + 61s);
  ASSERT_TRUE(search.becomes([](const Script& each) { return each.in_call == 1; }));
  ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "one") == 1; }));
  for (int round = 2; round <= 4; ++round) {
    workers.request(time_now() + 200s);
    ASSERT_TRUE(wait_for(workers, news, [&] { return readings_of(news, "one") == round; }));
  }
  const auto silent = workers.silent(time_now() + 12s);
  ASSERT_EQ(silent.size(), 1U);
  EXPECT_EQ(silent[0].why, "device discovery has been running for 12 s");
  search.hang(false);
  EXPECT_EQ(searches, 2);
}

TEST(DeviceWorkers, KeepTheXidsOfAReadingThatNobodyTook) {
  Script script;
  script.xids = {31};
  DeviceWorkers workers([&] { return found({{"one", &script}}); });
  DriverNews news;
  ASSERT_TRUE(search_ends(workers, news));
  workers.request(time_now());
  ASSERT_TRUE(script.becomes([](const Script& each) { return each.reading == 1; }));
  // Until the worker is idle again, a request is dropped.
  const MonotonicTime last = time_now() + 10s;
  const auto second_began = [&] {
    const std::lock_guard lock(script.mutex);
    return script.reading > 1;
  };
  while (!second_began() && time_now() < last) workers.request(time_now());
  ASSERT_TRUE(wait_for(workers, news, [&] { return !news.readings.empty(); }));
  ASSERT_TRUE(wait_for(workers, news, [&] {
    std::size_t xids = 0;
    for (const BoardReading& reading : news.readings) xids += reading.xids.size();
    const std::lock_guard lock(script.mutex);
    return xids == static_cast<std::size_t>(script.reading);
  }));
}

TEST(DeviceWorkers, SetThePowerCapsThatWereAskedForBeforeTheyEnd) {
  Script script;
  {
    DeviceWorkers workers([&] { return found({{"one", &script}}); }, {.end_within = 10s});
    DriverNews news;
    ASSERT_TRUE(search_ends(workers, news));
    workers.request(time_now());
    workers.set_power_cap("one", 300);
    workers.set_power_cap("one", 400);
  }
  EXPECT_EQ(script.cap_w, 400);
  EXPECT_EQ(script.alive, 0);
}

TEST(DeviceWorkers, DoNotWaitForeverForADeviceThatHangsAtTheEnd) {
  Script script;
  Script other;
  auto workers = std::make_unique<DeviceWorkers>(
      [&] {
        return found({{"hung", &script}, {"well", &other}});
      },
      DeviceWorkerSettings{.end_within = 50ms});
  DriverNews news;
  ASSERT_TRUE(search_ends(*workers, news));
  const Hang hang(script);
  workers->request(time_now());
  ASSERT_TRUE(script.becomes([](const Script& each) { return each.in_call == 1; }));
  const MonotonicTime before = time_now();
  workers.reset();
  EXPECT_LT(time_now() - before, 5s);
  EXPECT_EQ(script.alive, 1);  // the thread that hangs uses it still
  EXPECT_TRUE(other.becomes([](const Script& each) { return each.alive == 0; }));
  // When the driver answers after all, the thread ends, and nothing is left.
  script.hang(false);
  EXPECT_TRUE(script.becomes([](const Script& each) { return each.alive == 0; }));
}

}  // namespace
}  // namespace drover::agents
