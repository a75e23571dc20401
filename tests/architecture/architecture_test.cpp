// The rules of the architecture as tests: which library stays in which module, how long files and
// functions may be, which words and calls do not belong here. Reads the sources as text.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.h"

namespace {

namespace fs = std::filesystem;

struct SourceFile {
  std::string part;
  std::string name;  // relative to the root
  std::vector<std::string> lines;
};

std::vector<SourceFile> read_parts() {
  std::vector<SourceFile> files;
  for (const std::string& part : product_parts) {
    if (!fs::exists(source_root / part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source_root / part)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      SourceFile file{part, fs::relative(entry.path(), source_root).string(), {}};
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return files;
}

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> files = read_parts();
  return files;
}

std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }

/// Every line of every file that matches, as "file:line: text", but for files whose name starts
/// with one of `allowed`.
std::vector<std::string> findings(const std::string& pattern,
                                  const std::vector<std::string>& allowed) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (const SourceFile& file : sources()) {
    if (std::any_of(allowed.begin(), allowed.end(),
                    [&](const std::string& prefix) { return file.name.starts_with(prefix); }))
      continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (!std::regex_search(without_comment(file.lines[i]), expression)) continue;
      found.push_back(file.name + ":" + std::to_string(i + 1) + ": " + file.lines[i]);
    }
  }
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Architecture, FindsTheSources) { EXPECT_GT(sources().size(), 50u); }

struct Confinement {
  const char* what;
  const char* pattern;
  std::vector<std::string> allowed;
};

TEST(Architecture, EachLibraryStaysInItsModule) {
  const std::vector<Confinement> confinements = {
      {"ZeroMQ", R"(#include <zmq)", {"fleet/socket/"}},
      {"msgpack", R"(#include <msgpack)", {"fleet/codec/"}},
      {"toml++", R"(#include <toml\+\+)", {"fleet/text/toml."}},
      {"JSON", R"(#include <nlohmann)", {"fleet/text/json."}},
      {"SQLite", R"(#include <sqlite3)", {"router/ledger/store_tables."}},
      {"zstd", R"(#include <zstd)", {"fleet/recording/"}},
      {"libdeflate", R"(#include <libdeflate)", {"fleet/recording/"}},
      {"zlib", R"(#include <zlib)", {"commands/metrics/gzip."}},
      {"cpp-httplib",
       R"(#include <httplib)",
       {"commands/metrics/page_server.", "commands/metrics/remote_write.",
        "commands/readings/page_fetcher."}},
      {"snappy", R"(#include <snappy)", {"commands/metrics/write_request."}},
      {"OpenSSL", R"(#include <openssl/)", {"commands/metrics/page_server."}},
      {"RE2", R"(#include <re2/)", {"fleet/filter/regex."}},
      {"ncurses", R"(#include <(n?curses|ncursesw/))", {"tui/terminal/curses_screen."}},
      {"nghttp2", R"(#include <nghttp2/)", {"agents/drivers/grpc_call."}},
      {"protobuf", R"(#include .*(google/protobuf|\.pb\.h))", {"agents/drivers/tpu_metrics."}},
      {"Boost.Program_options", R"(#include <boost/)", {"commands/"}},
  };
  for (const Confinement& one : confinements) {
    EXPECT_EQ(joined(findings(one.pattern, one.allowed)), "") << one.what;
  }
}

TEST(Architecture, CoresTouchNoClockThreadOrFile) {
  const std::vector<std::string> shells = {"agents/drivers/",     "agents/fake_nvml/library/",
                                           "commands/",           "fleet/socket/",
                                           "router/ledger/store", "tui/terminal/"};
  EXPECT_EQ(joined(findings(R"(_clock::now|clock_gettime|std::time\(|gettimeofday)", shells)), "");
  EXPECT_EQ(joined(findings(R"(#include <(thread|fstream|iostream|filesystem)>)", shells)), "");
  EXPECT_EQ(joined(findings(R"(#include "fleet/base/mutex\.h")", shells)), "");
}

// clang checks who holds a Mutex; it cannot check this of a std::mutex (fleet/base/mutex.h).
TEST(Architecture, ClangChecksEveryLock) {
  EXPECT_EQ(joined(findings(R"(std::(\w*mutex|lock_guard|unique_lock|shared_lock|scoped_lock)\b)",
                            {"fleet/base/mutex.h"})),
            "");
}

TEST(Architecture, RandomnessComesFromRandomStream) {
  EXPECT_EQ(joined(findings(R"(_distribution<|mt19937|random_device|\brand\(\))", {"commands/"})),
            "");
}

// But for the tables of one TOML file and the sockets of one ZeroMQ context, which end together.
TEST(Architecture, ForbidsSharedOwnership) {
  EXPECT_EQ(joined(findings(R"(shared_ptr<|weak_ptr<)", {"fleet/text/toml", "fleet/socket/"})), "");
}

TEST(Architecture, NoVagueNamesAndNoLeftovers) {
  const std::regex vague(R"((^|_)(manager|helper|helpers|util|utils|common|impl|misc)(_|\.))");
  for (const SourceFile& file : sources()) {
    const std::string base = fs::path(file.name).filename().string();
    EXPECT_FALSE(std::regex_search(base, vague)) << file.name;
    for (const std::string& line : file.lines) {
      EXPECT_EQ(line.find("TO"
                          "DO"),
                std::string::npos)
          << file.name << ": " << line;
      EXPECT_EQ(line.find("FIX"
                          "ME"),
                std::string::npos)
          << file.name << ": " << line;
    }
  }
}

TEST(Architecture, FilesHoldOneIdea) {
  // The limit is about 400 lines; this one is longer, for the reason beside it.
  const std::map<std::string, std::size_t> longer = {
      {"fleet/messages.h", 440},  // every message once, each field with its meaning
  };
  for (const SourceFile& file : sources()) {
    const auto known = longer.find(file.name);
    EXPECT_LE(file.lines.size(), known == longer.end() ? 420u : known->second) << file.name;
  }
}

/// A definition at namespace scope begins in the first column and ends with a lone brace there;
/// types end with a brace and a semicolon and do not count.
TEST(Architecture, FunctionsFitOnAScreen) {
  constexpr std::size_t lines_max = 60;
  for (const SourceFile& file : sources()) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (!line.empty() && (std::isalpha(static_cast<unsigned char>(line[0])) || line[0] == '['))
        start = i;
      if (line != "}") continue;
      EXPECT_LE(i - start, lines_max) << file.name << ":" << start + 1 << ": " << file.lines[start];
    }
  }
}

}  // namespace
