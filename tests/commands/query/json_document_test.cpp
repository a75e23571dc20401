// docs/json.md says what the commands print as JSON: every field, and none that is not printed.
#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "commands/launch/results.h"
#include "commands/query/explanations.h"
#include "commands/query/job_listing.h"
#include "commands/query/reports.h"
#include "commands/query/table_output.h"
#include "commands/record/recording_rows.h"
#include "commands/record/recording_summary.h"
#include "commands/why/idle_device.h"
#include "commands/why/slow_device.h"
#include "tests/commands/alerted_fleet.h"
#include "tui/tables/table_rows.h"

namespace drover::commands::json_document {
namespace {

using Names = std::vector<std::string>;

/// A row of a table of the page. `as_in`: the section whose fields follow after a dot; or empty.
struct DocumentedField {
  std::string name;
  std::string as_in;
};

/// The fields by section. A section that begins "All fields of [X]" has those of X too.
std::map<std::string, std::vector<DocumentedField>> read_page() {
  std::ifstream stream(std::string(DROVER_SOURCE_DIR) + "/docs/json.md");
  EXPECT_TRUE(stream.is_open());
  std::map<std::string, std::vector<DocumentedField>> page;
  const std::regex row(R"(\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|)");
  const std::regex as_in(R"(as in \[([^\]]+)\]\(#)");
  const std::regex all_of(R"(All fields of \[([^\]]+)\])");
  std::string section;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("#")) section = line.substr(line.find(' ') + 1);
    std::smatch found;
    if (std::regex_search(line, found, all_of)) page[section].push_back({"", found[1]});
    if (!line.starts_with("| `")) continue;
    EXPECT_TRUE(std::regex_match(line, found, row)) << line;
    const std::string name = found[1], values = found[2];
    const bool refers = std::regex_search(values, found, as_in);
    page[section].push_back({name, refers ? found[1].str() : ""});
  }
  return page;
}

/// The fields of a section in the page's order, as `fallbacks.REASON`.
Names fields_of(const std::string& section) {
  static const auto page = read_page();
  const auto found = page.find(section);
  if (found == page.end()) {
    ADD_FAILURE() << "docs/json.md has no section " << section;
    return {};
  }
  Names names;
  for (const DocumentedField& field : found->second) {
    if (!field.name.empty()) names.push_back(field.name);
    if (field.as_in.empty()) continue;
    for (const std::string& inner : fields_of(field.as_in)) {
      names.push_back(field.name.empty() ? inner : field.name + "." + inner);
    }
  }
  return names;
}

/// The same with the objects and lists that contain them.
std::set<std::string> paths_of(const std::string& section) {
  std::set<std::string> paths;
  for (std::string name : fields_of(section)) {
    for (std::size_t dot = name.size(); dot != std::string::npos; dot = name.rfind('.')) {
      name.resize(dot);
      paths.insert(name);
    }
  }
  return paths;
}

/// The name in capitals that stands for any name in this object; empty if there is none.
std::string any_name_in(const std::string& object, const std::set<std::string>& documented) {
  for (const std::string& path : documented) {
    if (!path.starts_with(object + ".")) continue;
    const std::string name = path.substr(object.size() + 1);
    const bool capitals = std::ranges::all_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (capitals) return name;
  }
  return "";
}

void add_paths(const Json& json, const std::string& within, const std::set<std::string>& documented,
               std::set<std::string>& paths) {
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) add_paths(json[i], within, documented, paths);
    return;
  }
  const std::string any = any_name_in(within, documented);
  for (const std::string& key : json.keys()) {
    const std::string name = any.empty() ? key : any;
    const std::string path = within.empty() ? name : within + "." + name;
    paths.insert(path);
    add_paths(json[key], path, documented, paths);
  }
}

Names missing_from(const std::set<std::string>& other, const std::set<std::string>& all) {
  Names missing;
  std::ranges::set_difference(all, other, std::back_inserter(missing));
  return missing;
}

/// Together the answers have every field of the section, and no other. No answer leaves out a field
/// that another has: what is not known is null. `elsewhere`: a section whose fields are included
/// and need not all be in these answers.
void expect_documented(const std::string& section, const std::vector<Json>& answers,
                       const std::string& elsewhere = "") {
  SCOPED_TRACE(section);
  const std::set<std::string> documented = paths_of(section);
  std::set<std::string> printed;
  if (!elsewhere.empty()) printed = paths_of(elsewhere);
  Names keys;
  for (const Json& answer : answers) {
    const Json& object = answer.is_array() ? answer[0] : answer;
    EXPECT_TRUE(object.is_object()) << answer.dump();
    if (keys.empty()) keys = object.keys();
    EXPECT_EQ(keys, object.keys());
    add_paths(answer, "", documented, printed);
  }
  EXPECT_EQ(missing_from(documented, printed), Names()) << "are printed; the page lacks them";
  EXPECT_EQ(missing_from(printed, documented), Names()) << "are on the page, and not printed";
}

Json json_of(const ProcessResult& ran) {
  EXPECT_EQ(ran.out.find(R"(:"")"), std::string::npos) << ran.out;
  const auto json = Json::parse(ran.out);
  EXPECT_TRUE(json.ok()) << ran.out << ran.err;
  return json ? *json : Json();
}

constexpr Instant now{std::chrono::seconds(100)};

JobChanged finished_job() {
  JobChanged job;
  job.job.id = {1, 2};
  job.state = JobState::finished;
  return job;
}

Decision full_decision() {
  Decision decision;
  decision.primary.emplace();
  decision.top.resize(1);
  decision.top[0].parts.resize(1);
  decision.rejections.resize(1);
  return decision;
}

WhyReply full_why() {
  WhyReply reply;
  reply.job = finished_job();
  reply.decisions = {full_decision(), Decision{}};
  reply.candidates.resize(1);
  reply.nearest.resize(1);
  return reply;
}

Summary full_summary() {
  Summary summary;
  for (auto* counts : {&summary.fallbacks, &summary.failures, &summary.queued_for}) {
    (*counts)[Reason::capacity] = 1;
  }
  summary.undecodable_by_sender = {{"127.0.0.1", 1}};
  summary.fallback_costs.resize(1);
  summary.classes.resize(1);
  return summary;
}

/// The rows that an export makes of this message.
Json exported(Message body) {
  RecordedMessage recorded;
  recorded.envelope.at = now;
  recorded.envelope.body = std::move(body);
  Json rows = Json::array();
  rows_of(recorded, [&](const Json& row) { rows.add(row); });
  return rows;
}

HostResult launched(const std::string& did) {
  HostResult result;
  result.answer.did = did;
  result.answer.pid = did.empty() ? 0 : 1;
  return result;
}

TEST(JsonDocument, HasEveryColumnOfEveryTableInItsOrder) {
  const tui::Model model(std::chrono::seconds(1));
  const tui::FleetFilter filter;
  const tui::DeviceList order;
  for (const std::string& name : tui::table_names()) {
    const tui::TableQuery query{model, now, filter, order, {}};
    EXPECT_EQ(fields_of("Table " + name), tui::table_rows(query, name).names) << name;
  }
}

TEST(JsonDocument, HasEveryFieldOfTotalsJobsAndDecisions) {
  expect_documented("drover status", {to_json(full_summary()), to_json(Summary{})});
  expect_documented("drover jobs",
                    {to_json(JobListing{{finished_job()}}, now), to_json(JobListing{}, now)});
  expect_documented("drover why", {to_json(full_why(), now), to_json(WhyReply{}, now)});
}

TEST(JsonDocument, HasEveryFieldOfASlowDevice) {
  HostChanged host;
  host.registration.host = "h";
  host.registration.groups = {{0, 0, 1, "l4", "", 72}};
  tui::Model model(std::chrono::seconds(1));
  model.apply(now, {"router", 1, now, host});
  const Json silent = slow_device_json(model, now, 0);
  EXPECT_TRUE(silent["causes"].is_null()) << silent.dump();
  Sample sample;
  sample[Metric::throttle] = throttle_hw_power_brake;
  model.apply(now, {"h", 1, now, pack("h", std::vector<Sample>{sample})});
  JobChanged waiting = finished_job();
  waiting.state = JobState::queued;
  model.apply(now, {"router", 1, now, waiting});
  WhyReply reply;
  reply.job = waiting;
  reply.candidates = {{"h/g0", "all", "l4", {}, {Reason::memory}}};
  const std::vector<WhyReply> replies{reply, WhyReply{waiting, {}, {}, 0, {}, ""}};
  const auto with_idle = [&](Json json) { return json.set("idle", idle_json(model, 0, replies)); };
  Json busy = slow_device_json(model, now, 0);
  busy.set("idle", Json());
  expect_documented("drover why DEVICE", {with_idle(silent), busy});
}

TEST(JsonDocument, HasEveryFieldOfLaunchesAndRecordings) {
  const auto results = [](launch::LaunchAction action, const HostResult& result) {
    return *Json::parse(results_json(action, {result}));
  };
  expect_documented("drover launch", {results(launch::LaunchAction::up, launched("started")),
                                      results(launch::LaunchAction::logs, launched(""))});
  RecordingSummary full;
  full.drops.resize(1);
  full.info.lost.resize(1);
  full.info.channels.resize(1);
  expect_documented("drover recording info", {to_json(full), to_json(RecordingSummary{})});
  expect_documented("drover recording verify", {to_json(VerifyReport{}, true, "", 0)});
  expect_documented("Channel samples", {exported(pack("h", std::vector<Sample>(1)))});
  expect_documented("Channel events", {exported(Event{})});
  expect_documented("Channel events, captions of a story", {exported(Caption{})});
  expect_documented("Channel audit", {exported(Audit{})});
  expect_documented("Channel alerts", {exported(Alert{})});
}

TEST(JsonDocument, PrintsNullWhereThereIsNothingToSay) {
  const HostResult lost = launched("");
  HostResult fine = launched("started");
  fine.ok = true;
  const Json launch = *Json::parse(results_json(launch::LaunchAction::up, {fine}));
  const Json failed = (*Json::parse(results_json(launch::LaunchAction::up, {lost})))["hosts"][0];
  const Json fit = to_json(full_why(), now)["nearest_fits"][0];
  const std::vector<std::pair<Json, Names>> cases = {
      {fit, {"target", "pool", "amount"}},
      {to_json(full_summary())["classes"][0],
       {"target", "within_target", "burn_5min", "burn_1h", "burns_fast"}},
      {to_json(Decision{}), {"number", "job", "rule", "pool", "fallback_reason", "work_class"}},
      {to_json(RecordingSummary{}), {"state", "software", "start", "bytes_per_value"}},
      {exported(Event{})[0], {"subject"}},
      {exported(Caption{})[0], {"caption", "key", "view", "metric", "device"}},
      {exported(Audit{})[0], {"target", "detail"}},
      {exported(Alert{})[0], {"acknowledged_by"}},
      {launch, {"failed"}},
      {launch["hosts"][0], {"detail", "router", "version", "log"}},
      {failed, {"detail", "pid", "age_s", "settings_differ", "program_copied"}}};
  for (const auto& [object, names] : cases) {
    for (const std::string& name : names) {
      EXPECT_TRUE(object.has(name) && object[name].is_null()) << name << object.dump();
    }
  }
}

TEST(JsonDocument, ALaunchSaysInTextWhatIsNotKnownAndWhatIsNotThere) {
  const auto cells = [](const HostResult& result) {
    const std::string table = results_text(launch::LaunchAction::status, {result});
    const std::string row = table.substr(table.find('\n') + 1);
    return std::pair(std::ranges::count(row, '-'), row.find("N/A") != std::string::npos);
  };
  EXPECT_EQ(cells(launched("")), std::pair(1L, true)) << "no answer, nothing to say";
  HostResult stopped = launched("absent");
  stopped.answer.pid = 0;
  EXPECT_EQ(cells(stopped), std::pair(5L, false));
}

TEST(JsonDocument, HasEveryFieldOfDeviceModels) {
  const TestFolder folder;
  const auto answer = [](Names words) {
    words.push_back("--json");
    return json_of(run_drover(words));
  };
  expect_documented("drover catalogue devices", {answer({"catalogue", "devices"}),
                                                 answer({"catalogue", "devices", "tpu-v5e"})});
  expect_documented("drover catalogue models", {answer({"catalogue", "models"}),
                                                answer({"catalogue", "models", "bert-large"})});
  expect_documented("drover estimate",
                    {answer({"estimate", "--kind", "decode", "--device", "h100-sxm", "--model",
                             "llama-3.1-8b", "--batch", "32"}),
                     answer({"estimate", "--kind", "gemm", "--device", "tpu-v5e", "--m", "4096",
                             "--n", "4096", "--k", "4096"})});
  expect_documented(
      "drover compare",
      {answer({"compare", "--model", "llama-3.1-8b", "--batch", "1..2", "h100-sxm:1", "t4:1"})});
  const std::string workloads = std::string(DROVER_SOURCE_DIR) + "/examples/workloads.toml";
  expect_documented("drover compare --workloads",
                    {answer({"compare", "--workloads", workloads, "h100-sxm:1", "l4:1"})});
  const std::string measured =
      folder.write("kernel_timings.csv",
                   "device,op,m,n,k,dtype,ms,tflops,notes,source,split\n"
                   "A40,gemm,4096,8192,1024,fp16,0.673,102,,github a/b:c,c\n"
                   "A40,gemm,4096,8192,1024,fp16,2.673,102,,github a/b:c,c\n"
                   "A40,gemm,0,8192,1024,fp16,0.3,,,github a/b:c,c\n");
  expect_documented("drover validate", {answer({"validate", measured})});
}

TEST(JsonDocument, HasEveryFieldOfKeysErrorsAndTheDemo) {
  const TestFolder folder;
  ASSERT_EQ(run_drover({"keys", "new", "router", "--dir", folder.path()}).exit_code, 0);
  expect_documented("drover keys list",
                    {json_of(run_drover({"keys", "list", "--dir", folder.path(), "--json"}))});
  expect_documented("drover doctor", {json_of(run_drover({"doctor", "--json", "--skip", "drivers",
                                                          "--connect", "tcp://127.0.0.1:1"}))});
  expect_documented("drover config print", {json_of(run_drover({"config", "print", "--json"}))});
  expect_documented("Errors", {json_of(run_drover({"policy", "check", "/none", "--json"}))});
  const std::string wrong = folder.write("wrong.toml", "[policy]\nname = \"t\"\n");
  expect_documented("drover policy check",
                    {json_of(run_drover({"policy", "check", wrong, "--json"}))});
  const Names demo{"demo", "--headless", "--json", "--for", "3s", "--speed", "60"};
  expect_documented("drover demo --headless", {json_of(run_drover(demo, std::chrono::seconds(90)))},
                    "drover status");
}

TEST(JsonDocument, HasEveryFieldOfActionsAndPolicies) {
  const TestFolder folder;
  const std::string told = folder.file("told");
  const std::string program = folder.write("hook", "#!/bin/sh\ncat >> " + told + "\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  AlertedFleet fleet({"--on-alert", program});
  ASSERT_TRUE(fleet.running.start()) << fleet.running.trouble();
  const auto answer = [&](Names words) {
    words.push_back("--json");
    return json_of(fleet.running.ask(words));
  };
  const std::string id(32, 'a');
  const Names job{"submit", "--model", "llama-3.1-8b", "--input", "3", "--output", "3", "--id", id};
  ASSERT_EQ(fleet.running.ask(job).exit_code, 0);
  std::vector<Json> replies;
  for (const Names& words : std::vector<Names>{{"drain", "h-1/0"},
                                               {"cap", "site", "4kW"},
                                               {"inject", "h-1/1", "xid=79", "--for", "10s"},
                                               {"acknowledge", "--all"},
                                               {"forget", "host:h-1"},
                                               {"policy", "apply", fleet.policy}}) {
    replies.push_back(answer(words));
  }
  expect_documented("Replies to actions", replies);
  expect_documented("drover cancel", {answer({"cancel", id}), answer({"cancel", "b"})}, "Errors");
  expect_documented("drover policy show", {answer({"policy", "show"})});
  ASSERT_TRUE(eventually([&] { return text_of(told).find('\n') != std::string::npos; }));
  const std::string first = text_of(told).substr(0, text_of(told).find('\n'));
  expect_documented("Alerts as input of a program", {json_of({0, first, ""})});
}

TEST(JsonDocument, HasEveryFieldOfSubmittedWorkAndReplays) {
  const TestFolder folder;
  const std::string journal = folder.file("journal");
  AlertedFleet fleet({"--journal", journal});
  ASSERT_TRUE(fleet.running.start()) << fleet.running.trouble();
  const auto answer = [&](Names words) {
    words.push_back("--json");
    return json_of(fleet.running.ask(words));
  };
  const std::string id(32, 'a');
  const Names job{"submit", "--model", "llama-3.1-8b", "--input", "3", "--output", "3", "--id", id};
  const Names refused{"submit", "--model", "bert-large", "--input", "3", "--output", "3"};
  expect_documented("drover submit", {answer(job), answer(refused)});
  const std::string trace =
      folder.write("t.csv",
                   "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
                   "0,1,0,20,resnet50,4,1\n");
  const Names traced{"submit", "--trace", trace,           "--format", "tiresias",
                     "--seed", "2",       "--measured-on", "l4"};
  Names waited = traced;
  waited.push_back("--wait");
  expect_documented("drover submit --trace", {answer(traced), answer(waited)});
  expect_documented("drover why --replay",
                    {json_of(run_drover({"why", id, "--replay", journal, "--json"}))},
                    "drover why");
  expect_documented("drover feed", {json_of(fleet.running.ask({"feed", "--for", "1s"}))});
  DroverProcess story(fleet.running.with_connect({"story"}));
  EXPECT_TRUE(story.says("no host")) << "this fleet is not the story's";
  story.signal(SIGTERM);
  expect_documented("drover story", {json_of(story.wait())});
}

}  // namespace
}  // namespace drover::commands::json_document
