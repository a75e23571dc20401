// URLs of pages: which are valid, and what is said of the others.
#include <gtest/gtest.h>

#include "commands/readings/page_fetcher.h"

namespace drover::commands {
namespace {

TEST(PageUrls, ThatAreInvalidSayWhyWithoutTheirPassword) {
  const std::pair<std::string, std::string> cases[] = {
      {"node-7:9400/metrics", "node-7:9400/metrics: does not begin with http:// or https://"},
      {"ftp://node-7/", "ftp://node-7/: does not begin with http:// or https://"},
      {"http://", "http://: has no host"},
      {"http:///metrics", "http:///metrics: has no host"},
      {"http://:9400/", "http://:9400/: has no host"},
      {"http://n7:/", "http://n7:/: has an invalid port (1 to 65535)"},
      {"http://n7:0/", "http://n7:0/: has an invalid port (1 to 65535)"},
      {"http://n7:65536/", "http://n7:65536/: has an invalid port (1 to 65535)"},
      {"http://n7:94a0/", "http://n7:94a0/: has an invalid port (1 to 65535)"},
      {"http://::1:9400/", "http://::1:9400/: has no host"},
      {"http://fe80::1/", "http://fe80::1/: has an invalid port (1 to 65535)"},
      {"http://[::1/", "http://[::1/: has no ] after its address"},
      {"http://[::1]9400/", "http://[::1]9400/: has an invalid port (1 to 65535)"},
      {"http://n7/a b", "http://n7/a b: has a blank or a control character"},
      {"http://ann:secret@n7:0/", "http://n7:0/: has an invalid port (1 to 65535)"},
      {"http://ann:se/secret@n7/", "http://n7/: has an invalid port (1 to 65535)"},
      {"ann:secret@n7:9400", "n7:9400: does not begin with http:// or https://"},
      {"https//ann:secret@n7:9400", "n7:9400: does not begin with http:// or https://"},
  };
  for (const auto& [url, problem] : cases) {
    const auto target = parse_page_target(url, "--scrape");
    ASSERT_FALSE(target) << url;
    EXPECT_EQ(target.error().message,
              "--scrape " + problem + ", expected http://HOST:PORT/PATH or https://..");
  }
  const auto far_too_long = parse_page_target("http://n7/" + std::string(3000, 'x'), "--scrape");
  ASSERT_FALSE(far_too_long);
  EXPECT_LT(far_too_long.error().message.size(), 200U);
}

TEST(PageUrls, ThatAreValid) {
  for (const char* url : {"http://n7", "https://n7", "http://n7:9400", "http://n7:9400/metrics?a=b",
                          "http://ann@n7", "http://ann:secret@n7:1/", "http://[fd00::7]:9400/",
                          "https://[fe80::1%25eth0]/", "http://10.0.0.7:65535"}) {
    EXPECT_TRUE(parse_page_target(url, "--scrape")) << url;
  }
}

}  // namespace
}  // namespace drover::commands
