// A real router's journal, fed to a fresh core, says again what the router published, byte for
// byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/agent/options.h"
#include "commands/why/journal_replay.h"
#include "fleet/codec/codec.h"
#include "fleet/codec/journal.h"
#include "fleet/socket/socket.h"
#include "fleet/text/json.h"
#include "tests/commands/connection/key_folder.h"
#include "tests/commands/program.h"
#include "tests/fleet/codec/decode_journal.h"

namespace drover::commands {
namespace {

/// Everything the router itself publishes, as bytes; agents' samples are not its words.
void take_published(Sockets& sockets, std::vector<std::string>& published) {
  for (Incoming& incoming : sockets.wait(std::chrono::milliseconds(50)).messages) {
    const auto envelope = decode(incoming.bytes);
    ASSERT_TRUE(envelope.ok()) << envelope.error().message;
    if (envelope->sender == "router") published.push_back(std::move(incoming.bytes));
  }
}

struct ReplayedJournal {
  std::string problem;
  std::vector<std::string> published;
};

/// Feeds the records to the core that the first one describes.
ReplayedJournal replay(const std::vector<JournalRecord>& records) {
  ReplayedJournal replayed;
  JournalReplay replay(devices::Catalogue::embedded());
  for (const JournalRecord& record : records) {
    if (const Status fed = replay.feed(record); !fed) return {fed.error().message, {}};
    for (const Send& send : replay.outbox().sends) {
      if (send.to.channel == Channel::publish) replayed.published.push_back(encode(send.envelope));
    }
  }
  EXPECT_GT(replay.counts().reproduced_turns, 0u);
  return replayed;
}

/// Full-width numbers are written as text.
std::uint64_t as_number(const Json& text) {
  return std::strtoull(text.text().c_str(), nullptr, 10);
}

/// The inverse of `to_text(const AgentStart&)`.
Result<AgentStart> parse_agent_start(std::string_view text) {
  const auto parsed = Json::parse(text);
  if (!parsed) return parsed.error();
  const Json& json = *parsed;
  if (!json["host"].is_text()) return error("host: found nothing, expected the agent's name");
  AgentStart start;
  agents::AgentSettings& settings = start.settings;
  settings.host = json["host"].text();
  settings.rack = json["rack"].text();
  settings.site = json["site"].text();
  for (const std::string& key : json["labels"].keys()) {
    settings.labels[key] = json["labels"][key].text();
  }
  settings.incarnation = {as_number(json["incarnation_high"]), as_number(json["incarnation_low"])};
  for (std::size_t i = 0; i < json["groups"].size(); ++i) {
    const Json& group = json["groups"][i];
    settings.groups.push_back({group["device"].text(),
                               static_cast<std::uint16_t>(group["count"].integer()),
                               group["topology"].text()});
  }
  for (std::size_t i = 0; i < json["replicas"].size(); ++i) {
    const Json& replica = json["replicas"][i];
    settings.replicas.push_back({replica["model"].text(),
                                 static_cast<std::uint16_t>(replica["first"].integer()),
                                 static_cast<std::uint16_t>(replica["last"].integer()),
                                 parse_precision(replica["precision"].text())});
  }
  settings.ambient_c = json["ambient_c"].number();
  settings.sample_every = Duration(json["sample_every_ns"].integer());
  settings.sample_every_min = Duration(json["sample_every_min_ns"].integer());
  settings.seed = as_number(json["seed"]);
  settings.fault_rate = json["fault_rate"].number();
  settings.sample_loss = json["sample_loss"].number();
  settings.sample_delay = Duration(json["sample_delay_ns"].integer());
  start.start = Instant(Duration(json["start_ns"].integer()));
  return start;
}

struct Said {
  std::string problem;
  std::vector<std::string> control;
  std::vector<std::string> samples;
};

/// What a fresh agent core says when it is fed the records.
Said replay_agent(const std::vector<JournalRecord>& records) {
  Said said;
  if (records.empty() || !std::holds_alternative<JournalStart>(records.front())) {
    return {"the journal does not begin with a start", {}, {}};
  }
  const auto start = parse_agent_start(std::get<JournalStart>(records.front()).settings);
  if (!start.ok()) return {start.error().message, {}, {}};
  agents::Agent agent(start->settings, devices::Catalogue::embedded(), start->start);
  for (const JournalRecord& record : records) {
    if (const auto* receive = std::get_if<JournalReceive>(&record)) {
      const auto envelope = decode(receive->bytes);
      if (!envelope.ok()) {
        agent.count_undecodable();
      } else if (const auto* welcome = std::get_if<JoinAccepted>(&envelope->body)) {
        agent.handle_join_accepted(receive->now, *welcome);
      } else {
        agent.receive(receive->now, *envelope);
      }
    } else if (const auto* leave = std::get_if<JournalLeave>(&record)) {
      agent.leave(leave->now, leave->why);
    } else if (const auto* tick = std::get_if<JournalTick>(&record)) {
      agent.tick(tick->now);
      for (const agents::Effect& effect : agent.take_effects()) {
        const auto* send = std::get_if<Send>(&effect);
        if (send == nullptr) continue;
        auto& channel = send->to.channel == Channel::samples ? said.samples : said.control;
        channel.push_back(encode(send->envelope));
      }
    }
  }
  return said;
}

/// What a router's journal says that it heard from the agent; Join is its shell's word.
Said heard_from(const std::string& name, const std::vector<JournalRecord>& records) {
  Said heard;
  for (const JournalRecord& record : records) {
    const auto* receive = std::get_if<JournalReceive>(&record);
    if (receive == nullptr) continue;
    const auto envelope = decode(receive->bytes);
    if (!envelope.ok()) heard.problem = envelope.error().message;
    if (!envelope.ok() || envelope->sender != name) continue;
    if (std::holds_alternative<Join>(envelope->body)) continue;
    auto& channel = receive->from.channel == Channel::samples ? heard.samples : heard.control;
    channel.push_back(receive->bytes);
  }
  return heard;
}

/// Whether `part` stands in `whole` without a gap.
bool holds_in_a_row(const std::vector<std::string>& whole, const std::vector<std::string>& part) {
  return std::search(whole.begin(), whole.end(), part.begin(), part.end()) != whole.end();
}

TEST(Journal, OfARealRouterAndAgentReplaysToTheSameMessages) {
  TestFolder folder;
  const std::string endpoint = free_endpoint();
  const std::string file = folder.file("router.journal");
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite"),
                        "--speed", "20", "--journal", file});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  const auto control = parse_endpoint(endpoint, "");
  ASSERT_TRUE(control.ok());
  Endpoint publish = *control;
  publish.port = static_cast<std::uint16_t>(publish.port + 2);
  Sockets subscriber;
  ASSERT_TRUE(subscriber.connect_publish(publish.to_text()).ok());

  const std::string agent_file = folder.file("agent.journal");
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "h100-sxm:2",
                       "--replicas", "llama-3.1-8b:0", "--journal", agent_file});
  std::vector<std::string> published;
  for (int job = 0; job < 12; ++job) {
    DroverProcess submit({"submit", "--connect", endpoint, "--model", "llama-3.1-8b", "--input",
                          std::to_string(100 + job), "--output", "20", "--wait"});
    ASSERT_TRUE(eventually([&] {
      take_published(subscriber, published);
      return submit.ends(std::chrono::seconds(0));
    })) << submit.err();
  }
  agent.signal(SIGTERM);
  ASSERT_EQ(agent.wait().exit_code, 0) << agent.err();
  take_published(subscriber, published);
  router.signal(SIGTERM);
  ASSERT_EQ(router.wait().exit_code, 0) << router.err();

  const auto records = decode_journal(folder.read("router.journal"));
  ASSERT_TRUE(records.ok()) << records.error().message;
  const ReplayedJournal replayed = replay(*records);
  ASSERT_EQ(replayed.problem, "");
  // The subscriber joined a little later than the router began, so it has a part of the words.
  ASSERT_GT(published.size(), 40u);
  EXPECT_TRUE(holds_in_a_row(replayed.published, published));

  const auto agent_records = decode_journal(folder.read("agent.journal"));
  ASSERT_TRUE(agent_records.ok()) << agent_records.error().message;
  const Said said = replay_agent(*agent_records);
  ASSERT_EQ(said.problem, "");
  const Said heard = heard_from("h-1", *records);
  ASSERT_EQ(heard.problem, "");
  ASSERT_GT(heard.control.size(), 24u);
  ASSERT_GT(heard.samples.size(), 3u);
  EXPECT_TRUE(holds_in_a_row(said.control, heard.control));
  EXPECT_TRUE(holds_in_a_row(said.samples, heard.samples));
}

TEST(Journal, OfARouterWithKeysReplaysToTheSameMessages) {
  TestFolder folder;
  const std::string keys = folder.file("keys");
  ASSERT_TRUE(make_key(keys, "router", KeyRole::router));
  for (const auto& [name, role] : {std::pair("h-1", KeyRole::agent), {"ada", KeyRole::admin}}) {
    ASSERT_TRUE(make_key(keys, name, role));
    ASSERT_TRUE(allow_key(keys, name));
  }
  const std::string endpoint = free_endpoint();
  const std::string file = folder.file("router.journal");
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite"),
                        "--keys", keys, "--journal", file});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  Endpoint publish = *parse_endpoint(endpoint, "");
  publish.port = static_cast<std::uint16_t>(publish.port + 2);
  const auto ada = read_credentials(keys, "ada", "");
  ASSERT_TRUE(ada) << ada.error().message;
  Sockets subscriber;
  subscriber.use_keys({ada->router_key, ada->own.known.key, ada->own.secret});
  ASSERT_TRUE(subscriber.connect_publish(publish.to_text()));
  const auto as = [&](std::vector<std::string> words, const std::string& name) {
    words.insert(words.end(), {"--connect", endpoint, "--keys", keys, "--key", name});
    return words;
  };
  DroverProcess agent(as({"agent", "--name", "h-1", "--devices", "l4:1"}, "h-1"));
  std::vector<std::string> published;
  ASSERT_TRUE(eventually([&] {
    take_published(subscriber, published);
    return run_drover(as({"inject", "h-1/0", "hang"}, "ada")).exit_code == 0;
  })) << agent.err();
  const auto told = [&] {
    take_published(subscriber, published);
    return std::any_of(published.begin(), published.end(), [](const std::string& bytes) {
      const auto envelope = decode(bytes);
      const auto* audit = envelope ? std::get_if<Audit>(&envelope->body) : nullptr;
      return audit != nullptr && audit->applied && audit->who.starts_with("ada/");
    });
  };
  ASSERT_TRUE(eventually(told)) << router.err();
  router.signal(SIGTERM);
  ASSERT_EQ(router.wait().exit_code, 0) << router.err();

  const auto records = decode_journal(folder.read("router.journal"));
  ASSERT_TRUE(records.ok()) << records.error().message;
  const ReplayedJournal replayed = replay(*records);
  ASSERT_EQ(replayed.problem, "");
  EXPECT_TRUE(holds_in_a_row(replayed.published, published));
}

}  // namespace
}  // namespace drover::commands
