#include "fleet/text/nodeset.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace drover {
namespace {

using Names = std::vector<std::string>;

Names expanded(const std::string& text) {
  auto names = expand_nodeset(text, "hosts");
  if (!names) ADD_FAILURE() << names.error().message;
  return names ? *names : Names{};
}

std::string refusal(const std::string& text) {
  const auto names = expand_nodeset(text, "hosts");
  return names ? "accepted" : names.error().message;
}

TEST(Nodeset, NamesEveryHost) {
  const struct {
    std::string text;
    Names names;
  } rows[] = {
      {"node1", {"node1"}},
      {"a,b", {"a", "b"}},
      {"a, b", {"a", "b"}},
      {"node[01-03]", {"node01", "node02", "node03"}},
      {"node[8-11]", {"node8", "node9", "node10", "node11"}},
      {"node[08-11]", {"node08", "node09", "node10", "node11"}},
      {"node[99-101]", {"node99", "node100", "node101"}},
      {"node[098-101]", {"node098", "node099", "node100", "node101"}},
      {"n[5,1-2]", {"n5", "n1", "n2"}},
      {"gpu[1-2]-[0-1]", {"gpu1-0", "gpu1-1", "gpu2-0", "gpu2-1"}},
      {"a[01-03,07],b", {"a01", "a02", "a03", "a07", "b"}},
      {"10.77.0.[11-13]", {"10.77.0.11", "10.77.0.12", "10.77.0.13"}},
      {"n[1,01]", {"n1", "n01"}},
      {"n[0-2]x", {"n0x", "n1x", "n2x"}},
  };
  for (const auto& row : rows) EXPECT_EQ(expanded(row.text), row.names) << row.text;
  EXPECT_EQ(expanded("n[0001-9999]").size(), 9999U);
}

TEST(Nodeset, SaysWhatIsWrong) {
  const struct {
    std::string text;
    std::string part;
  } rows[] = {
      {"", "found the name ''"},
      {"a,,b", "found the name ''"},
      {"node[01-03", "found [ without its ]"},
      {"node01-03]", "found ] without a [ before it"},
      {"node[[1]]", "found [ without its ]"},
      {"node[]", "found '' in brackets"},
      {"node[1,]", "found '' in brackets"},
      {"node[a-b]", "found 'a-b' in brackets"},
      {"node[1-2-3]", "found '1-2-3' in brackets"},
      {"node[-3]", "found '-3' in brackets"},
      {"node[3-1]", "expected an ascending range"},
      {"node[001-10]", "the same number of digits"},
      {"node[1-010]", "the same number of digits"},
      {"node[0000000001]", "found '0000000001' in brackets"},
      {"node[1-10001]", "over 10000 names"},
      {"n[1-200][1-200]", "over 10000 names"},
      {"n[1-9999],m[1-9999]", "over 10000 names"},
      {"node 1", "found the name 'node 1'"},
      {"-oProxyCommand=x", "found the name '-oProxyCommand=x'"},
      {"..", "found the name '..'"},
      {"node\x1b[1]", "found the name 'node^[1'"},
      {"a,a", "names a twice"},
      {"n[1-3,2]", "names n2 twice"},
  };
  for (const auto& row : rows) {
    EXPECT_NE(refusal(row.text).find(row.part), std::string::npos) << refusal(row.text);
    EXPECT_EQ(refusal(row.text).find("hosts: "), 0U) << refusal(row.text);
  }
}

TEST(Nodeset, FoldsToAShortText) {
  const struct {
    Names names;
    std::string text;
  } rows[] = {
      {{}, ""},
      {{"node01"}, "node01"},
      {{"node03", "node07"}, "node[03,07]"},
      {{"node05", "node01", "node03", "node02"}, "node[01-03,05]"},
      {{"node8", "node9", "node10"}, "node[8-10]"},
      {{"node08", "node09", "node10"}, "node[08-10]"},
      {{"n1", "n01"}, "n[1,01]"},
      {{"gpu1-0", "gpu1-1", "gpu2-0", "gpu2-1"}, "gpu[1-2]-[0-1]"},
      {{"gpu1-0", "gpu1-1", "gpu2-0"}, "gpu1-[0-1],gpu2-0"},
      {{"b", "a1", "a2"}, "a[1-2],b"},
      {{"x", "x"}, "x"},
      {{"10.77.0.11", "10.77.0.12"}, "10.77.0.[11-12]"},
  };
  for (const auto& row : rows) EXPECT_EQ(fold_nodeset(row.names), row.text);
}

TEST(Nodeset, FoldingAndExpandingGiveTheSameNames) {
  const std::string texts[] = {
      "node[01-20]", "gpu[1-2]-[0-1]",       "a[01-03,07],b",      "n[8-12,08-09]",
      "n[1-9999]",   "r[1-4]c[01-08]n[0-3]", "x[098-101],x[1,01]", "y12345678901234,z[1-3]"};
  for (const std::string& text : texts) {
    Names names = expanded(text);
    const std::string folded = fold_nodeset(names);
    Names again = expanded(folded);
    std::sort(names.begin(), names.end());
    std::sort(again.begin(), again.end());
    EXPECT_EQ(again, names) << text << " folded to " << folded;
  }
}

}  // namespace
}  // namespace drover
