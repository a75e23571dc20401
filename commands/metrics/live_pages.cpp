#include "commands/metrics/live_pages.h"

#include <utility>

#include "commands/metrics/gzip.h"
#include "fleet/base/overloaded.h"
#include "fleet/codec/codec.h"

namespace drover::commands {

namespace {

/// Memory of a queued message, roughly.
std::size_t bytes_of(const Envelope& envelope) {
  std::size_t bytes = 1024;
  if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
    for (const Column& column : batch->columns) bytes += sizeof(Column) + column.bytes.size();
  } else if (const auto* host = std::get_if<HostChanged>(&envelope.body)) {
    for (const SpecText& spec : host->registration.specs) bytes += spec.text.size();
  }
  return bytes;
}

}  // namespace

LivePages::LivePages(const FleetMetricsOptions& options, const Limits& limits)
    : limits_(limits), fleet_(options), worker_([this] { work(); }) {}

LivePages::~LivePages() {
  {
    const MutexLock lock(queue_mutex_);
    ending_ = true;
  }
  filled_.notify_one();
  worker_.join();
}

bool LivePages::add(Instant arrived, Envelope envelope) {
  const std::size_t bytes = bytes_of(envelope);
  return push(NewMessage{arrived, std::move(envelope)}, bytes);
}

bool LivePages::add_snapshot(Instant arrived, std::vector<std::string> messages) {
  std::size_t bytes = 0;
  for (const std::string& message : messages) bytes += message.size();
  return push(NewSnapshot{arrived, std::move(messages)}, bytes);
}

bool LivePages::push(Entry entry, std::size_t bytes) {
  const MutexLock lock(queue_mutex_);
  // A snapshot may be larger than the queue.
  if (queue_bytes_ > 0 && queue_bytes_ + bytes > limits_.queue_bytes) {
    ++dropped_;
    return false;
  }
  queue_bytes_ += bytes;
  queue_.push_back(std::move(entry));
  filled_.notify_one();
  return true;
}

void LivePages::set_clock(const FleetAnchor& clock) {
  const MutexLock lock(queue_mutex_);
  clock_ = clock;
}

void LivePages::set_ledger(std::uint64_t commits, bool full) {
  const MutexLock lock(queue_mutex_);
  process_.ledger_commits = commits;
  process_.ledger_full = full;
}

void LivePages::set_remote(const RemoteCounts& counts) {
  const MutexLock lock(queue_mutex_);
  process_.remote = counts;
}

void LivePages::settle() {
  MutexLock lock(queue_mutex_);
  drained_.wait(queue_mutex_,
                [&]() DROVER_REQUIRES(queue_mutex_) { return queue_.empty() && !applying_; });
}

void LivePages::work() {
  while (true) {
    std::deque<Entry> entries;
    {
      const MutexLock lock(queue_mutex_);
      applying_ = false;
      if (queue_.empty()) drained_.notify_all();
      filled_.wait(queue_mutex_,
                   [&]() DROVER_REQUIRES(queue_mutex_) { return ending_ || !queue_.empty(); });
      if (ending_) return;
      entries.swap(queue_);
      queue_bytes_ = 0;
      applying_ = true;
    }
    for (const Entry& entry : entries) {
      const MutexLock lock(fleet_mutex_);
      apply(entry);
    }
  }
}

void LivePages::apply(const Entry& entry) {
  if (const auto* message = std::get_if<NewMessage>(&entry)) {
    return fleet_.apply(message->at, message->envelope);
  }
  const auto& snapshot = std::get<NewSnapshot>(entry);
  fleet_.begin_snapshot();
  for (const std::string& bytes : snapshot.messages) {
    if (const auto envelope = decode(bytes)) fleet_.apply(snapshot.at, *envelope);
  }
  fleet_.end_snapshot();
}

LivePages::HeldPage* LivePages::free_page(PageFormat format, HeldPage* newest) {
  // The newest page differs least from the next one.
  if (newest != nullptr && newest->readers == 0) return newest;
  std::size_t count = 0;
  for (const auto& page : pages_) {
    if (page->format != format) continue;
    if (page->readers == 0) return page.get();
    ++count;
  }
  if (count == pages_max) return nullptr;
  pages_.push_back(std::make_unique<HeldPage>());
  pages_.back()->format = format;
  return pages_.back().get();
}

LivePages::HeldPage* LivePages::hold(PageFormat format, bool gzipped) {
  FleetAnchor clock;
  ProcessFacts process;
  {
    const MutexLock lock(queue_mutex_);
    clock = clock_;
    process = process_;
    process.dropped = dropped_;
  }
  HeldPage* newest = nullptr;
  {
    const MutexLock lock(fleet_mutex_);
    for (const auto& page : pages_) {
      if (page->format != format) continue;
      if (newest == nullptr || page->built > newest->built) newest = page.get();
    }
    const WallTime now = wall_now();
    if (newest == nullptr || now - newest->built >= limits_.page_age) {
      if (HeldPage* const page = free_page(format, newest)) {
        fleet_.set_process(process);
        fleet_.write(clock.at(now), format, page->page);
        page->gzip.clear();
        page->built = now;
        ++pages_built_;
        newest = page;
      }
    }
    ++newest->readers;
  }
  if (gzipped) {
    const MutexLock lock(gzip_mutex_);
    if (newest->gzip.empty()) newest->gzip = gzip(newest->page);
  }
  return newest;
}

void LivePages::release(HeldPage* page) {
  const MutexLock lock(fleet_mutex_);
  --page->readers;
}

std::uint64_t LivePages::pages_built() const {
  const MutexLock lock(fleet_mutex_);
  return pages_built_;
}

}  // namespace drover::commands
