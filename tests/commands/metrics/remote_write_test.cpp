// Samples that are pushed: their bytes, and what happens when the other side is away or refuses.
#include <httplib.h>
#include <snappy.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/remote_write.h"
#include "commands/metrics/write_request.h"
#include "tests/commands/metrics/page_fleet.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;

std::string uncompressed(const WriteRequest& request) {
  std::string bytes;
  EXPECT_TRUE(snappy::Uncompress(request.bytes.data(), request.bytes.size(), &bytes));
  return bytes;
}

TEST(WriteRequest, IsTheBytesOfTheSpecification) {
  const auto requests =
      write_requests("# HELP x y\nx{b=\"a\\\\\\\"\\nc\",U=\"u\"}   1.5\n", {{"job", "d"}}, 300);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].samples, 1U);
  // Written by hand: a series (1) of the labels (1) in order of their names, and a sample (2).
  const std::string labels = std::string("\x0a\x06\x0a\x01U\x12\x01u") +  // U
                             "\x0a\x0d\x0a\x08__name__\x12\x01x" +        // __name__
                             "\x0a\x0a\x0a\x01"
                             "b\x12\x05"
                             "a\\\"\nc" +  // b
                             "\x0a\x08\x0a\x03job\x12\x01"
                             "d";  // job
  const std::string sample("\x12\x0c\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x10\xac\x02", 14);
  const std::string series = labels + sample;
  EXPECT_EQ(uncompressed(requests[0]),
            std::string("\x0a") + static_cast<char>(series.size()) + series);
}

TEST(WriteRequest, HasEverySampleOfAPageInBatches) {
  std::string text;
  for (int i = 0; i < 4'500; ++i) text += "x{i=\"" + std::to_string(i) + "\"} 1\n";
  const auto requests = write_requests(text, {}, 0);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].samples, request_samples_max);
  EXPECT_EQ(requests[2].samples, 500U);
  EXPECT_EQ(write_requests("y 2\n", {}, 0).at(0).samples, 1U);
}

/// A receiver that answers as it is told.
class Receiver {
 public:
  explicit Receiver(std::vector<int> statuses) : statuses_(std::move(statuses)) {
    server_.Post("/api/v1/write",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const std::lock_guard lock(mutex_);
                   response.status = seen_ < statuses_.size() ? statuses_[seen_] : 204;
                   ++seen_;
                   if (response.status == 204) ++stored_;
                   encoding_ = request.get_header_value("Content-Encoding") + " " +
                               request.get_header_value("Content-Type") + " " +
                               request.get_header_value("X-Prometheus-Remote-Write-Version");
                 });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(milliseconds(1));
  }
  ~Receiver() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/api/v1/write"; }
  std::size_t stored() {
    const std::lock_guard lock(mutex_);
    return stored_;
  }
  std::string encoding() {
    const std::lock_guard lock(mutex_);
    return encoding_;
  }

 private:
  std::vector<int> statuses_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::size_t seen_ = 0, stored_ = 0;
  std::string encoding_;
};

double value_of(LivePages& pages, const std::string& family) {
  LivePages::HeldPage* const page = pages.hold(PageFormat::text, false);
  const std::string text = page->page.text();
  pages.release(page);
  const std::size_t at = text.find("\n" + family + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + family.size() + 2));
}

void nowhere(const std::string&) {}

RemoteWriter::Limits quick() {
  RemoteWriter::Limits limits;
  limits.every = milliseconds(50);
  limits.pause_min = milliseconds(10);
  limits.pause_max = milliseconds(40);
  return limits;
}

LivePages::Limits at_once() {
  LivePages::Limits limits;
  limits.page_age = WallSpan(0);
  return limits;
}

TEST(RemoteWrite, SendsAgainWhatWasNotTakenAndDropsWhatIsRefused) {
  Receiver receiver({503, 429, 500, 204, 400});
  LivePages pages(FleetMetricsOptions{}, at_once());
  const auto writer = RemoteWriter::open(receiver.url(), pages, {}, nowhere, quick());
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_TRUE(eventually([&] { return receiver.stored() >= 3; }));
  EXPECT_EQ(receiver.encoding(), "snappy application/x-protobuf 0.1.0");
  EXPECT_TRUE(eventually([&] { return value_of(pages, "drover_remote_write_sent_total") > 0; }));
  EXPECT_EQ(value_of(pages, "drover_remote_write_retries_total"), 3);
  EXPECT_GT(value_of(pages, "drover_remote_write_dropped_total"), 0) << "the one with status 400";
}

TEST(RemoteWrite, DropsTheOldestWhenTheOtherSideIsAwayForLong) {
  const std::string nobody = "http://" + free_endpoint().substr(6) + "/api/v1/write";
  LivePages pages(FleetMetricsOptions{}, at_once());
  RemoteWriter::Limits limits = quick();
  limits.queue_bytes = 2'000;
  const auto writer = RemoteWriter::open(nobody, pages, {}, nowhere, limits);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_TRUE(eventually([&] { return value_of(pages, "drover_remote_write_dropped_total") > 0; }));
  EXPECT_EQ(value_of(pages, "drover_remote_write_sent_total"), 0);
}

TEST(RemoteWrite, AUrlIsRequired) {
  LivePages pages{FleetMetricsOptions{}};
  for (const char* wrong :
       {"", "127.0.0.1:9090", "http://127.0.0.1:9090", "ftp://x/y", "http:///x"}) {
    const auto writer = RemoteWriter::open(wrong, pages, {}, nowhere);
    ASSERT_FALSE(writer.ok()) << wrong;
    EXPECT_NE(writer.error().message.find("expected a URL such as"), std::string::npos);
  }
}

}  // namespace
}  // namespace drover::commands
