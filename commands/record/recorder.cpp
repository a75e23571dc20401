#include "commands/record/recorder.h"

#include <algorithm>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {

namespace {

constexpr WallSpan sync_every = std::chrono::seconds(1);
constexpr std::uint64_t message_overhead = 512;          // bytes of an envelope besides its columns
constexpr std::size_t journal_write_bytes = 256u << 10;  // a call for each message costs too much

std::uint64_t bytes_of(const Envelope& envelope) {
  std::uint64_t bytes = message_overhead;
  std::visit(Overloaded{[&](const SampleBatch& batch) {
                          for (const Column& column : batch.columns)
                            bytes += sizeof(Column) + column.bytes.size();
                          bytes += batch.devices.size() * sizeof(std::uint16_t);
                        },
                        [&](const HostChanged& host) {
                          for (const SpecText& spec : host.registration.specs)
                            bytes += spec.text.size();
                          bytes += host.registration.groups.size() * sizeof(Group);
                        },
                        [](const auto&) {}},
             envelope.body);
  return bytes;
}

Error too_little_space(const RecorderOptions& options, std::uint64_t free_bytes) {
  return error(ErrorKind::io, "{}: the disk has {} left, --min-free requires {}",
               printable(options.path), bytes_text(static_cast<double>(free_bytes)),
               bytes_text(static_cast<double>(options.disk_free_bytes_min)));
}

Error full(const RecorderOptions& options) {
  return error(ErrorKind::io, "{}: the recording is full with {} messages: start another",
               printable(options.path), options.messages_max);
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(RecorderOptions options,
                                                 const RecordingStart& start) {
  // Checked before an existing file is overwritten.
  if (const auto left = disk_free_bytes(options.path); left < options.disk_free_bytes_min) {
    return too_little_space(options, left);
  }
  DROVER_ASSIGN(auto output, RecordingOutput::open(options.path, options.force));
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(options), std::move(output)));
  const Status begun = recorder->write(recorder->writer_.begin(start));
  if (!begun) {
    recorder->output_.discard();
    return begun.error();
  }
  recorder->ended_descriptor_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  recorder->worker_ = std::thread([self = recorder.get()] { self->work(); });
  return recorder;
}

Recorder::Recorder(RecorderOptions options, RecordingOutput output)
    : options_(std::move(options)), output_(std::move(output)), writer_(options_.layout) {}

Recorder::~Recorder() { (void)end().ok(); }

bool Recorder::record(Instant arrived, Envelope envelope, std::string encoded) {
  const auto channel = channel_of(envelope.body);
  DROVER_REQUIRE(channel.has_value());
  const bool as_it_came = *channel != RecordingChannel::samples && !encoded.empty();
  const std::uint64_t bytes = as_it_came ? message_overhead + encoded.size() : bytes_of(envelope);
  const MutexLock lock(mutex_);
  // Time in a file never goes back.
  latest_ = std::max(latest_, arrived);
  if (as_it_came) {
    return push(EncodedMessage{*channel, latest_, envelope.at, std::move(encoded)}, bytes);
  }
  return push(RecordedMessage{latest_, std::move(envelope), 0}, bytes);
}

bool Recorder::record_keyframe(Instant at, std::vector<std::string> messages) {
  std::uint64_t bytes = message_overhead;
  for (const std::string& message : messages) bytes += message.size();
  const MutexLock lock(mutex_);
  latest_ = std::max(latest_, at);
  return push(NewKeyframe{latest_, std::move(messages)}, bytes);
}

bool Recorder::mark(Instant now, Instant at, std::string text) {
  const std::uint64_t bytes = message_overhead + text.size();
  const MutexLock lock(mutex_);
  latest_ = std::max(latest_, now);
  return push(NewBookmark{latest_, at, std::move(text)}, bytes);
}

void Recorder::note_lost(Instant at, std::uint64_t count) {
  const MutexLock lock(mutex_);
  lost_ += count;
  note_missing(at, count);
}

void Recorder::note_missing(Instant at, std::uint64_t count) {
  latest_ = std::max(latest_, at);
  if (!missing_) missing_ = DroppedMessages{latest_, latest_, 0};
  missing_->until = latest_;
  missing_->count += count;
}

bool Recorder::push(Entry entry, std::uint64_t bytes) {
  if (!failure_ || ending_) return true;  // the recording has ended: the entry is discarded
  if (queue_bytes_ + bytes > options_.queue_bytes_max) {
    const bool message = std::holds_alternative<RecordedMessage>(entry) ||
                         std::holds_alternative<EncodedMessage>(entry);
    if (message) {
      ++dropped_;
      note_missing(latest_, 1);
    }
    return false;
  }
  if (missing_) queue_.emplace_back(*std::exchange(missing_, std::nullopt));
  queue_bytes_ += bytes;
  queue_.push_back(std::move(entry));
  filled_.notify_one();
  return true;
}

void Recorder::work() {
  synced_ = wall_now();
  while (true) {
    std::deque<Entry> entries;
    bool ending = false;
    {
      const MutexLock lock(mutex_);
      filled_.wait_for(mutex_, sync_every,
                       [&]() DROVER_REQUIRES(mutex_) { return ending_ || !queue_.empty(); });
      entries.swap(queue_);
      queue_bytes_ = 0;
      ending = ending_;
      if (ending && missing_) entries.emplace_back(*std::exchange(missing_, std::nullopt));
    }
    write_entries(std::move(entries));
    if (ending) return finish();
    if (closed_) return;
    if (wall_now() - synced_ >= sync_every) sync_and_check_space();
    if (closed_) return;
  }
}

void Recorder::write_entries(std::deque<Entry> entries) {
  for (Entry& entry : entries) {
    if (closed_) return;
    if (writer_.ordinal() >= options_.messages_max) {
      finish();
      return fail(full(options_));
    }
    const RecordingBytes bytes = std::visit(
        Overloaded{
            [&](const RecordedMessage& message) { return writer_.add(message); },
            [&](const EncodedMessage& message) { return writer_.add(message); },
            [&](NewKeyframe& frame) { return writer_.keyframe(frame.at, frame.messages); },
            [&](const NewBookmark& mark) { return writer_.mark(mark.arrived, mark.text, mark.at); },
            [&](const DroppedMessages& missing) { return writer_.dropped(missing); }},
        entry);
    if (const Status done = write(bytes); !done) return fail_to_write(done.error());
  }
  if (const Status done = write_journal(); !done) return fail(done.error());
}

Status Recorder::write(const RecordingBytes& bytes) {
  DROVER_TRY(output_.append(bytes.file));
  if (bytes.folded) {
    // The journal's messages must be on the disk in the file before the journal is emptied.
    DROVER_TRY(output_.sync());
    DROVER_TRY(output_.empty_journal());
    journal_.clear();
  }
  journal_ += bytes.journal;
  return journal_.size() < journal_write_bytes ? Status{} : write_journal();
}

Status Recorder::write_journal() {
  const Status written = output_.append_journal(journal_);
  journal_.clear();
  return written;
}

void Recorder::sync_and_check_space() {
  synced_ = wall_now();
  if (const Status synced = output_.sync(); !synced) return fail(synced.error());
  if (const auto left = disk_free_bytes(options_.path); left < options_.disk_free_bytes_min) {
    finish();
    fail(too_little_space(options_, left));
  }
}

void Recorder::finish() {
  if (closed_) return;
  if (const Status done = write(writer_.end()); !done) return fail_to_write(done.error());
  if (const Status closed = output_.close(); !closed) return fail(closed.error());
  closed_ = true;
}

/// What the file has no room for may fit into the journal.
void Recorder::fail_to_write(Error problem) {
  (void)write_journal();
  fail(std::move(problem));
}

void Recorder::fail(Error problem) {
  closed_ = true;
  const MutexLock lock(mutex_);
  if (failure_.ok()) failure_ = std::move(problem);
  queue_.clear();
  const std::uint64_t once = 1;
  (void)!::write(ended_descriptor_.get(), &once, sizeof once);
}

Status Recorder::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

std::uint64_t Recorder::dropped() const {
  const MutexLock lock(mutex_);
  return dropped_;
}

std::uint64_t Recorder::lost() const {
  const MutexLock lock(mutex_);
  return lost_;
}

Status Recorder::end() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  filled_.notify_one();
  if (worker_.joinable()) worker_.join();
  return failure();
}

}  // namespace drover::commands
