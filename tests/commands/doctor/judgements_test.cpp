// What drover doctor says of facts.
#include "commands/doctor/judgements.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "commands/doctor/checks.h"

namespace drover::commands {
namespace {

struct JudgementCase {
  const char* what;
  Finding finding;
  Verdict verdict;
  const char* found;  // a part of it
  const char* fix;    // a part of it; "": none
};

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

TerminalFacts terminal_of(int columns, int rows, int colours) {
  TerminalFacts facts;
  facts.interactive = true;
  facts.term = "xterm-256color";
  facts.columns = columns;
  facts.rows = rows;
  facts.colours = colours;
  return facts;
}

TerminalFacts unknown_terminal() {
  TerminalFacts facts = terminal_of(80, 24, 0);
  facts.problem = "TERM=nope: not in the database";
  return facts;
}

TerminalFacts without_colour() {
  TerminalFacts facts = terminal_of(80, 24, 256);
  facts.no_colour = true;
  return facts;
}

RouterFacts refused_with(ConnectRefusal refusal) {
  return {"e", "refused", true, "", "drover 1", refusal};
}

PortsFacts ports_of(std::vector<PortFacts> ports, bool router = false, bool here = true) {
  return {"tcp://127.0.0.1:7700", here, router, std::move(ports)};
}

ClockFacts clock_of(double offset_s, double speed = 1) {
  return {0.005, 0.005, offset_s, 0.001, speed};
}

KeysFacts keys_with(std::vector<std::string> problems) {
  return {"/k", true, false, 2, std::move(problems), true};
}

DriverFacts drivers_of(std::vector<agents::FoundDriver> found, int nvidia_cards) {
  return {std::move(found), true, nvidia_cards};
}

std::vector<JudgementCase> terminal_cases() {
  return {
      {"terminal", judge_terminal(terminal_of(120, 40, 256)), Verdict::ok, "120x40", ""},
      {"small", judge_terminal(terminal_of(60, 20, 256)), Verdict::note, "60x20", "enlarge"},
      {"unknown", judge_terminal(unknown_terminal()), Verdict::problem, "TERM=nope", "export TERM"},
      {"pipe", judge_terminal({}), Verdict::note, "no terminal", "in the terminal"},
      {"256", judge_colours(terminal_of(80, 24, 256)), Verdict::ok, "256", ""},
      {"8", judge_colours(terminal_of(80, 24, 8)), Verdict::note, "8", "export TERM"},
      {"mono", judge_colours(terminal_of(80, 24, 0)), Verdict::note, "none", "export TERM"},
      {"NO_COLOR", judge_colours(without_colour()), Verdict::note, "NO_COLOR", "unset NO_COLOR"},
      {"utf-8", judge_locale({"C.UTF-8", true, true}), Verdict::ok, "C.UTF-8", ""},
      {"latin", judge_locale({"C", true, false}), Verdict::note, "not UTF-8", "export LC_ALL"},
      {"absent", judge_locale({"xx", false, false}), Verdict::note, "not installed",
       "export LC_ALL"},
  };
}

std::vector<JudgementCase> connection_cases() {
  return {
      {"free", judge_ports(ports_of({{7700, 0}, {7701, 0}, {7702, 0}})), Verdict::ok, "free", ""},
      {"ours", judge_ports(ports_of({}, true)), Verdict::ok, "used by a router", ""},
      {"far", judge_ports(ports_of({}, false, false)), Verdict::ok, "another machine", ""},
      {"taken", judge_ports(ports_of({{7700, 0}, {7701, EADDRINUSE}, {7702, 0}})), Verdict::problem,
       "port 7701 is taken", "ss -ltnp 'sport = :7701'"},
      {"low", judge_ports(ports_of({{80, EACCES}})), Verdict::problem, "port 80: Permission",
       "--listen"},
      {"router", judge_router({"e", "", true, "drover 1", "drover 1"}), Verdict::ok,
       "drover 1 at e", ""},
      {"older", judge_router({"e", "", true, "drover 0", "drover 1"}), Verdict::note, "drover 0",
       "one version"},
      {"refuses", judge_router({"e", "this client is not allowed", true, "", "drover 1"}),
       Verdict::problem, "not allowed", "drover keys list"},
      {"plain", judge_router(refused_with(ConnectRefusal::plain_text)), Verdict::problem, "refused",
       "--keys DIR --key NAME"},
      {"unknown key", judge_router(refused_with(ConnectRefusal::key)), Verdict::problem, "refused",
       "keys allow"},
      {"other router", judge_router(refused_with(ConnectRefusal::router_key)), Verdict::problem,
       "refused", "router.pub"},
      {"no keys there", judge_router(refused_with(ConnectRefusal::encryption)), Verdict::problem,
       "refused", "env -u DROVER_KEYS"},
      {"none", judge_router({"e", "no router at e", false, "", "drover 1"}), Verdict::note,
       "no router", "drover router"},
      {"in time", judge_clock(clock_of(-0.2)), Verdict::ok, "0.200 s behind", ""},
      {"off", judge_clock(clock_of(90)), Verdict::note, "90.000 s ahead", "set-ntp"},
      {"fast", judge_clock(clock_of(90, 10)), Verdict::ok, "10 times as fast", ""},
      {"stopped", judge_clock({0, 0.005, {}, 0, 1}), Verdict::problem, "monotonic", "clocksource"},
      {"alone", judge_clock({0.006, 0.005, {}, 0, 1}), Verdict::ok, "no router", ""},
      {"keys", judge_keys(keys_with({})), Verdict::ok, "2 keys", ""},
      {"open secret",
       judge_keys(keys_with({"/k/a.key: others may read this secret (mode 0644, expected 0600); "
                             "fix with: chmod 600 /k/a.key; if anybody may have read it, ..."})),
       Verdict::problem, "(mode 0644, expected 0600)", "chmod 600 /k/a.key"},
      {"no folder", judge_keys({"/k", false, true, 0, {}, true}), Verdict::problem,
       "no such folder", "drover keys new"},
      {"no keys", judge_keys({"/k", false, false, 0, {}, true}), Verdict::ok, "not encrypted", ""},
      {"far, no keys", judge_keys({"/k", false, false, 0, {}, false}), Verdict::note,
       "another machine", "drover keys"},
  };
}

std::vector<JudgementCase> machine_cases() {
  const agents::FoundDriver nvml{"NVML (driver 550)", 8, {}};
  const agents::FoundDriver without{"", 0, {"libnvidia-ml.so.1 is not on this machine"}};
  return {
      {"enough files", judge_descriptors({1024, 1 << 20}), Verdict::ok, "raised to 1048576", ""},
      {"few files", judge_descriptors({1024, 1024}), Verdict::note, "1024 open files",
       "limits.conf"},
      {"nvml", judge_drivers(drivers_of({nvml, without}, 8)), Verdict::ok, "8 devices of NVML", ""},
      {"no devices", judge_drivers(drivers_of({without}, 0)), Verdict::ok, "no GPU or TPU", ""},
      {"no driver", judge_drivers(drivers_of({without}, 2)), Verdict::problem,
       "2 NVIDIA cards on the PCI bus, but no NVML: libnvidia-ml.so.1 is not", "nvidia-smi"},
      {"hangs", judge_drivers({{}, false, 0}), Verdict::problem, "has not ended", "dmesg"},
      {"disk", judge_disk({{"ledger", "/l", "", 9 * gibibyte}, {"recordings", "/r", "", gibibyte}}),
       Verdict::ok, "1.0G free for the recordings in /r", ""},
      {"filling", judge_disk({{"ledger", "/l", "", gibibyte / 2}}), Verdict::note, "512.0M",
       "df -h /l"},
      {"full", judge_disk({{"ledger", "/l", "", 4096}}), Verdict::problem, "free for", "df -h /l"},
      {"read-only", judge_disk({{"ledger", "/l", "/l: Permission denied", 9 * gibibyte}}),
       Verdict::problem, "Permission denied", "ls -ld /l"},
      {"settings", judge_settings({"/s", true, ""}), Verdict::ok, "/s: valid", ""},
      {"defaults", judge_settings({"/s", false, ""}), Verdict::ok, "the defaults apply", ""},
      {"invalid", judge_settings({"/s", true, "/s:3: theme"}), Verdict::problem, "/s:3: theme",
       "drover config check"},
      {"homeless", judge_settings({}), Verdict::note, "no home folder", "HOME"},
  };
}

TEST(DoctorJudgements, SayWhatIsWrongAndHowToFixIt) {
  std::vector<JudgementCase> cases = terminal_cases();
  for (const auto& more : {connection_cases(), machine_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  for (const JudgementCase& each : cases) {
    SCOPED_TRACE(each.what);
    const Finding& finding = each.finding;
    EXPECT_EQ(finding.verdict, each.verdict) << finding.found;
    EXPECT_NE(finding.found.find(each.found), std::string::npos) << finding.found;
    EXPECT_NE(finding.fix.find(each.fix), std::string::npos) << finding.fix;
    const bool well = finding.verdict == Verdict::ok;
    EXPECT_EQ(finding.fix.empty(), well) << finding.fix;
    EXPECT_EQ(finding.expected.empty(), well) << finding.expected;
  }
}

TEST(DoctorChecks, AreChosenByName) {
  const auto all = selected_checks({}, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), check_table().size());
  const auto only = selected_checks({"disk", "ports"}, {});
  ASSERT_TRUE(only && only->size() == 2);
  EXPECT_STREQ((*only)[0]->name, "ports") << "in the order of the table";
  EXPECT_EQ(selected_checks({}, {"disk"})->size(), check_table().size() - 1);
  EXPECT_NE(selected_checks({"dsik"}, {}).error().message.find("did you mean disk?"),
            std::string::npos);
  EXPECT_FALSE(selected_checks({"disk"}, {"disk"}));
}

TEST(DoctorReport, HasALineForEachCheckAndTheFixBelow) {
  const auto checks = check_table();
  const std::vector<CheckedItem> items = {
      {&checks[0], {Verdict::ok, "fine", "", ""}},
      {&checks[1], {Verdict::problem, "bad", "good", "make it good"}}};
  EXPECT_EQ(report_text(items),
            "ok       terminal     fine\n"
            "problem  colours      bad\n"
            "         expected     good\n"
            "         fix          make it good\n");
  const std::string coloured = report_text(items, true);
  EXPECT_NE(coloured.find("\x1b[31mproblem\x1b[0m  colours "), std::string::npos) << coloured;
  EXPECT_EQ(problems_in(items), 1u);
  const Json json = report_json(items);
  EXPECT_EQ(json["problems"].integer(), 1);
  EXPECT_EQ(json["checks"][1]["fix"].text(), "make it good");
  EXPECT_TRUE(json["checks"][0]["fix"].is_null());
}

}  // namespace
}  // namespace drover::commands
