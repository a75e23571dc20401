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
#include "commands/shell/clock.h"
#include "fleet/base/text.h"
#include "tests/commands/metrics/page_fleet.h"
#include "tests/commands/program.h"
#include "tests/commands/readings/page_server.h"

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
                   authorization_ = request.get_header_value("Authorization");
                 });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(milliseconds(1));
  }
  ~Receiver() {
    server_.stop();
    thread_.join();
  }
  /// `login`: "user:password@".
  std::string url(const std::string& login = "") const {
    return "http://" + login + "127.0.0.1:" + std::to_string(port_) + "/api/v1/write";
  }
  std::size_t stored() {
    const std::lock_guard lock(mutex_);
    return stored_;
  }
  std::string encoding() {
    const std::lock_guard lock(mutex_);
    return encoding_;
  }
  std::string authorization() {
    const std::lock_guard lock(mutex_);
    return authorization_;
  }

 private:
  std::vector<int> statuses_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::size_t seen_ = 0, stored_ = 0;
  std::string encoding_, authorization_;
};

double value_of(LivePages& pages, const std::string& family) {
  LivePages::HeldPage* const page = pages.hold(PageFormat::text, false);
  const std::string text = page->page.text();
  pages.release(page);
  const std::size_t at = text.find("\n" + family + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + family.size() + 2));
}

void nowhere(const std::string&) {}

/// What a writer reports, on its thread.
class Reports {
 public:
  RemoteWriter::Report report() {
    return [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      texts_ += text + "\n";
    };
  }
  std::string texts() {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  std::mutex mutex_;
  std::string texts_;
};

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

TEST(RemoteWrite, LogsInWithTheUrlsPasswordAndNamesItNowhere) {
  Receiver receiver({503, 204, 400});
  LivePages pages(FleetMetricsOptions{}, at_once());
  Reports reports;
  const auto writer =
      RemoteWriter::open(receiver.url("ann:p%40ss@"), pages, {}, reports.report(), quick());
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_TRUE(eventually([&] { return reports.texts().find("400") != std::string::npos; }));
  EXPECT_EQ(receiver.authorization(), "Basic YW5uOnBAc3M=");  // ann:p@ss
  const std::string place = "--remote-write " + excerpt(receiver.url()) + ": ";
  EXPECT_EQ(reports.texts().find(place + "HTTP status 503, expected 2xx; trying again"), 0U)
      << reports.texts();
  EXPECT_NE(reports.texts().find(place + "samples are stored again\n"), std::string::npos);
  for (const char* secret : {"ann", "p%40ss", "p@ss"})
    EXPECT_EQ(reports.texts().find(secret), std::string::npos) << secret;
}

TEST(RemoteWrite, EndsSoonWhenTheServerHangsAndSaysWhatIsDropped) {
  StandInServer hangs([](StandInServer::Connection& line, const std::string&) {
    line.wait(std::chrono::seconds(30));
  });
  LivePages pages(FleetMetricsOptions{}, at_once());
  Reports reports;
  auto writer =
      RemoteWriter::open(hangs.url("/api/v1/write"), pages, {}, reports.report(), quick());
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_TRUE(eventually([&] { return !hangs.requests().empty(); }));
  const WallTime begin = wall_now();
  writer->reset();
  EXPECT_LT(wall_now() - begin, milliseconds(2'000));
  EXPECT_NE(reports.texts().find("samples were not stored before the end, and dropped\n"),
            std::string::npos)
      << reports.texts();
}

TEST(RemoteWrite, AUrlIsRequired) {
  LivePages pages{FleetMetricsOptions{}};
  const std::pair<const char*, const char*> cases[] = {
      {"", "--remote-write : does not begin with http:// or https://, expected "},
      {"127.0.0.1:9090",
       "--remote-write 127.0.0.1:9090: does not begin with http:// or https://, expected "},
      {"http://h:9090", "--remote-write http://h:9090: has no path, expected a URL such as "},
      {"http://ann:secret@h", "--remote-write http://h: has no path, expected a URL such as "},
      {"http://h:99999/w", "--remote-write http://h:99999/w: has an invalid port (1 to 65535), "},
      {"http://h:port/w", "--remote-write http://h:port/w: has an invalid port (1 to 65535), "},
      {"ftp://x/y", "--remote-write ftp://x/y: does not begin with http:// or https://, expected "},
      {"http:///x", "--remote-write http:///x: has no host, expected "}};
  for (const auto& [wrong, said] : cases) {
    const auto writer = RemoteWriter::open(wrong, pages, {}, nowhere);
    ASSERT_FALSE(writer.ok()) << wrong;
    EXPECT_EQ(writer.error().message.find(said), 0U) << writer.error().message;
  }
}

}  // namespace
}  // namespace drover::commands
