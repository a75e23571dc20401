// A Prometheus server's answer to a query:
//   {"status":"success","data":{"resultType":"vector","result":[
//     {"metric":{"__name__":"DCGM_FI_DEV_GPU_TEMP","gpu":"0"},"value":[1764300000.1,"61"]}]}}
#include "agents/scrape/prometheus_answer.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "agents/scrape/collector.h"
#include "agents/scrape/read_hosts.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

void add_series(const Json& row, Collector& collector) {
  const Json& metric = row["metric"];
  // A matrix has several values for each series: the last one is now.
  const Json& values = row["values"];
  const Json& sample = values.size() > 0 ? values[values.size() - 1] : row["value"];
  const std::vector<std::string> names = metric.keys();
  std::vector<SeriesLabel> labels;
  SeriesView series;
  for (const std::string& name : names) {
    if (name == "__name__") {
      series.name = metric[name].text();
    } else {
      labels.push_back({name, metric[name].text()});
    }
  }
  series.labels = labels;
  series.value = prometheus_value(sample);
  collector.add(series);
}

}  // namespace

double prometheus_value(const Json& sample) {
  std::string_view text = sample[1].text();
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = std::numeric_limits<double>::quiet_NaN();
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr != end) return std::nan("");
  return number;
}

Result<Json> prometheus_data(std::string_view json) {
  const auto answer = Json::parse(json);
  if (!answer) return error("not a Prometheus server's answer: {}", answer.error().message);
  if ((*answer)["status"].text() != "success") {
    const std::string& problem = (*answer)["error"].text();
    if (problem.empty()) return error("not a Prometheus server's answer: it has no \"status\"");
    return error(ErrorKind::refused, "the Prometheus server says: {}", excerpt(problem, 200));
  }
  return (*answer)["data"];
}

Result<HostReadings> read_prometheus_answer(std::string_view json, const std::string& url) {
  DROVER_ASSIGN(const Json data, prometheus_data(json));
  const std::string& type = data["resultType"].text();
  if (type != "vector" && type != "matrix") {
    return error(
        "the answer is of type '{}'; expected a query for series, such as "
        "{{__name__=~\"DCGM_FI_.*\"}}",
        excerpt(type));
  }
  const Json& rows = data["result"];
  if (rows.size() == 0) return error(ErrorKind::not_found, "the query found no series");
  Collector collector(url);
  for (std::size_t row = 0; row < rows.size(); ++row) add_series(rows[row], collector);
  return collector.readings();
}

}  // namespace drover::agents
