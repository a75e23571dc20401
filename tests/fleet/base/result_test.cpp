#include "fleet/base/result.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace drover {
namespace {

Result<std::unique_ptr<int>> found(bool present) {
  if (!present) return error(ErrorKind::not_found, "no {}", "number");
  return std::make_unique<int>(2);
}

Status written(bool writes, std::vector<std::string>& log) {
  if (!writes) return error(ErrorKind::io, "disk full");
  log.push_back("written");
  return {};
}

Result<int> doubled(bool present, bool writes, std::vector<std::string>& log) {
  DROVER_ASSIGN(const auto number, found(present));
  log.push_back("found");
  DROVER_TRY(written(writes, log));
  return *number * 2;
}

TEST(Result, AssignAndTryGoOnWithWhatTheyGot) {
  std::vector<std::string> log;
  const auto result = doubled(true, true, log);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 4);
  EXPECT_EQ(log, (std::vector<std::string>{"found", "written"}));
}

TEST(Result, AssignAndTryEndTheFunctionWithTheErrorAndItsKind) {
  std::vector<std::string> log;
  const auto missing = doubled(false, true, log);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "no number");
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_TRUE(log.empty());
  const auto lost = doubled(true, false, log);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, ErrorKind::io);
  EXPECT_EQ(log, std::vector<std::string>{"found"});
}

}  // namespace
}  // namespace drover
