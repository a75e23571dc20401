// Dialogues with an agent, as text that a person reviews.
//
// A file in tests/agents/dialogues is a row of blocks: comments (#), one command, a line of four
// dashes, what the agent said, an empty line. DROVER_REWRITE=1 writes what it says now. Times are
// fleet seconds since the start, rounded to 10 ms, quantities to two digits, so that a transcript
// shows what happens and not the last digit of a model.
//
//   agent DEVICES [REPLICAS]               a new agent
//   welcome [heartbeat=D] [lease=D]        wanted | heartbeat | superseded | leave
//   assign serve MODEL replica=N input=N output=N [job=N] [attempt=N] [items=N] [priority=N]
//   assign train MODEL devices=N,N steps=N [batch=N] [sequence=N] [precision=P] [job=N] [attempt=N]
//   cancel job=N [attempt=N]               stored job=N [attempt=N]
//   start MODEL replica=N devices=N,N [precision=P]
//   retire replica=N
//   fault FAULT DURATION [devices=N,N]     a fault; without devices the host's own
//   tick DURATION                          time passes; the router is silent
//   live DURATION                          time passes; the router is heard each second
//   quiet DURATION                         as live; heartbeats and samples are not shown
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/codec/codec.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

struct Block {
  std::vector<std::string> comments;
  std::string command;
  std::string answer;
};

std::vector<Block> read_blocks(std::istream& file) {
  std::vector<Block> blocks;
  Block block;
  bool answering = false;
  for (std::string line; std::getline(file, line);) {
    if (answering && line.empty()) {
      blocks.push_back(std::exchange(block, Block{}));
      answering = false;
    } else if (answering) {
      block.answer += line + "\n";
    } else if (line == "----") {
      answering = true;
    } else if (line.empty() || line[0] == '#') {
      block.comments.push_back(line);
    } else {
      block.command = line;
    }
  }
  if (answering) blocks.push_back(block);
  return blocks;
}

/// The words of a command: `name`, then plain words and `key=value`.
class Words {
 public:
  explicit Words(const std::string& line) {
    for (const std::string& word : split(line, ' ')) {
      raw_.push_back(word);
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) {
        plain_.push_back(word);
      } else {
        keyed_[word.substr(0, equals)] = word.substr(equals + 1);
      }
    }
  }
  std::string plain(std::size_t at) const { return at < plain_.size() ? plain_[at] : ""; }
  /// As it stands, with or without a key.
  std::string raw(std::size_t at) const { return at < raw_.size() ? raw_[at] : ""; }
  bool has(const std::string& key) const { return keyed_.contains(key); }
  std::string text(const std::string& key, const std::string& otherwise) const {
    const auto found = keyed_.find(key);
    return found == keyed_.end() ? otherwise : found->second;
  }
  std::uint32_t number(const std::string& key, std::uint32_t otherwise) const {
    return static_cast<std::uint32_t>(std::stoul(text(key, std::to_string(otherwise))));
  }
  std::vector<std::uint16_t> devices() const {
    std::vector<std::uint16_t> numbers;
    for (const std::string& one : split(text("devices", "0"), ',')) {
      numbers.push_back(static_cast<std::uint16_t>(std::stoul(one)));
    }
    return numbers;
  }
  Precision precision() const { return *parse_precision(text("precision", "bf16")); }

 private:
  std::vector<std::string> raw_;
  std::vector<std::string> plain_;
  std::map<std::string, std::string> keyed_;
};

// ---- What the agent said, one line each --------------------------------------------------------

std::string name(const JobId& job, std::uint32_t attempt) {
  return fmt::format("job {} attempt {}", job.low, attempt);
}
std::string rough(double value) { return fmt::format("{:.2g}", value); }

std::string tell(const Register& registration) {
  std::string text = fmt::format("{}:", registration.host);
  for (const Group& group : registration.groups) {
    text += fmt::format(" {}x{}{}", group.count, group.device,
                        group.topology.empty() ? "" : "@" + group.topology);
  }
  text += registration.replicas.empty() ? "" : ", replicas";
  for (const Replica& replica : registration.replicas) {
    text +=
        fmt::format(" {}:{}@{}", to_text(replica.id), replica.model, to_text(replica.precision));
  }
  text += registration.held.empty() ? "" : ", held";
  for (const HeldAttempt& held : registration.held)
    text += fmt::format(" {}.{}", held.job.low, held.attempt);
  return text;
}
std::string tell(const Accepted& one) { return name(one.job, one.attempt); }
std::string tell(const Refused& one) {
  return fmt::format("{}: {} ({})", name(one.job, one.attempt), to_text(one.reason), one.detail);
}
std::string tell(const Progress& one) {
  return fmt::format("{}: {:.0f} %", name(one.job, one.attempt), one.share * 100);
}
std::string tell(const Finished& one) {
  return fmt::format("{}: {} tokens in, {} out, {} steps, run {} s, {} device-s, {} J",
                     name(one.job, one.attempt), one.outcome.input_tokens,
                     one.outcome.output_tokens, one.outcome.steps, rough(one.outcome.run_s),
                     rough(one.usage.device_s), rough(one.usage.energy_j));
}
std::string tell(const Failed& one) {
  return fmt::format("{}: {} ({}), {} device-s", name(one.job, one.attempt), to_text(one.reason),
                     one.detail, rough(one.usage.device_s));
}
std::string tell(const ReplicaReport& one) {
  const Replica& replica = one.replica;
  const bool paused = replica.state == ReplicaState::ready && replica.pause != Pause::none;
  const std::string pause = paused ? fmt::format(" ({})", to_text(replica.pause)) : "";
  return fmt::format("{} {} {}{}{}, {} queued, {} running, {} KV tokens", to_text(replica.id),
                     replica.model, to_text(replica.state),
                     replica.detail.empty() ? "" : " (" + replica.detail + ")", pause,
                     replica.queued, replica.running, replica.kv_used_tokens);
}
std::string tell(const DeviceReport& one) {
  return fmt::format("device {} {}{}{}", one.device, one.usable ? "usable" : "not usable",
                     one.xid == 0 ? "" : fmt::format(", xid {}", one.xid),
                     one.detail.empty() ? "" : " (" + one.detail + ")");
}
std::string tell(const Leave& one) { return fmt::format("{}, {} held", one.why, one.held); }
std::string tell(const SampleBatch& batch) { return fmt::format("{} rows", batch.devices.size()); }
template <typename Other>
std::string tell(const Other&) {
  return "";
}

std::string transcript(const std::vector<Send>& said) {
  std::string text;
  for (const Send& send : said) {
    const Envelope& envelope = send.envelope;
    const std::string body = std::visit([](const auto& one) { return tell(one); }, envelope.body);
    text += fmt::format("{:.2f} {}{}{}\n", to_seconds(envelope.at - beginning()),
                        kind_name(envelope.body), body.empty() ? "" : " ", body);
  }
  return text.empty() ? "(nothing)\n" : text;
}

// ---- The commands ------------------------------------------------------------------------------

class Dialogue {
 public:
  std::string run(const std::string& line) {
    const Words words(line);
    if (words.plain(0) == "agent") {
      talk_ = std::make_unique<AgentDialogue>(settings_of(words.plain(1), words.plain(2)));
    } else if (!talk_) {
      return "the first command must be `agent`\n";
    } else if (!act(words)) {
      return "unknown command\n";
    }
    const std::string text = transcript(talk_->said);
    talk_->forget();
    return text;
  }

 private:
  bool act(const Words& words) {
    const std::string verb = words.plain(0);
    const std::uint32_t attempt = words.number("attempt", 1);
    const JobId job = job_id(words.number("job", 1));
    if (verb == "welcome") {
      talk_->welcome(duration(words.text("heartbeat", "1s")), duration(words.text("lease", "10s")));
    } else if (verb == "wanted") {
      talk_->from_router(Reregister{});
    } else if (verb == "heartbeat") {
      talk_->from_router(Heartbeat{});
    } else if (verb == "superseded") {
      talk_->from_router(Superseded{});
    } else if (verb == "leave") {
      talk_->leave("SIGTERM");
    } else if (verb == "assign") {
      talk_->from_router(assign(words, attempt));
    } else if (verb == "cancel") {
      talk_->from_router(Cancel{job, attempt, Reason::cancelled});
    } else if (verb == "stored") {
      talk_->from_router(ResultStored{job, attempt});
    } else if (verb == "start") {
      talk_->from_router(StartReplica{words.number("replica", 0), words.plain(1), "",
                                      words.precision(), words.devices()});
    } else if (verb == "retire") {
      talk_->from_router(RetireReplica{words.number("replica", 0)});
    } else if (verb == "fault") {
      talk_->from_router(fault(words));
    } else if (verb == "tick") {
      talk_->pass(duration(words.plain(1)));
    } else if (verb == "live") {
      talk_->pass(duration(words.plain(1)), seconds(1));
    } else if (verb == "quiet") {
      talk_->pass(duration(words.plain(1)), seconds(1));
      std::erase_if(talk_->said, [](const Send& send) {
        return std::holds_alternative<Heartbeat>(send.envelope.body) ||
               std::holds_alternative<SampleBatch>(send.envelope.body);
      });
    } else {
      return false;
    }
    return true;
  }

  static Duration duration(const std::string& text) { return *parse_duration(text, "dialogue"); }

  static ApplyFault fault(const Words& words) {
    ApplyFault apply;
    apply.host = !words.has("devices");
    if (!apply.host) apply.devices = words.devices();
    apply.fault = *parse_fault(words.raw(1));
    apply.fault.duration = duration(words.raw(2));
    return apply;
  }

  static Assign assign(const Words& words, std::uint32_t attempt) {
    const std::uint64_t number = words.number("job", 1);
    Assign assign;
    if (words.plain(1) == "serve") {
      Job job =
          serve_job(number, words.plain(2), words.number("input", 100), words.number("output", 10));
      job.priority = static_cast<std::int8_t>(words.number("priority", 0));
      job.work.items = words.number("items", 1);
      if (job.work.items > 1) job.work.kind = WorkKind::batch;
      assign = to_replica(job, words.number("replica", 0), attempt);
    } else {
      const auto devices = words.devices();
      const Job job =
          train_job(number, words.plain(2), words.number("steps", 10), words.number("batch", 64),
                    words.number("sequence", 128), static_cast<std::uint16_t>(devices.size()));
      assign = to_devices(job, devices, attempt);
    }
    assign.precision = words.precision();
    return assign;
  }

  std::unique_ptr<AgentDialogue> talk_;
};

std::vector<std::string> dialogue_files() {
  std::vector<std::string> files;
  const std::filesystem::path folder =
      std::filesystem::path(DROVER_SOURCE_DIR) / "tests" / "agents" / "dialogues";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Dialogues, MatchTheirGoldenFiles) {
  const bool rewrite = std::getenv("DROVER_REWRITE") != nullptr;
  ASSERT_FALSE(dialogue_files().empty());
  for (const std::string& path : dialogue_files()) {
    std::ifstream file(path);
    const std::vector<Block> blocks = read_blocks(file);
    Dialogue dialogue;
    std::string text;
    for (const Block& block : blocks) {
      const std::string answer = dialogue.run(block.command);
      if (!rewrite) {
        EXPECT_EQ(answer, block.answer) << path << ": " << block.command;
      }
      for (const std::string& comment : block.comments) text += comment + "\n";
      text += block.command + "\n----\n" + answer + "\n";
    }
    if (rewrite) std::ofstream(path) << text;
  }
}

}  // namespace
}  // namespace drover::agents
