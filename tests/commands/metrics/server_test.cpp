// Pages over HTTP: who gets them, in which form, and what slow and hostile clients can do.
#include <arpa/inet.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "commands/metrics/gzip.h"
#include "commands/metrics/live_pages.h"
#include "commands/metrics/page_server.h"
#include "commands/metrics/user_hashes.h"
#include "commands/shell/clock.h"
#include "fleet/base/text.h"
#include "tests/commands/metrics/page_fleet.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;

ServerOptions at_loopback() {
  ServerOptions options;
  options.host = "127.0.0.1";
  return options;
}

int port_of(const PageServer& server) {
  const std::string& url = server.url();
  return std::stoi(url.substr(url.rfind(':') + 1));
}

/// The pages of one host, and a server of them.
struct ServedFleet {
  explicit ServedFleet(const ServerOptions& options = at_loopback(),
                       const PageServer::Times& times = {}, std::uint16_t devices = 2) {
    pages.set_clock({page_time(0), wall_now(), 0});
    pages.add(page_time(0), {"router", 0, page_time(0), page_host("h-1", "l4", devices)});
    std::vector<Sample> rows;
    for (std::uint16_t device = 0; device < devices; ++device) rows.push_back(page_sample(device));
    pages.add(page_time(0), {"h-1", 0, page_time(0), pack("h-1", rows)});
    pages.settle();
    auto opened = PageServer::open(options, pages, times);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    if (opened) server = std::move(*opened);
  }
  httplib::Client client() const { return httplib::Client("127.0.0.1", port_of(*server)); }

  LivePages pages{FleetMetricsOptions{}};
  std::unique_ptr<PageServer> server;
};

/// A connection that speaks no HTTP by itself.
class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int small = 4096;  // so that a client that reads nothing soon stops its server
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  bool connected() const { return connected_; }
  bool send(const std::string& text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) > 0;
  }
  /// The first bytes that come.
  std::string read_some() const {
    std::string part(256, '\0');
    part.resize(static_cast<std::size_t>(
        std::max<ssize_t>(0, ::recv(socket_, part.data(), part.size(), 0))));
    return part;
  }
  /// All that comes until the other side closes.
  std::string read_all() const {
    std::string text, part(65536, '\0');
    for (ssize_t size = 1; size > 0;) {
      size = ::recv(socket_, part.data(), part.size(), 0);
      if (size > 0) text += part.substr(0, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int socket_;
  bool connected_ = false;
};

std::string unzipped(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(32 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(PageServer, ServesPagesHealthAndAnIndex) {
  const ServedFleet fleet;
  httplib::Client client = fleet.client();
  const auto page = client.Get("/metrics");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(page->body.find("\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\""), std::string::npos);
  EXPECT_EQ(client.Get("/-/healthy")->status, 200);
  EXPECT_NE(client.Get("/")->body.find("href=\"/metrics\""), std::string::npos);
  EXPECT_EQ(client.Get("/other")->status, 404);
  EXPECT_EQ(client.Post("/metrics", "x", "text/plain")->status, 404);
  EXPECT_EQ(client.Head("/metrics")->body, "");
}

TEST(PageServer, AnswersInTheFormThatIsAskedFor) {
  const ServedFleet fleet;
  httplib::Client client = fleet.client();
  client.set_decompress(false);
  const auto open = client.Get("/metrics", {{"Accept",
                                             "application/openmetrics-text;version=1.0.0,"
                                             "text/plain;version=0.0.4;q=0.5"}});
  ASSERT_TRUE(open);
  EXPECT_TRUE(open->get_header_value("Content-Type").starts_with("application/openmetrics-text"));
  EXPECT_TRUE(open->body.ends_with("# EOF\n"));
  const auto plain = client.Get("/metrics");
  EXPECT_EQ(plain->body.find("# EOF"), std::string::npos);
  EXPECT_EQ(plain->get_header_value("Content-Encoding"), "");
  const auto zipped = client.Get("/metrics", {{"Accept-Encoding", "br;q=1.0, gzip;q=0.8"}});
  EXPECT_EQ(zipped->get_header_value("Content-Encoding"), "gzip");
  EXPECT_EQ(unzipped(zipped->body), plain->body);
  const auto refused = client.Get("/metrics", {{"Accept-Encoding", "gzip;q=0"}});
  EXPECT_EQ(refused->body, plain->body);
  const auto part = client.Get("/metrics", {{"Range", "bytes=0-1,0-1,0-1"}});
  EXPECT_EQ(part->body, plain->body) << "a page is answered whole";
}

TEST(PageServer, ReadsWeightsOfAccept) {
  EXPECT_EQ(format_asked(""), PageFormat::text);
  EXPECT_EQ(format_asked("*/*"), PageFormat::text);
  EXPECT_EQ(format_asked("text/plain, application/openmetrics-text;q=0.5"), PageFormat::text);
  EXPECT_EQ(format_asked("application/openmetrics-text;version=1.0.0;q=0"), PageFormat::text);
  EXPECT_EQ(format_asked("application/openmetrics-text"), PageFormat::openmetrics);
  EXPECT_TRUE(accepts_gzip("gzip"));
  EXPECT_FALSE(accepts_gzip("deflate"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0"));
  EXPECT_FALSE(accepts_gzip("gzip;q=x"));
}

TEST(PageServer, BuildsAPageOnceForAllClients) {
  ServedFleet fleet;
  std::vector<std::thread> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back([&] { EXPECT_EQ(fleet.client().Get("/metrics")->status, 200); });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_LE(fleet.pages.pages_built(), 3U) << "one, and one for each second that this took";
}

TEST(PageServer, APasswordIsRequiredWhereThereAreUsers) {
  ServerOptions options = at_loopback();
  // openssl passwd -6 -salt saltsalt secret
  const std::string hash =
      "$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc"
      "1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN.Pq.H91p5hVO1";
  options.users = *parse_users("# who\nanna:" + hash + "\n", "users");
  const ServedFleet fleet(options);
  httplib::Client client = fleet.client();
  const auto nobody = client.Get("/metrics");
  EXPECT_EQ(nobody->status, 401);
  EXPECT_EQ(nobody->body.find("DCGM"), std::string::npos);
  EXPECT_TRUE(nobody->get_header_value("WWW-Authenticate").starts_with("Basic "));
  EXPECT_EQ(client.Get("/-/healthy")->status, 401);
  for (const char* word :
       {"Basic", "Basic ", "Basic ====", "Basic !!!!", "Bearer YW5uYTpzZWNyZXQ="}) {
    EXPECT_EQ(client.Get("/metrics", {{"Authorization", word}})->status, 401) << word;
  }
  client.set_basic_auth("anna", "wrong");
  EXPECT_EQ(client.Get("/metrics")->status, 401);
  client.set_basic_auth("otto", "secret");
  EXPECT_EQ(client.Get("/metrics")->status, 401);
  client.set_basic_auth("anna", "secret");
  EXPECT_EQ(client.Get("/metrics")->status, 200);
  EXPECT_EQ(client.Get("/metrics")->status, 200) << "as it is remembered";
}

TEST(UserHashes, AreOfCryptAndNeverClearText) {
  char hash[] = "$6$saltsalt$";
  EXPECT_FALSE(matches_hash("secret", hash));
  EXPECT_FALSE(matches_hash("secret", "*0"));
  const auto users = parse_users("\n# comment\nanna:$2y$05$abcdefghijklmnopqrstuu5\n", "f");
  ASSERT_TRUE(users.ok()) << users.error().message;
  EXPECT_EQ(users->size(), 1U);
  EXPECT_EQ(parse_users("anna:secret\n", "f").error().message,
            "f:1: expected USER:HASH, as `htpasswd -nB USER` or `openssl passwd -6` write hashes");
  EXPECT_EQ(parse_users("# who\nanna:$apr1$abcdefgh$abcdefghijklmnopqrstuv\n", "f").error().message,
            "f:2: found a hash of kind $apr1$, expected one that crypt(5) knows, as `htpasswd -nB "
            "USER` or `openssl passwd -6` write hashes");
  EXPECT_FALSE(parse_users("anna\n", "f").ok());
  EXPECT_FALSE(parse_users(":$6$abcdefghijkl\n", "f").ok());
  EXPECT_EQ(parse_users("# nobody\n", "f").error().message, "f: has no users");
}

TEST(PageServer, AClientThatSendsSlowlyIsDroppedAndDelaysNobody) {
  const ServedFleet fleet(at_loopback(), {.request = milliseconds(2'000)});
  const RawClient slow(port_of(*fleet.server));
  ASSERT_TRUE(slow.send("GET /metrics HTTP/1.1\r\nHost: x\r\nX-"));
  const WallTime begin = wall_now();
  EXPECT_EQ(fleet.client().Get("/metrics")->status, 200);
  EXPECT_LT(wall_now() - begin, milliseconds(1'900)) << "while the slow one is not yet dropped";
  EXPECT_EQ(slow.read_all().find("200 OK"), std::string::npos);
  EXPECT_LT(wall_now() - begin, std::chrono::seconds(20)) << "it was dropped";
}

TEST(PageServer, ManySlowClientsAreDroppedAndThenOthersAreServed) {
  const ServedFleet fleet(at_loopback(), {.request = milliseconds(300)});
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 3 * PageServer::connections_max; ++i) {
    slow.push_back(std::make_unique<RawClient>(port_of(*fleet.server)));
  }
  EXPECT_EQ(fleet.client().Get("/metrics")->status, 200);
}

TEST(PageServer, ARequestThatDoesNotEndIsDropped) {
  const ServedFleet fleet;
  const RawClient client(port_of(*fleet.server));
  const std::string line = "X-Header: " + std::string(1000, 'x') + "\r\n";
  (void)client.send("GET /metrics HTTP/1.1\r\n");
  for (int i = 0; i < 40; ++i) (void)client.send(line);
  EXPECT_EQ(client.read_all().find("200 OK"), std::string::npos);
  EXPECT_EQ(fleet.client().Get("/metrics")->status, 200);
}

/// Its page stays as it is while others get newer ones.
TEST(PageServer, AClientThatReadsNothingHoldsItsPageAndDelaysNobody) {
  ServedFleet fleet(at_loopback(), {.response = milliseconds(60'000)}, 1'000);
  auto stuck = std::make_unique<RawClient>(port_of(*fleet.server));
  ASSERT_TRUE(stuck->send("GET /metrics HTTP/1.0\r\n\r\n"));
  // It has begun to come, so its page is made.
  std::string old = stuck->read_some();
  Sample warm = page_sample(0);
  warm[Metric::temperature] = 99.5;
  fleet.pages.add(page_time(0), {"h-1", 0, page_time(0), pack("h-1", {&warm, 1})});
  fleet.pages.settle();
  // A page is made anew at most once a second.
  bool newer = false;
  for (int tries = 0; tries < 100 && !newer; ++tries) {
    std::this_thread::sleep_for(milliseconds(100));
    newer = fleet.client().Get("/metrics")->body.find("} 99.5\n") != std::string::npos;
  }
  EXPECT_TRUE(newer);
  old += stuck->read_all();
  EXPECT_EQ(old.find("} 99.5\n"), std::string::npos);
  EXPECT_TRUE(old.ends_with("\n"));
  EXPECT_NE(old.find("drover_build_info"), std::string::npos) << "whole";
}

TEST(PageServer, EndsAtOnceWithClientsThatAreStuck) {
  auto fleet = std::make_unique<ServedFleet>(at_loopback(), PageServer::Times{}, 1'000);
  const RawClient silent(port_of(*fleet->server)), reads_nothing(port_of(*fleet->server));
  ASSERT_TRUE(reads_nothing.send("GET /metrics HTTP/1.0\r\n\r\n"));
  std::this_thread::sleep_for(milliseconds(200));
  const WallTime begin = wall_now();
  fleet->server.reset();
  EXPECT_LT(wall_now() - begin, std::chrono::seconds(3));
}

TEST(PageServer, AnAddressInUseIsAnError) {
  ServedFleet fleet;
  ServerOptions options = at_loopback();
  options.port = static_cast<std::uint16_t>(port_of(*fleet.server));
  const auto second = PageServer::open(options, fleet.pages);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message, fmt::format("cannot serve metrics on 127.0.0.1:{}: Address "
                                                "already in use",
                                                options.port));
  options.host = "no-such-host.invalid";
  const auto nowhere = PageServer::open(options, fleet.pages);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().message.find(
                fmt::format("cannot serve metrics on no-such-host.invalid:{}: ", options.port)),
            0U);
  EXPECT_EQ(nowhere.error().message.find("Success"), std::string::npos) << "it has a reason";
}

TEST(PageServer, SpeaksTls) {
  const TestFolder folder;
  const ProcessResult made = run_shell(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
      "/CN=localhost -keyout " +
      folder.file("key.pem") + " -out " + folder.file("cert.pem"));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  ServerOptions options = at_loopback();
  options.certificate = folder.file("cert.pem");
  options.key = folder.file("key.pem");
  const ServedFleet fleet(options);
  EXPECT_TRUE(fleet.server->url().starts_with("https://"));
  httplib::SSLClient client("127.0.0.1", port_of(*fleet.server));
  client.enable_server_certificate_verification(false);
  const auto page = client.Get("/metrics");
  ASSERT_TRUE(page);
  EXPECT_NE(page->body.find("DCGM_FI_DEV_GPU_TEMP"), std::string::npos);
  EXPECT_EQ(RawClient(port_of(*fleet.server)).read_all().find("DCGM"), std::string::npos);
  options.key = folder.write("other.pem", "no key");
  LivePages pages{FleetMetricsOptions{}};
  const auto wrong = PageServer::open(options, pages);
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(wrong.error().message.starts_with("--metrics-tls ")) << wrong.error().message;
  options.key = folder.file("locked.pem");
  ASSERT_EQ(run_shell("openssl pkey -aes128 -passout pass:secret -in " + folder.file("key.pem") +
                      " -out " + options.key)
                .exit_code,
            0);
  const auto locked = PageServer::open(options, pages);
  ASSERT_FALSE(locked.ok());
  EXPECT_NE(locked.error().message.find("found a key with a passphrase, expected one without"),
            std::string::npos)
      << locked.error().message;
}

TEST(LivePages, AFullQueueSaysSoAndCounts) {
  LivePages::Limits limits;
  limits.queue_bytes = 1;
  limits.page_age = WallSpan(0);
  LivePages pages(FleetMetricsOptions{}, limits);
  const Envelope event{"router", 0, page_time(0), Event{Severity::info, "x", "y"}};
  std::uint64_t refused = 0;
  for (int i = 0; i < 100'000 && refused == 0; ++i) refused += !pages.add(page_time(0), event);
  EXPECT_EQ(refused, 1U);
  pages.settle();
  LivePages::HeldPage* const page = pages.hold(PageFormat::text, false);
  EXPECT_NE(page->page.text().find("\ndrover_metrics_dropped_total 1\n"), std::string::npos);
  pages.release(page);
}

}  // namespace
}  // namespace drover::commands
