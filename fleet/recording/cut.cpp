#include <algorithm>
#include <deque>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/recording/index.h"
#include "fleet/recording/reader.h"
#include "fleet/recording/repair.h"
#include "fleet/recording/writer.h"

namespace drover {
namespace {

constexpr Duration window = std::chrono::minutes(1);

class Cut {
 public:
  Cut(RecordingReader& reader, const ByteSink& sink) : reader_(reader), sink_(sink) {}

  Result<CutReport> go(Instant from, Instant to);

 private:
  Status begin(Instant from, Instant to);
  Status find_bookmarks(Instant from, Instant to);
  Status find_drops(Instant from, Instant to);
  Status add(const std::vector<RecordedMessage>& messages);
  Status add_window(Instant from, Instant to);
  std::string between(const RecordedMessage* next);

  RecordingReader& reader_;
  const ByteSink& sink_;
  RecordingWriter writer_;
  // Records between the messages, in order.
  std::deque<RecordedMessage> bookmarks_;
  std::deque<DroppedMessages> drops_;
  std::optional<Keyframe> keyframe_;  // the next to write
  std::uint64_t keyframe_place_ = 0;  // ordinal of the last one written
  CutReport report_;
};

Status Cut::find_bookmarks(Instant from, Instant to) {
  DROVER_ASSIGN(const auto bookmarks, reader_.bookmarks());
  for (const RecordedMessage& one : bookmarks) {
    if (from <= one.arrived && one.arrived < to) bookmarks_.push_back(one);
  }
  return {};
}

// For a damaged file this includes the missing messages: the new file has new ordinals without
// gaps.
Status Cut::find_drops(Instant from, Instant to) {
  DROVER_ASSIGN(std::vector<DroppedMessages> all, reader_.drops());
  if (reader_.index().surveyed) {
    const std::vector<DroppedMessages> missing = reader_.missing();
    all.insert(all.end(), missing.begin(), missing.end());
  }
  for (DroppedMessages one : all) {
    if (one.since >= to || one.until < from) continue;
    one.since = std::max(one.since, from);
    one.until = std::min(one.until, to - Duration{1});
    drops_.push_back(one);
  }
  std::stable_sort(drops_.begin(), drops_.end(),
                   [](const auto& a, const auto& b) { return a.until < b.until; });
  return {};
}

Status Cut::begin(Instant from, Instant to) {
  DROVER_TRY(sink_(writer_.begin(reader_.info().start).file));
  DROVER_TRY(find_bookmarks(from, to));
  DROVER_ASSIGN(auto keyframe, reader_.keyframe_before(from));
  // Messages missing after the keyframe are missing in the state at `from`.
  const Instant begun = keyframe ? keyframe->at : from;
  DROVER_TRY(find_drops(begun, to));
  if (!keyframe) return {};
  keyframe_place_ = keyframe->ordinal;
  DROVER_TRY(sink_(writer_.keyframe(begun, keyframe->messages).file));
  // The keyframe and the rows since then are the state at `from`.
  DROVER_ASSIGN(auto rows, reader_.read_rows(begun, from));
  std::erase_if(rows, [&](const RecordedMessage& row) { return row.ordinal <= keyframe_place_; });
  return add(rows);
}

// Writes the records before the next message, or the remaining ones if there is none.
std::string Cut::between(const RecordedMessage* next) {
  std::string bytes;
  const auto drop_until = [&](Instant at) {
    for (; !drops_.empty() && drops_.front().until <= at; drops_.pop_front()) {
      bytes += writer_.dropped(drops_.front()).file;
    }
  };
  while (!bookmarks_.empty() && (next == nullptr || bookmarks_.front().ordinal < next->ordinal)) {
    const RecordedMessage& mark = bookmarks_.front();
    drop_until(mark.arrived);
    const std::string& text = std::get<Event>(mark.envelope.body).text;
    bytes += writer_.mark(mark.arrived, text, mark.envelope.at).file;
    bookmarks_.pop_front();
  }
  drop_until(next == nullptr ? Instant::max() : next->arrived);
  return bytes;
}

Status Cut::add(const std::vector<RecordedMessage>& messages) {
  for (const RecordedMessage& message : messages) {
    std::string bytes;
    if (keyframe_ && keyframe_->ordinal < message.ordinal) {
      bytes += writer_.keyframe(keyframe_->at, keyframe_->messages).file;
      keyframe_.reset();
    }
    bytes += between(&message);
    bytes += writer_.add(message).file;
    if (report_.messages == 0) report_.from = report_.to = message.arrived;
    report_.from = std::min(report_.from, message.arrived);
    report_.to = std::max(report_.to, message.arrived);
    ++report_.messages;
    if (bytes.empty()) continue;
    DROVER_TRY(sink_(bytes));
  }
  return {};
}

Status Cut::add_window(Instant from, Instant to) {
  DROVER_ASSIGN(auto keyframe, reader_.keyframe_before(to));
  if (keyframe && keyframe->ordinal > keyframe_place_ && keyframe->at >= from) {
    keyframe_ = std::move(keyframe);
    keyframe_place_ = keyframe_->ordinal;
  }
  DROVER_ASSIGN(const auto messages, reader_.read(from, to));
  return add(messages);
}

Result<CutReport> Cut::go(Instant from, Instant to) {
  DROVER_TRY(begin(from, to));
  const Instant last = std::min(to, saturating_add(reader_.last(), Duration{1}));
  Instant at = std::max(from, reader_.first());
  // At most as many windows as chunks, however far apart the times of messages are.
  const auto chunks = static_cast<std::int64_t>(reader_.info().chunks) + 1;
  const std::int64_t span =
      last > at ? last.time_since_epoch().count() / chunks - at.time_since_epoch().count() / chunks
                : 0;
  const Duration step = std::max(window, Duration{span});
  while (at < last) {
    const Instant next = std::min(last, saturating_add(at, step));
    DROVER_TRY(add_window(at, next));
    at = next;
  }
  std::string bytes = between(nullptr);
  bytes += writer_.end().file;
  DROVER_TRY(sink_(bytes));
  return report_;
}

}  // namespace

Result<CutReport> cut_recording(ByteSource& file, std::optional<std::string_view> journal,
                                Instant from, Instant to, const ByteSink& sink) {
  DROVER_ASSIGN(auto reader, RecordingReader::open(file, journal));
  return Cut(reader, sink).go(from, to);
}

}  // namespace drover
