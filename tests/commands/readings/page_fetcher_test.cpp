// Pages over HTTP: from servers that are well, wrong, slow, silent and hostile.
#include "commands/readings/page_fetcher.h"

#include <poll.h>
#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "tests/commands/readings/page_server.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Connection = StandInServer::Connection;

constexpr PageFetcherSettings impatient{seconds(1), seconds(1), 32, std::size_t{64} << 20U};

std::vector<PageTarget> targets_of(const std::vector<std::string>& urls) {
  std::vector<PageTarget> targets;
  for (const std::string& url : urls) {
    const auto target = parse_page_target(url, "--scrape");
    EXPECT_TRUE(target) << target.error().message;
    if (target) targets.push_back(*target);
  }
  return targets;
}

/// What comes within that time, by target; ends when there is something of so many.
std::map<std::string, agents::TargetNews> news_of(PageFetcher& fetcher, std::size_t count,
                                                  WallSpan within = seconds(20)) {
  std::map<std::string, agents::TargetNews> all;
  const WallTime end = wall_now() + within;
  while (all.size() < count && wall_now() < end) {
    pollfd ready{fetcher.descriptor(), POLLIN, 0};
    (void)::poll(&ready, 1, 20);
    for (agents::TargetNews& news : fetcher.take(wall_now())) all[news.target] = std::move(news);
  }
  return all;
}

agents::TargetNews one_look(const std::string& url, PageFetcherSettings settings = impatient) {
  PageFetcher fetcher(targets_of({url}), settings);
  fetcher.request(wall_now());
  auto all = news_of(fetcher, 1);
  EXPECT_EQ(all.size(), 1U) << url;
  return all.empty() ? agents::TargetNews{} : all.begin()->second;
}

/// Why the answer of a server is no page; empty: it is one.
std::string failure_of(StandInServer::Answer answer, PageFetcherSettings settings = impatient) {
  StandInServer server(std::move(answer));
  return one_look(server.url(), settings).failure;
}
std::string failure_of(const std::string& bytes) {
  return failure_of([bytes](Connection& line, const std::string&) { line.send(bytes); });
}

std::string compressed(const std::string& text) {
  z_stream stream{};
  constexpr int gzip = 15 + 16;
  EXPECT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string bytes(compressBound(text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string chunked(const std::string& text, bool whole = true) {
  std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < text.size(); at += 100) {
    const std::string part = text.substr(at, 100);
    bytes += fmt::format("{:x}\r\n{}\r\n", part.size(), part);
  }
  return whole ? bytes + "0\r\n\r\n" : bytes;
}

// ---- Pages that come ---------------------------------------------------------------------------

TEST(PageFetcher, ReadsThePagesOfAllTargets) {
  StandInServer one(l4_page("n1"));
  StandInServer two(l4_page("n2") + l4_page("n3"));
  PageFetcher fetcher(targets_of({one.url(), two.url()}), impatient);
  fetcher.request(wall_now());
  auto all = news_of(fetcher, 2);
  EXPECT_EQ(all[one.url()].failure, "");
  ASSERT_EQ(all[one.url()].hosts.size(), 1U);
  EXPECT_EQ(all[one.url()].hosts[0].host, "n1");
  EXPECT_EQ(all[one.url()].hosts[0].boards.at(0).values[Metric::power], 16.5);
  EXPECT_EQ(all[two.url()].hosts.size(), 2U);
}

TEST(PageFetcher, AsksForTheUrlAsItWasGiven) {
  StandInServer server(l4_page("n1"));
  const std::pair<std::string, std::string> asked[] = {
      {"", "GET /metrics HTTP/1.1\r\n"},
      {"/", "GET /metrics HTTP/1.1\r\n"},
      {"?all=1", "GET /metrics?all=1 HTTP/1.1\r\n"},
      {"/node/7?match[]=a+b%20c,d", "GET /node/7?match[]=a+b%20c,d HTTP/1.1\r\n"},
      {"/metrics#gpus", "GET /metrics HTTP/1.1\r\n"},
  };
  for (const auto& [path, line] : asked) {
    EXPECT_EQ(one_look(server.url(path)).failure, "") << path;
    const std::string head = server.requests().back();
    EXPECT_EQ(head.substr(0, line.size()), line);
    EXPECT_NE(head.find("Host: " + server.place()), std::string::npos) << head;
  }
}

TEST(PageFetcher, ReadsChunksCompressedPagesAndAnyType) {
  const std::string page = l4_page("n1");
  EXPECT_EQ(failure_of(chunked(page)), "");
  EXPECT_EQ(failure_of(http_answer(compressed(page), "200 OK", "Content-Encoding: gzip\r\n")), "");
  EXPECT_EQ(failure_of(http_answer(page, "200 OK", "Content-Type: image/png\r\n")), "");
  EXPECT_EQ(failure_of(http_answer(page, "200 OK", "")), "");
  EXPECT_EQ(failure_of("HTTP/1.0 200 OK\r\n\r\n" + page), "") << "as python's server answers";
  StandInServer server(page);
  one_look(server.url());
  EXPECT_NE(server.requests().at(0).find("gzip"), std::string::npos) << "it is asked for";
}

TEST(PageFetcher, ReadsFromIpv6) {
  const std::string page = l4_page("n1");
  StandInServer server([&](Connection& line, const std::string&) { line.send(http_answer(page)); },
                       0, true);
  if (!server.listens()) GTEST_SKIP() << "this machine has no IPv6";
  EXPECT_EQ(one_look(server.url()).failure, "");
  EXPECT_NE(server.requests().at(0).find("Host: [::1]:"), std::string::npos);
  EXPECT_EQ(one_look(fmt::format("http://[0:0:0:0:0:0:0:1]:{}/metrics", server.port())).failure,
            "");
  const auto with_letters = one_look("http://[fe80::abcd]:9/metrics");
  EXPECT_NE(with_letters.failure, "") << "nobody is there, but it is an address";
}

TEST(PageFetcher, SendsUserAndPasswordAndNamesThemNowhere) {
  StandInServer server([](Connection& line, const std::string&) {
    line.send(http_answer(l4_page("n1") + "broken line\n"));
  });
  const std::string url = fmt::format("http://ann:p%40ss%2Fword@{}/metrics", server.place());
  PageFetcher fetcher(targets_of({url}), impatient);
  fetcher.request(wall_now());
  const auto all = news_of(fetcher, 1);
  EXPECT_NE(server.requests().at(0).find("Authorization: Basic YW5uOnBAc3Mvd29yZA=="),
            std::string::npos)
      << server.requests()[0];
  const agents::TargetNews& news = all.begin()->second;
  ASSERT_EQ(news.hosts.size(), 1U) << news.failure;
  EXPECT_EQ(news.hosts[0].boards.at(0).board.read_by, server.url());
  const auto notes = fetcher.take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].find(server.url() + ": 1 line malformed"), 0U) << notes[0];
}

TEST(PageFetcher, SaysEachNoteOnce) {
  std::atomic<int> turn = 0;
  StandInServer server([&](Connection& line, const std::string&) {
    std::string page = l4_page("n1");
    for (int i = 0; i <= turn; ++i) page += "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-n1\"} \n";
    ++turn;
    line.send(http_answer(page));
  });
  PageFetcher fetcher(targets_of({server.url()}), impatient);
  std::size_t notes = 0;
  for (int i = 0; i < 4; ++i) {
    fetcher.request(wall_now());
    news_of(fetcher, 1);
    notes += fetcher.take_notes().size();
  }
  EXPECT_LE(notes, 2U) << "1 and 2 lines, and what differs only in its number is not new";
  EXPECT_GE(notes, 1U);
}

TEST(PageFetcher, AsksAPrometheusServer) {
  StandInServer server([](Connection& line, const std::string&) {
    line.send(http_answer(
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{)"
        R"("__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"3","UUID":"GPU-a","Hostname":"n7",)"
        R"("instance":"n7:9400"},"value":[1764300000,"71.5"]}]}})"));
  });
  for (const std::string path : {"", "/", "/prefix/"}) {
    const auto target = parse_prometheus_target(
        server.url(path), path.empty() ? "" : "up{a=\"b c\"}", "--prometheus");
    ASSERT_TRUE(target);
    PageFetcher fetcher({*target}, impatient);
    fetcher.request(wall_now());
    const auto all = news_of(fetcher, 1);
    const agents::TargetNews& news = all.begin()->second;
    ASSERT_EQ(news.hosts.size(), 1U) << news.failure;
    EXPECT_EQ(news.hosts[0].host, "n7");
    EXPECT_EQ(news.hosts[0].boards.at(0).values[Metric::power], 71.5);
  }
  const auto requests = server.requests();
  EXPECT_EQ(requests.at(0).find("GET /api/v1/query?query=%7B__name__%3D~"), 0U) << requests[0];
  EXPECT_EQ(requests.at(1).find("GET /api/v1/query?query=up%7Ba%3D%22b%20c%22%7D"), 0U)
      << requests[1];
  EXPECT_EQ(requests.at(2).find("GET /prefix/api/v1/query?query="), 0U) << requests[2];
}

TEST(PageFetcher, AnAnswerOverTimeComesAsItsText) {
  StandInServer server("{values}");
  const auto texts_of = [](const std::string& url, std::size_t bytes_max) {
    PageFetcherSettings settings = impatient;
    settings.page_bytes_max = bytes_max;
    PageFetcher fetcher({PageTarget{url, "up{a=\"b c\"}", "start=1&end=9&step=2"}}, settings);
    fetcher.request(wall_now());
    std::vector<FetchedText> texts;
    for (int i = 0; i < 1000 && texts.empty(); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
      texts = fetcher.take_texts();
    }
    EXPECT_EQ(texts.size(), 1U);
    EXPECT_TRUE(fetcher.take(wall_now()).empty()) << "no readings";
    return texts.empty() ? FetchedText{} : texts.front();
  };
  EXPECT_EQ(texts_of(server.url("/prefix"), 100).text, "{values}");
  EXPECT_EQ(
      server.requests().at(0).find("GET /prefix/api/v1/query_range?start=1&end=9&step=2&query="
                                   "up%7Ba%3D%22b%20c%22%7D"),
      0U)
      << server.requests()[0];
  EXPECT_EQ(texts_of(server.url(""), 5).failure, "its page is larger than 0 MiB");
}

// ---- Pages that do not -------------------------------------------------------------------------

TEST(PageFetcher, SaysWhyAPageDidNotCome) {
  EXPECT_EQ(one_look(dead_url()).failure, "cannot connect to it");
  EXPECT_EQ(one_look("http://no-such-host.invalid:9400/metrics").failure, "cannot connect to it");
  EXPECT_EQ(failure_of(http_answer("no", "404 Not Found")), "answers with HTTP status 404");
  EXPECT_EQ(failure_of(http_answer("", "500 Internal Server Error")),
            "answers with HTTP status 500");
  EXPECT_EQ(failure_of(http_answer("", "401 Unauthorized")), "answers with HTTP status 401");
  EXPECT_EQ(failure_of(http_answer("", "302 Found", "Location: http://127.0.0.1:9/\r\n")),
            "answers with HTTP status 302");
  EXPECT_EQ(failure_of("HTTP/1.1 204 No Content\r\n\r\n"), "answers with HTTP status 204");
  EXPECT_EQ(failure_of(""), "ends the connection without an answer");
  EXPECT_NE(failure_of("SSH-2.0-OpenSSH_9.2\r\n"), "");
}

TEST(PageFetcher, SaysWhatAPageIsInstead) {
  for (const std::string body : {"", "\n\n", "<!DOCTYPE html>\n<html><body>Hello</body></html>\n",
                                 "{\"status\":\"success\"}", "up 1\n"}) {
    const std::string why = failure_of(http_answer(body));
    EXPECT_NE(why, "") << body;
    EXPECT_LT(why.size(), 400U) << why;
  }
}

TEST(PageFetcher, APageThatIsCutOffIsNoPage) {
  const std::string page = l4_page("n1");
  std::string cut = http_answer(page);
  cut.resize(cut.size() - 20);
  EXPECT_EQ(failure_of(cut), "its page is cut off");
  EXPECT_EQ(failure_of(chunked(page, false)), "its page is cut off");
}

TEST(PageFetcher, ASilentServerHasItsTimeAndNoMore) {
  const WallTime begun = wall_now();
  EXPECT_EQ(failure_of([](Connection& line, const std::string&) { line.wait(seconds(30)); }),
            "does not answer in time");
  EXPECT_LT(wall_now() - begun, seconds(5));
}

TEST(PageFetcher, AServerThatSendsAByteNowAndThenIsCutOff) {
  const std::string whole = http_answer(l4_page("n1"));
  const WallTime begun = wall_now();
  EXPECT_EQ(failure_of([&](Connection& line, const std::string&) {
              line.send(whole.substr(0, 100));
              for (const char letter : whole.substr(100)) {
                if (!line.send({&letter, 1}) || !line.wait(milliseconds(200))) return;
              }
            }),
            "its page does not come to an end in time");
  EXPECT_LT(wall_now() - begun, seconds(6));
}

TEST(PageFetcher, AHeadThatNeverEndsIsCutOffAtTheNextRequest) {
  StandInServer server([](Connection& line, const std::string&) {
    line.send("HTTP/1.1 200 OK\r\nX-Slow: ");
    while (line.send("x") && line.wait(milliseconds(100))) {
    }
  });
  PageFetcher fetcher(targets_of({server.url()}), impatient);
  const WallTime begun = wall_now();
  std::map<std::string, agents::TargetNews> all;
  while (all.empty() && wall_now() - begun < seconds(20)) {
    fetcher.request(wall_now());
    all = news_of(fetcher, 1, milliseconds(500));
  }
  EXPECT_LT(wall_now() - begun, seconds(6));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.begin()->second.failure, "does not answer in time");
}

TEST(PageFetcher, TakesNoMoreThanAPageMayHave) {
  PageFetcherSettings small = impatient;
  small.page_bytes_max = std::size_t{1} << 20U;
  std::string page = l4_page("n1");
  const std::string fits = page + std::string(small.page_bytes_max - page.size(), '\n');
  const auto answer = [](const std::string& body, const std::string& more = "") {
    return
        [=](Connection& line, const std::string&) { line.send(http_answer(body, "200 OK", more)); };
  };
  EXPECT_EQ(failure_of(answer(fits), small), "");
  EXPECT_EQ(failure_of(answer(fits + "\n"), small), "its page is larger than 1 MiB");
  EXPECT_EQ(failure_of(answer(compressed(fits + "\n"), "Content-Encoding: gzip\r\n"), small),
            "its page is larger than 1 MiB");
  EXPECT_EQ(failure_of(
                [](Connection& line, const std::string&) {
                  line.send("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n");
                  const std::string block(std::size_t{1} << 16U, '\n');
                  while (line.send(block)) {
                  }
                },
                small),
            "its page is larger than 1 MiB");
}

TEST(PageFetcher, AGzipBombTakesNoMoreMemoryThanAPage) {
  const auto peak_mib = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss / 1024;
  };
  std::string bomb;
  {
    const std::string once = compressed(std::string(std::size_t{96} << 20U, '\n'));
    bomb = http_answer(once, "200 OK", "Content-Encoding: gzip\r\n");
    EXPECT_LT(bomb.size(), std::size_t{1} << 20U);
  }
  const auto before = peak_mib();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(failure_of([&](Connection& line, const std::string&) { line.send(bomb); },
                         {seconds(5), seconds(20), 32, std::size_t{64} << 20U}),
              "its page is larger than 64 MiB");
  }
  EXPECT_LT(peak_mib() - before, 150);
}

// ---- Many --------------------------------------------------------------------------------------

TEST(PageFetcher, ATargetThatHangsDelaysNoOther) {
  StandInServer hangs([](Connection& line, const std::string&) { line.wait(seconds(30)); });
  StandInServer well(l4_page("n1"));
  std::vector<std::string> urls{hangs.url(), well.url()};
  PageFetcher fetcher(targets_of(urls), {seconds(5), seconds(20), 32, 1000});
  const WallTime begun = wall_now();
  fetcher.request(begun);
  const auto all = news_of(fetcher, 1);
  EXPECT_EQ(all.begin()->first, well.url());
  EXPECT_LT(wall_now() - begun, seconds(3));
}

TEST(PageFetcher, AsksATargetAgainOnlyWhenItHasAnswered) {
  StandInServer hangs([](Connection& line, const std::string&) { line.wait(seconds(30)); });
  PageFetcher fetcher(targets_of({hangs.url()}), {seconds(5), seconds(20), 32, 1000});
  for (int i = 0; i < 5; ++i) {
    fetcher.request(wall_now());
    news_of(fetcher, 1, milliseconds(50));
  }
  EXPECT_EQ(hangs.requests().size(), 1U);
}

TEST(PageFetcher, AsksAServerThatFailsAfterLongerAndLongerPauses) {
  std::atomic<bool> well = false;
  StandInServer server([&](Connection& line, const std::string&) {
    line.send(http_answer(l4_page("n1"), well ? "200 OK" : "500 Internal Server Error"));
  });
  PageFetcher fetcher(targets_of({server.url()}), impatient);
  std::vector<int> asked_at_s;
  for (int second = 0; second < 123; ++second) {
    well = second > 100;
    const std::size_t before = server.requests().size();
    fetcher.request(WallTime{} + seconds(1'000 + second));
    const auto all = news_of(fetcher, 1);
    EXPECT_EQ(all.begin()->second.failure.empty(), second > 120) << second << ": also in a pause";
    if (server.requests().size() > before) asked_at_s.push_back(second);
  }
  EXPECT_EQ(asked_at_s, (std::vector<int>{0, 1, 3, 7, 15, 31, 61, 91, 121, 122}));
}

TEST(PageFetcher, EndsAtOnceWhateverHangs) {
  StandInServer hangs([](Connection& line, const std::string&) { line.wait(seconds(30)); });
  std::vector<std::string> urls(40, hangs.url());
  WallTime ended{};
  {
    PageFetcher fetcher(targets_of(urls), {seconds(5), seconds(20), 32, 1000});
    fetcher.request(wall_now());
    news_of(fetcher, 1, milliseconds(200));
    ended = wall_now();
  }
  EXPECT_LT(wall_now() - ended, seconds(3));
}

TEST(PageFetcher, ReadsMoreTargetsThanItHasThreads) {
  StandInServer server([](Connection& line, const std::string& head) {
    const std::size_t at = head.find('/') + 1;
    line.send(http_answer(l4_page(head.substr(at, head.find(' ', at) - at))));
  });
  std::vector<std::string> urls;
  for (int i = 0; i < 200; ++i) urls.push_back(server.url(fmt::format("/n{}", i)));
  PageFetcher fetcher(targets_of(urls), {seconds(5), seconds(20), 8, std::size_t{1} << 20U});
  for (int turn = 0; turn < 2; ++turn) {
    fetcher.request(wall_now());
    const auto all = news_of(fetcher, urls.size());
    ASSERT_EQ(all.size(), urls.size());
    for (const auto& [url, news] : all) {
      ASSERT_EQ(news.hosts.size(), 1U) << url << " " << news.failure;
      EXPECT_TRUE(url.ends_with("/" + news.hosts[0].host)) << url << " " << news.hosts[0].host;
    }
  }
}

}  // namespace
}  // namespace drover::commands
