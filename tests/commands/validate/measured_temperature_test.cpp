// Logs of load steps against the heat model; the goal is 2 C RMS.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "commands/validate/measured_temperature.h"

namespace drover::commands {
namespace {

const devices::Catalogue& embedded_catalogue() { return devices::Catalogue::embedded(); }

Result<std::vector<TemperatureTrace>> courses_of(const std::string& text,
                                                 const std::string& place) {
  const auto table = CsvTable::parse(text, place);
  if (!table) return table.error();
  return temperature_courses(*table, embedded_catalogue());
}

TEST(MeasuredTemperature, ComparesBothSensorsOfEachWindow) {
  const auto courses = courses_of(
      "t_s,temp_gpu_c,temp_mem_c,power_avg_w,power_instant_w,workload_window\n"
      "0,33,38,73,73,a\n1,33,39,73,73,a\n2,44,50,400,400,a\n3,45,51,400,400,a\n"
      "9,40,,100,,b\n10,40,,100,,b\n",
      "logs/h800sxm700w__x.csv");
  ASSERT_TRUE(courses.ok()) << courses.error().message;
  ASSERT_EQ(courses->size(), 3u);
  EXPECT_EQ((*courses)[0].device, "h800-sxm");
  EXPECT_EQ((*courses)[0].sensor, "die");
  EXPECT_EQ((*courses)[0].window, "a");
  EXPECT_EQ((*courses)[0].rows, 4u);
  EXPECT_EQ((*courses)[0].points.size(), 4u);
  EXPECT_EQ((*courses)[1].sensor, "memory");
  EXPECT_EQ((*courses)[2].window, "b");
  EXPECT_LT((*courses)[0].rms_c, 6);
}

TEST(MeasuredTemperature, IgnoresOtherTables) {
  const auto courses = courses_of("t_s,temp_gpu_c\n0,30\n", "lambda_temp_util.csv");
  ASSERT_TRUE(courses.ok());
  EXPECT_TRUE(courses->empty());
}

TEST(MeasuredTemperature, NamesTheLineOfAWrongCell) {
  const auto courses =
      courses_of("t_s,temp_gpu_c,power_avg_w\n0,30,50\n1,warm,50\n", "h100pcie350w__x.csv");
  ASSERT_FALSE(courses.ok());
  EXPECT_NE(courses.error().message.find(":3"), std::string::npos) << courses.error().message;
  EXPECT_NE(courses.error().message.find("warm"), std::string::npos);
}

TEST(MeasuredTemperature, StaysWithin2DegreesOfThePublishedLogs) {
  const char* shared = std::getenv("DROVER_SHARED");
  const std::filesystem::path folder =
      std::filesystem::path(shared == nullptr ? "" : shared) / "data" / "telemetry";
  if (shared == nullptr || !std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "DROVER_SHARED names no telemetry";
  }
  std::size_t checked = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(file.path());
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const auto courses = courses_of(text, file.path().filename().string());
    if (!courses) continue;
    for (const TemperatureTrace& course : *courses) {
      EXPECT_LT(course.rms_c, 2) << file.path() << ' ' << course.window << ' ' << course.sensor;
      RecordProperty(file.path().stem().string() + course.window + course.sensor,
                     std::to_string(course.rms_c));
      ++checked;
    }
  }
  EXPECT_EQ(checked, 30u);
}

}  // namespace
}  // namespace drover::commands
