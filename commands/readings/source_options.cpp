#include "commands/readings/source_options.h"

#include <fmt/format.h>

#include "agents/scrape/texts.h"
#include "commands/readings/ssh_hosts.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/text/nodeset.h"

namespace drover::commands {
namespace {

/// More than a router has hosts.
constexpr std::size_t targets_max = 10'000;

/// A piece with an @ and without a scheme continues the piece before: a password has a comma.
std::vector<std::string> split_urls(std::string_view list) {
  std::vector<std::string> urls;
  for (const std::string& piece : split(list, ',')) {
    const bool continues = piece.find("://") == std::string::npos && contains(piece, '@');
    if (continues && !urls.empty()) {
      urls.back() += "," + piece;
    } else {
      urls.push_back(piece);
    }
  }
  return urls;
}

void read_pages(Arguments& arguments, SourceOptions& options) {
  const auto add = [&](const auto& target) {
    if (!target) return arguments.add_problem(target.error());
    if (options.pages.size() < targets_max) return options.pages.push_back(*target);
    arguments.add_problem(error(
        "--scrape and --prometheus: found more than {0} URLs, expected at most {0}", targets_max));
  };
  for (const std::string& list : arguments.text_list("scrape")) {
    for (const std::string& url : split_urls(list)) {
      if (!trimmed(url).empty()) add(parse_page_target(trimmed(url), "--scrape"));
    }
  }
  const std::string query = arguments.text("query");
  for (const std::string& url : arguments.text_list("prometheus")) {
    add(parse_prometheus_target(url, query, "--prometheus"));
  }
  if (arguments.has("scrape") && options.pages.empty()) {
    arguments.add_problem(error("--scrape: found no URL, expected http://HOST:PORT/metrics,.."));
  }
}

void read_ssh(Arguments& arguments, SourceOptions& options) {
  options.ssh_options = arguments.text_list("ssh-option");
  if (!options.ssh_options.empty() && !arguments.has("ssh")) {
    arguments.add_problem(error("--ssh-option works only with --ssh"));
  }
  const std::string list = joined(arguments.text_list("ssh"), ",");
  if (!arguments.has("ssh")) return;
  auto hosts = expand_nodeset(list, "--ssh");
  if (!hosts) return arguments.add_problem(hosts.error());
  if (hosts->size() > ssh_hosts_max) {
    return arguments.add_problem(
        error("--ssh: found {} hosts, expected at most {}", hosts->size(), ssh_hosts_max));
  }
  options.ssh_hosts = std::move(*hosts);
}

}  // namespace

std::vector<Option> ssh_source_options() {
  return {
      {"ssh", "HOSTS",
       "read other hosts through ssh: a,b or node[1-8]; an agent runs there as long as this "
       "command",
       false, true},
      {"ssh-option", "OPT", "with --ssh: an argument for ssh, such as -Fmy_config", false, true}};
}

std::vector<Option> source_options() {
  return {{"real", "", "read the devices of this machine: NVIDIA, AMD and Intel GPUs, TPUs"},
          {"scrape", "URL,..",
           "read other hosts from the pages of dcgm-exporter, GKE's TPU device plugin, all-smi, or "
           "AMD's device-metrics-exporter",
           false, true},
          {"prometheus", "URL", "read other hosts from a Prometheus server that scrapes such pages",
           false, true},
          {"query", "EXPR",
           "with --prometheus: ask for these series (default: all that Drover understands)"},
          {"every", "T",
           "time from one reading to the next (default 1s; 5s with --scrape or --prometheus)"}};
}

SourceOptions read_source_options(Arguments& arguments, bool real_alone) {
  SourceOptions options;
  read_pages(arguments, options);
  read_ssh(arguments, options);
  options.real = arguments.has("real") || (real_alone && !options.elsewhere());
  if (arguments.has("query") && !arguments.has("prometheus")) {
    arguments.add_problem(error("--query works only with --prometheus"));
  }
  if (arguments.has("every") && !options.any()) {
    arguments.add_problem(
        error("--every works only with options that say what is read, such as --real"));
  }
  const Duration usual = std::chrono::seconds(options.pages.empty() ? 1 : 5);
  options.every = arguments.duration("every", usual);
  constexpr Duration least = std::chrono::milliseconds(100);
  constexpr Duration most = std::chrono::hours(1);
  if (options.every < least || options.every > most) {
    arguments.add_problem(
        error("--every: found {}, expected 100ms to 1h", excerpt(arguments.text("every"))));
  }
  return options;
}

std::string sources_text(const SourceOptions& options) {
  std::vector<std::string> names;
  if (options.real) names.emplace_back("this machine");
  if (options.ssh_hosts.size() == 1) names.push_back(options.ssh_hosts[0]);
  if (options.ssh_hosts.size() > 1)
    names.push_back(fmt::format("{} by ssh", counted(options.ssh_hosts.size(), "host")));
  if (!options.pages.empty()) names.push_back(agents::without_credentials(options.pages[0].url));
  std::string text = joined(names, " and ");
  if (options.pages.size() > 1) text += fmt::format(" and {} more", options.pages.size() - 1);
  return printable(text);
}

}  // namespace drover::commands
