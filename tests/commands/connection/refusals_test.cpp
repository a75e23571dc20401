// Requests that a key does not allow, from raw peers of a real router: each is answered, the flood
// of one key is a few lines on record, and hides nothing of another's.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commands/connection/keys.h"
#include "fleet/codec/codec.h"
#include "fleet/socket/socket.h"
#include "router/ledger/store.h"
#include "tests/commands/connection/key_folder.h"
#include "tests/commands/dashboard/screen.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A connection with somebody's key that says what it likes, and no Join.
struct RawPeer {
  Sockets sockets;
  std::vector<std::string> answers;  // Problems' texts

  RawPeer(const std::string& folder, const std::string& name, const std::string& endpoint) {
    const auto keys = read_credentials(folder, name, "");
    if (!keys) ADD_FAILURE() << keys.error().message;
    sockets.use_keys({keys->router_key, keys->own.known.key, keys->own.secret});
    EXPECT_TRUE(sockets.connect_control(endpoint));
  }
  void say(Message body) {
    sockets.send(router_peer, encode({"raw", ++said_, Instant{}, std::move(body)}));
  }
  bool gets(std::size_t count) {
    return eventually([&] {
      for (const Incoming& incoming : sockets.wait(milliseconds(20)).messages) {
        const auto envelope = decode(incoming.bytes);
        const auto* problem = envelope ? std::get_if<RequestError>(&envelope->body) : nullptr;
        if (problem != nullptr) answers.push_back(problem->what);
      }
      return answers.size() >= count;
    });
  }

 private:
  std::uint64_t said_ = 0;
};

struct Refusals : KeyFolder {
  const std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router;

  void SetUp() override {
    ASSERT_TRUE(make_key(folder, "router", KeyRole::router));
    const std::map<std::string, KeyRole> people = {
        {"eve", KeyRole::view}, {"sue", KeyRole::submit}, {"ada", KeyRole::admin}};
    for (const auto& [name, role] : people) {
      ASSERT_TRUE(make_key(folder, name, role));
      ASSERT_TRUE(allow_key(folder, name));
    }
    router = std::make_unique<DroverProcess>(
        std::vector<std::string>{"router", "--listen", endpoint, "--ledger",
                                 parent.file("ledger.sqlite"), "--keys", folder});
    ASSERT_TRUE(router->says("router ready")) << router->err();
  }
  std::vector<std::string> as(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.end(), {"--connect", endpoint, "--keys", folder, "--key", name});
    return words;
  }
  /// What a verb without a screen says when the key that it came in with is revoked.
  std::string shut_out(const std::string& verb, const std::string& name) const {
    return verb + ": " + endpoint + ": the router no longer accepts the key " + name +
           "; retrying\n";
  }
  /// Jobs that the router has taken.
  std::int64_t accepted() const {
    return only_object(run_drover(as("eve", {"status", "--json"})).out)["accepted"].integer();
  }
  /// Rows as `at,in,out`, of which the first comes at once.
  std::vector<std::string> submit_trace(const std::string& rows) const {
    const std::string trace = parent.write("a.csv", "at,in,out\n" + rows);
    const std::string columns = "arrival=at:s,input=in,output=out,model='llama-3.1-8b'";
    return {"submit", "--trace", trace, "--format", "csv", "--columns", columns, "--json"};
  }
  /// All that is on record once the router has ended.
  std::vector<Audit> on_record() {
    router->signal(SIGTERM);
    EXPECT_EQ(router->wait().exit_code, 0);
    std::vector<Audit> audits;
    auto store = router::LedgerStore::open(parent.file("ledger.sqlite"));
    if (!store) {
      ADD_FAILURE() << store.error().message;
      return audits;
    }
    EXPECT_TRUE((*store)->read([&](const LedgerRow& row) {
      const auto envelope = decode(row.payload);
      const auto* audit = envelope ? std::get_if<Audit>(&envelope->body) : nullptr;
      if (audit != nullptr) audits.push_back(*audit);
      return Status();
    }));
    return audits;
  }
};

TEST_F(Refusals, AFloodFromOneKeyIsFullyAnsweredAndHidesNoOtherKey) {
  RawPeer eve(folder, "eve", endpoint);
  const std::vector<Message> forbidden = {Submit{},     InjectFault{}, SetPowerCap{},  SetDrain{},
                                          CancelJobs{}, ApplyPolicy{}, EndRunRequest{}};
  for (const Message& message : forbidden) eve.say(message);
  for (int number = 0; number < 200; ++number) eve.say(InjectFault{});
  ASSERT_TRUE(eve.gets(207)) << eve.answers.size();
  for (std::size_t at = 0; at < forbidden.size(); ++at) {
    const std::string kind(kind_name(forbidden[at]));
    EXPECT_NE(eve.answers[at].find("the key eve (role view) may not send " + kind),
              std::string::npos)
        << eve.answers[at];
  }
  for (int number = 0; number < 80; ++number) {
    RawPeer again(folder, "eve", endpoint);
    again.say(InjectFault{});
    ASSERT_TRUE(again.gets(1)) << number;
  }
  RawPeer sue(folder, "sue", endpoint);
  sue.say(InjectFault{});
  ASSERT_TRUE(sue.gets(1));
  const Json status = only_object(run_drover(as("eve", {"status", "--json"})).out);
  EXPECT_EQ(status["undecodable"].integer(), 288);
  ASSERT_EQ(status["undecodable_by"].size(), 2U) << status.dump();
  EXPECT_NE(status.dump().find("key eve from 127.0.0.1"), std::string::npos) << status.dump();
  EXPECT_TRUE(eventually([&] {
    const auto alerts = Json::parse(run_drover(as("sue", {"alerts", "--json"})).out);
    return alerts && alerts->size() == 2;
  })) << "one alert for each key";
  const std::vector<Audit> audits = on_record();
  const auto of = [&](const std::string& who) {
    return std::count_if(audits.begin(), audits.end(),
                         [&](const Audit& audit) { return audit.who.starts_with(who); });
  };
  EXPECT_GE(of("key eve from 127.0.0.1"), 1);
  EXPECT_LE(of("key eve from 127.0.0.1"), 5) << "a line at once, and one a minute";
  EXPECT_EQ(of("key sue from 127.0.0.1"), 1);
}

TEST_F(Refusals, ASubmitKeyMayQueryDevicesAndAlertsButNotWatch) {
  for (const char* verb : {"devices", "alerts", "status", "jobs"}) {
    const ProcessResult ran = run_drover(as("sue", {verb, "--json"}));
    EXPECT_EQ(ran.exit_code, 0) << verb << ": " << ran.err;
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"devices", "--follow"},
                                                {"frame"},
                                                {"record", "-o", parent.file("x.mcap")}}) {
    const ProcessResult ran = run_drover(as("sue", words));
    EXPECT_EQ(ran.exit_code, 1) << words[0];
    EXPECT_NE(ran.err.find("may not subscribe"), std::string::npos) << ran.err;
  }
}

TEST_F(Refusals, ADashboardReportsEveryRequestThatItsKeyMayNotSend) {
  PseudoTerminal top(as("eve", {"top", "--control"}), 120, 40);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  for (int time = 0; time < 2; ++time) {
    top.type(":drain site\r");
    ASSERT_TRUE(top.shows("Drain site")) << top.screen();
    top.type("y");
    EXPECT_TRUE(top.shows("may not send SetDrain", seconds(20))) << time << "\n" << top.screen();
    top.type("2");  // who presses the next key has read it
    ASSERT_TRUE(eventually([&] { return !top.shows("may not send SetDrain", seconds(0)); }));
  }
  top.type("q");
  EXPECT_TRUE(top.ends());
}

TEST_F(Refusals, ADashboardReportsItsRevokedKeyAndResumesWhenAllowedAgain) {
  PseudoTerminal top(as("eve", {"top"}), 80, 24);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  ASSERT_TRUE(*revoke_key(folder, "eve"));
  EXPECT_TRUE(top.shows("the router no longer accepts the key eve")) << top.screen();
  ASSERT_TRUE(allow_key(folder, "eve"));
  EXPECT_TRUE(eventually([&] { return !top.shows("no longer accepts", seconds(0)); }))
      << top.screen();
}

TEST_F(Refusals, ARecordingReportsItsRevokedKeyOnceAndResumesWhenAllowedAgain) {
  const std::string path = parent.file("a.mcap");
  const auto info = [&] {
    return only_object(run_drover({"recording", "info", path, "--json"}).out);
  };
  DroverProcess record(as("eve", {"record", "-o", path}));
  ASSERT_TRUE(eventually([&] { return info()["journaled"].integer() > 3; })) << record.err();
  ASSERT_TRUE(*revoke_key(folder, "eve"));
  ASSERT_TRUE(record.says(shut_out("drover record", "eve"))) << record.err();
  EXPECT_FALSE(record.ends(seconds(2))) << record.err();  // some totals that it does not get
  const std::string before = info()["end"].text();
  ASSERT_FALSE(before.empty());
  ASSERT_TRUE(allow_key(folder, "eve"));
  EXPECT_TRUE(eventually([&] { return info()["end"].text() > before; })) << record.err();
  record.signal(SIGTERM);
  const ProcessResult ran = record.wait();
  EXPECT_EQ(ran.exit_code, 3) << "what was not sent to it is missing: " << ran.err;
  EXPECT_EQ(ran.err.find("no longer accepts"), ran.err.rfind("no longer accepts")) << ran.err;
  EXPECT_EQ(info()["closed"], Json(true));
  EXPECT_GT(info()["dropped"].integer(), 0);
}

TEST_F(Refusals, AFollowerReportsItsRevokedKeyOnceAndResumesWhenAllowedAgain) {
  ASSERT_TRUE(make_key(folder, "h-1", KeyRole::agent));
  ASSERT_TRUE(allow_key(folder, "h-1"));
  const DroverProcess agent(as("h-1", {"agent", "--name", "h-1", "--devices", "l4:2"}));
  DroverProcess follow(as("eve", {"devices", "--follow", "--json"}));
  ASSERT_TRUE(follow.says("h-1/0")) << follow.err() << agent.err();
  ASSERT_TRUE(*revoke_key(folder, "eve"));
  ASSERT_TRUE(follow.says(shut_out("drover devices", "eve"))) << follow.err();
  EXPECT_FALSE(follow.ends(seconds(1))) << follow.err();
  const std::size_t before = follow.out().size();
  ASSERT_TRUE(allow_key(folder, "eve"));
  EXPECT_TRUE(eventually([&] { return follow.out().size() > before; })) << follow.err();
  follow.signal(SIGINT);
  const ProcessResult ran = follow.wait();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, shut_out("drover devices", "eve"));
}

TEST_F(Refusals, WaitingForATraceReportsItsRevokedKeyOnceAndContinues) {
  std::vector<std::string> words = submit_trace("0,100,10\n");
  words.emplace_back("--wait");
  DroverProcess submit(as("sue", words));
  ASSERT_TRUE(eventually([&] { return accepted() == 1; })) << submit.err();
  ASSERT_TRUE(*revoke_key(folder, "sue"));
  ASSERT_TRUE(submit.says(shut_out("drover submit", "sue"))) << submit.err();
  // What it waits for comes while it cannot hear it.
  const Json jobs = only_object(run_drover(as("ada", {"jobs", "--json"})).out)["jobs"];
  ASSERT_EQ(jobs.size(), 1U);
  ASSERT_EQ(run_drover(as("ada", {"cancel", jobs[0]["id"].text()})).exit_code, 0);
  EXPECT_FALSE(submit.ends(seconds(1))) << submit.err();
  ASSERT_TRUE(allow_key(folder, "sue"));
  const ProcessResult ran = submit.wait();
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_EQ(only_object(ran.out)["cancelled"].integer(), 1) << ran.out;
  EXPECT_EQ(ran.err.find("no longer accepts"), ran.err.rfind("no longer accepts")) << ran.err;
}

TEST_F(Refusals, ATraceFailsWithTheReasonIfItsKeyIsRevokedBeforeFullAcknowledgment) {
  // The second row comes when the key is long cut off.
  DroverProcess submit(as("sue", submit_trace("0,100,10\n8,100,10\n")));
  ASSERT_TRUE(eventually([&] { return accepted() == 1; })) << submit.err();
  ASSERT_TRUE(*revoke_key(folder, "sue"));
  const ProcessResult ran = submit.wait();
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, shut_out("drover submit", "sue") +
                         "drover submit: not acknowledged: 1 job: the router no longer accepts "
                         "the key sue\n");
}

TEST_F(Refusals, WaitingForAJobFailsWithTheReasonWhenItsKeyIsRevoked) {
  DroverProcess submit(as("sue", {"submit", "--model", "llama-3.1-8b", "--wait"}));
  ASSERT_TRUE(eventually([&] { return accepted() == 1; })) << submit.err();
  ASSERT_TRUE(*revoke_key(folder, "sue"));
  const ProcessResult ran = submit.wait();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("does not accept the key sue"), std::string::npos) << ran.err;
}

TEST_F(Refusals, AFeedReportsItsRevokedKeyOnceAndNoJobIsLostOrDuplicated) {
  DroverProcess feed(as("sue", {"feed"}));
  ASSERT_TRUE(eventually([&] { return accepted() > 0; })) << feed.err();
  ASSERT_TRUE(*revoke_key(folder, "sue"));
  ASSERT_TRUE(feed.says(shut_out("drover feed", "sue"))) << feed.err();
  EXPECT_FALSE(feed.ends(seconds(1))) << feed.err();
  const std::int64_t before = accepted();
  ASSERT_TRUE(allow_key(folder, "sue"));
  EXPECT_TRUE(eventually([&] { return accepted() > before; })) << feed.err();
  feed.signal(SIGTERM);
  const ProcessResult ran = feed.wait();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, shut_out("drover feed", "sue"));
  const Json said = only_object(ran.out);
  EXPECT_GT(said["resent"].integer(), 0) << ran.out;
  EXPECT_EQ(said["accepted"].integer(), said["rows"].integer()) << ran.out;
  EXPECT_EQ(accepted(), said["rows"].integer()) << ran.out;
}

TEST_F(Refusals, AStoryReportsItsRevokedKeyOnceAndResumesWhenAllowedAgain) {
  PseudoTerminal top(as("eve", {"top"}), 120, 40);
  DroverProcess story(as("ada", {"story"}));
  ASSERT_TRUE(top.shows("Story 1/8:")) << top.screen() << story.err();
  ASSERT_TRUE(*revoke_key(folder, "ada"));
  ASSERT_TRUE(story.says(shut_out("drover story", "ada"))) << story.err();
  story.signal(SIGUSR1);
  EXPECT_FALSE(top.shows("Story 1/8 (paused)", seconds(1))) << top.screen();
  ASSERT_TRUE(allow_key(folder, "ada"));
  EXPECT_TRUE(top.shows("Story 1/8 (paused)")) << top.screen() << story.err();
  story.signal(SIGTERM);
  const ProcessResult ran = story.wait();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err.find("no longer accepts"), ran.err.rfind("no longer accepts")) << ran.err;
}

}  // namespace
}  // namespace drover::commands
