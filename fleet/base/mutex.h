// A mutex, and the words that tell clang what it guards. clang then rejects an access without the
// lock (-Wthread-safety; clang-tidy in CI). std::mutex of libstdc++ does not carry these words;
// to other compilers they mean nothing.
#pragma once

#include <mutex>

#if defined(__clang__)
#define DROVER_THREAD_SAFETY(words) __attribute__((words))
#else
#define DROVER_THREAD_SAFETY(words)
#endif
/// A variable that is used under this lock only.
#define DROVER_GUARDED_BY(mutex) DROVER_THREAD_SAFETY(guarded_by(mutex))
/// A pointer to what is used under this lock only.
#define DROVER_POINTEE_GUARDED_BY(mutex) DROVER_THREAD_SAFETY(pt_guarded_by(mutex))
/// A function, or the predicate of a wait, that is called under this lock only.
#define DROVER_REQUIRES(mutex) DROVER_THREAD_SAFETY(requires_capability(mutex))

namespace drover {

/// To wait for a change of what it guards, give it to a std::condition_variable_any.
class DROVER_THREAD_SAFETY(capability("mutex")) Mutex {
 public:
  void lock() DROVER_THREAD_SAFETY(acquire_capability()) { mutex_.lock(); }
  void unlock() DROVER_THREAD_SAFETY(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds the lock until its end, except between unlock() and lock().
class DROVER_THREAD_SAFETY(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) DROVER_THREAD_SAFETY(acquire_capability(mutex)) : lock_(mutex) {}
  ~MutexLock() DROVER_THREAD_SAFETY(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() DROVER_THREAD_SAFETY(acquire_capability()) { lock_.lock(); }
  void unlock() DROVER_THREAD_SAFETY(release_capability()) { lock_.unlock(); }

 private:
  std::unique_lock<Mutex> lock_;
};

}  // namespace drover
