// docs/policies.md and README.md: every piece of TOML on the page is read as the router would read
// it. A block that begins with ```toml is a whole policy; ```toml part stands in a policy that has
// two pools, gpu and tpu; ```toml rule stands in a rule of such a policy.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/shipped_fleet.h"

namespace drover::router {
namespace {

constexpr const char* gpu_and_tpu = R"(
[pool.gpu]
match = { kind = "gpu" }
[pool.tpu]
match = { kind = "tpu" }
)";
constexpr const char* open_rule = "\n[[rule]]\nname = \"framed\"\npools = [\"gpu\"]\n";

struct TomlBlock {
  std::size_t line = 0;
  std::string frame;  // what stands after ```toml
  std::string text;
};

std::vector<TomlBlock> toml_blocks(const std::string& page) {
  std::vector<TomlBlock> blocks;
  std::istringstream lines(page);
  std::string line;
  bool inside = false;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const bool fence = line.rfind("```", 0) == 0;
    if (inside && !fence) blocks.back().text += line + "\n";
    if (fence && !inside && line.rfind("```toml", 0) == 0) {
      blocks.push_back({number, line.substr(7), ""});
      inside = true;
    } else if (fence) {
      inside = false;
    }
  }
  return blocks;
}

std::string whole(const TomlBlock& block) {
  if (block.frame == " rule") return gpu_and_tpu + std::string(open_rule) + block.text;
  if (block.frame != " part") return block.text;
  const bool has_rule = block.text.find("[[rule]]") != std::string::npos;
  return gpu_and_tpu + block.text + (has_rule ? "" : open_rule);
}

TEST(PolicyPage, EveryTomlBlockInItAndTheReadmeIsAValidPolicyPart) {
  for (const char* page : {"docs/policies.md", "README.md"}) {
    const auto blocks = toml_blocks(file_text(page));
    EXPECT_FALSE(blocks.empty()) << page;
    for (const TomlBlock& block : blocks) {
      SCOPED_TRACE(std::string(page) + ":" + std::to_string(block.line));
      EXPECT_TRUE(block.frame.empty() || block.frame == " part" || block.frame == " rule");
      const auto policy = parse_policy(whole(block), "page");
      if (!policy) ADD_FAILURE() << policy.error().message;
    }
  }
}

TEST(PolicyPage, ListsEveryReasonAndEveryScorer) {
  const std::string page = file_text("docs/policies.md");
  const auto row = [&](std::string_view name) { return "| `" + std::string(name) + "` |"; };
  for (int index = 0; index < scorer_count; ++index) {
    const auto name = to_text(static_cast<Scorer>(index));
    EXPECT_NE(page.find(row(name)), std::string::npos) << name;
  }
  for (int index = 0; index < reason_count; ++index) {
    const ReasonFacts& reason = facts(static_cast<Reason>(index));
    const std::string wanted =
        row(reason.name) + (reason.permanent ? " permanent | " : " transient | ");
    EXPECT_NE(page.find(wanted + std::string(reason.meaning)), std::string::npos) << reason.name;
  }
}

TEST(PolicyPage, NamesEveryPolicyThatIsShipped) {
  const std::string page = file_text("docs/policies.md");
  for (const std::string name : shipped_policies) {
    EXPECT_NE(page.find("../examples/policies/" + name + ".toml"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace drover::router
