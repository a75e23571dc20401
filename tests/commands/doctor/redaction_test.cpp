// What a support bundle may say about people and machines: nothing.
#include "commands/doctor/redaction.h"

#include <gtest/gtest.h>

#include "commands/doctor/support_bundle.h"
#include "router/lint/policy_file.h"

namespace drover::commands {
namespace {

struct RedactionCase {
  const char* text;
  const char* shown;
};

TEST(Redaction, ReplacesNamesAndAddressesAndKeepsTheRest) {
  const RedactionCase cases[] = {
      // Known names, as whole words, in any case.
      {"host gpu-17 is lost", "host host-1 is lost"},
      {"gpu-17/3 and GPU-17", "host-1/3 and host-1"},
      {"gpu-170 is another", "gpu-170 is another"},
      {"h-gpu-17.log", "h-host-1.log"},
      {"{\"host\":\"gpu-17\"}", "{\"host\":\"host-1\"}"},
      {"drain by ann", "drain by user-1"},
      {"annex", "annex"},
      {"db-1.lab.example.org, db-1", "host-2, host-2"},
      // Addresses.
      {"10.1.2.3 or 10.1.2.3:7700", "address-1 or address-1:7700"},
      {"from 10.1.2.3.", "from address-1."},
      {"fe80::1%eth0 and 2001:db8::7", "address-2%eth0 and address-3"},
      {"[2001:db8::7]:80", "[address-3]:80"},
      {"52:54:00:12:34:56", "address-4"},
      {"127.0.0.1:7700 ::1 0.0.0.0", "127.0.0.1:7700 ::1 0.0.0.0"},
      {"at 10:11:12, version 1.2.3", "at 10:11:12, version 1.2.3"},
      {"00000000:1B:00.0", "00000000:1B:00.0"},
      // URLs: host, account and all that follows the host.
      {"tcp://gpu-17:7700", "tcp://host-1:7700"},
      {"tcp://127.0.0.1:7700 answers", "tcp://127.0.0.1:7700 answers"},
      {"https://ann:pw@mon.corp:9090/api/v1?token=x, next", "https://host-3:9090/..., next"},
      {"http://10.1.2.3/", "http://address-1"},
      {"tcp://[2001:db8::7]:80", "tcp://address-3:80"},
      // Accounts.
      {"bea@node-9 acted; bea again", "user-2@host-4 acted; user-2 again"},
      {"@99 @", "@99 @"},
      // Paths in home folders.
      {"/home/ann/.config/drover/top.toml:3: theme", "~/.config/drover/top.toml:3: theme"},
      {"/home/ann/secret-project/x.mcap", "~/path-1"},
      {"/home/cid: no space", "~: no space"},
      {"/srv/data/x.mcap", "/srv/data/x.mcap"},
      // Secrets.
      {"token = \"abc\" # x", "token = \"REMOVED\" # x"},
      {"Authorization: Bearer abc.def", "Authorization: Bearer REMOVED"},
      {"input_tokens: 12, tokens 3", "input_tokens: 12, tokens 3"},
  };
  Redaction redaction("/home/ann");
  redaction.add("host", "gpu-17");
  redaction.add("user", "ann");
  redaction.add("host", "db-1.lab.example.org");
  for (const RedactionCase& each : cases) {
    EXPECT_EQ(redaction.apply(each.text), each.shown) << each.text;
  }
}

TEST(Redaction, OfANameIsTheSameInAllTexts) {
  Redaction redaction;
  EXPECT_EQ(redaction.apply("http://a.org http://b.org"), "http://host-1 http://host-2");
  EXPECT_EQ(redaction.apply("b.org, then a.org"), "host-2, then host-1");
}

TEST(Redaction, LeavesWordsThatIdentifyNobody) {
  Redaction redaction;
  for (const char* name : {"localhost", "root", "drover", "default", "", "7"})
    redaction.add("user", name);
  const std::string text = "drover as root on localhost, 7 devices, default_action";
  EXPECT_EQ(redaction.apply(text), text);
}

TEST(Redaction, WorksOnTextsThatEndAnywhere) {
  const std::string text = "https://ann:pw@mon.corp:9/x?token=1 /home/ann 10.1.2.3: fe80::1";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    Redaction redaction("/home/ann");
    (void)redaction.apply(text.substr(0, size));
  }
}

TEST(Redaction, TakesPlacesAndNamesInFiltersOutOfAPolicy) {
  Redaction redaction;
  const std::string policy = std::string(router::builtin_policy_text()) + R"(
[pool.vault]
match = { kind = "gpu", host = "zanzibar-*", rack = "vaultrow", site = "bunker" }
[network]
clients = "oslo"
[[network.link]]
between = ["oslo", "bunk*"]
rtt_ms = 12
[network.data_set.images]
at = ["bergen"]
size = "1GiB"
[[alert]]
name = "warm"
when = 'kind == gpu & temp > 70C & (host ~ "^secretlab-[0-9]+" | tenant == acme)'
clear = 'host != "h9.corp"'
)";
  const std::string shown = redaction.apply(policy_for_bundle(policy, redaction));
  for (const char* gone : {"zanzibar", "vaultrow", "bunker", "oslo", "bunk*", "bergen", "secretlab",
                           "acme", "h9.corp"}) {
    EXPECT_EQ(shown.find(gone), std::string::npos) << gone << " in " << shown;
  }
  for (const char* kept :
       {"[pool.vault]", "kind = \"gpu\"", "kind == gpu & temp > 70C", "images", "[0-9]+"}) {
    EXPECT_NE(shown.find(kept), std::string::npos) << kept << " in " << shown;
  }
}

TEST(Redaction, LeavesOutAPolicyThatCannotBeRead) {
  Redaction redaction;
  for (const char* policy : {"owner = \"hunter2\"\n", "hunter2 = [\n"}) {
    const std::string shown = policy_for_bundle(policy, redaction);
    EXPECT_TRUE(shown.starts_with("left out: ")) << shown;
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
  }
}

}  // namespace
}  // namespace drover::commands
