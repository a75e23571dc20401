#include "commands/metrics/write_request.h"

#include <snappy.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

// Kinds of fields in protobuf.
constexpr std::uint32_t varint = 0, fixed64 = 1, length_delimited = 2;

void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}
void append_key(std::string& bytes, std::uint32_t field, std::uint32_t kind) {
  append_varint(bytes, field << 3 | kind);
}
void append_bytes(std::string& bytes, std::uint32_t field, std::string_view value) {
  append_key(bytes, field, length_delimited);
  append_varint(bytes, value.size());
  bytes += value;
}

using Labels = std::vector<std::pair<std::string, std::string>>;

/// The labels after the brace up to the closing one; answers the place after that.
std::size_t read_labels(std::string_view line, std::size_t at, Labels& labels) {
  while (line[at] != '}') {
    const std::size_t equals = line.find('=', at);
    std::string value;
    std::size_t place = equals + 2;  // after the quote
    for (; line[place] != '"'; ++place) {
      if (line[place] != '\\') {
        value += line[place];
      } else {
        ++place;
        value += line[place] == 'n' ? '\n' : line[place];
      }
    }
    labels.emplace_back(line.substr(at, equals - at), std::move(value));
    at = line[place + 1] == ',' ? place + 2 : place + 1;
  }
  return at + 1;
}

/// TimeSeries: its labels (1) and one sample (2).
std::string series_of(std::string_view line, const AddedLabels& added, std::int64_t at_ms) {
  Labels labels(added.begin(), added.end());
  const std::size_t end = line.find_first_of("{ ");
  labels.emplace_back("__name__", line.substr(0, end));
  std::size_t at = line[end] == '{' ? read_labels(line, end + 1, labels) : end;
  std::sort(labels.begin(), labels.end());
  std::string series;
  for (const auto& [name, value] : labels) {
    std::string label;
    append_bytes(label, 1, name);
    append_bytes(label, 2, value);
    append_bytes(series, 1, label);
  }
  double value = 0;
  at = line.find_first_not_of(' ', at);
  std::from_chars(line.data() + at, line.data() + line.size(), value);
  std::string sample;
  append_key(sample, 1, fixed64);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) sample += static_cast<char>(bits >> shift);
  append_key(sample, 2, varint);
  append_varint(sample, static_cast<std::uint64_t>(at_ms));
  append_bytes(series, 2, sample);
  return series;
}

class Requests {
 public:
  Requests(const AddedLabels& added, std::int64_t at_ms) : added_(added), at_ms_(at_ms) {}
  void add(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end + 1);
      if (line.empty() || line[0] == '#') continue;
      append_bytes(message_, 1, series_of(line, added_, at_ms_));
      if (++samples_ == request_samples_max) finish();
    }
  }
  std::vector<WriteRequest> take() {
    finish();
    return std::move(requests_);
  }

 private:
  void finish() {
    if (samples_ == 0) return;
    WriteRequest request;
    request.samples = std::exchange(samples_, 0);
    snappy::Compress(message_.data(), message_.size(), &request.bytes);
    message_.clear();
    requests_.push_back(std::move(request));
  }

  const AddedLabels& added_;
  std::int64_t at_ms_;
  std::string message_;
  std::size_t samples_ = 0;
  std::vector<WriteRequest> requests_;
};

}  // namespace

std::vector<WriteRequest> write_requests(const Page& page, const AddedLabels& added,
                                         std::int64_t at_ms) {
  Requests requests(added, at_ms);
  // The pieces of a page are whole lines.
  for (std::size_t offset = 0; offset < page.size();) {
    const std::string_view piece = page.from(offset);
    requests.add(piece);
    offset += piece.size();
  }
  return requests.take();
}

std::vector<WriteRequest> write_requests(std::string_view text, const AddedLabels& added,
                                         std::int64_t at_ms) {
  Requests requests(added, at_ms);
  requests.add(text);
  return requests.take();
}

}  // namespace drover::commands
