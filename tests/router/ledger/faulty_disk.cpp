#include "tests/router/ledger/faulty_disk.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>

#include <sqlite3.h>

namespace drover::router {
namespace {

struct Disk {
  std::mutex mutex;
  int calls = 0;
  int fail_from = 0;
  bool full = false;
  std::map<std::string, std::string> synced;
} disk;

/// SQLite's file: ours in front, the system's behind it in the same memory.
struct File {
  sqlite3_file base;
  char path[512];
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File* ours(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return ours(file)->real(); }

bool fails() {
  const std::lock_guard guard(disk.mutex);
  return ++disk.calls >= disk.fail_from && disk.fail_from > 0;
}

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
int read_file(sqlite3_file* file, void* to, int count, sqlite3_int64 at) {
  return real(file)->pMethods->xRead(real(file), to, count, at);
}
int write_file(sqlite3_file* file, const void* from, int count, sqlite3_int64 at) {
  if (fails()) return SQLITE_IOERR_WRITE;
  sqlite3_int64 size = 0;
  real(file)->pMethods->xFileSize(real(file), &size);
  {
    const std::lock_guard guard(disk.mutex);
    if (disk.full && at + count > size) return SQLITE_FULL;
  }
  return real(file)->pMethods->xWrite(real(file), from, count, at);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return real(file)->pMethods->xTruncate(real(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
  if (fails()) return SQLITE_IOERR_FSYNC;
  const int answer = real(file)->pMethods->xSync(real(file), flags);
  std::ifstream stream(ours(file)->path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const std::lock_guard guard(disk.mutex);
  disk.synced[ours(file)->path] = std::move(bytes);
  return answer;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
int check_lock(sqlite3_file* file, int* held) {
  return real(file)->pMethods->xCheckReservedLock(real(file), held);
}
int control_file(sqlite3_file* file, int code, void* with) {
  return real(file)->pMethods->xFileControl(real(file), code, with);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void shared_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int unmap_shared(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

// Version 2: no memory-mapped reads, which would go round the disk.
const sqlite3_io_methods methods = {2,
                                    close_file,
                                    read_file,
                                    write_file,
                                    truncate_file,
                                    sync_file,
                                    file_size,
                                    lock_file,
                                    unlock_file,
                                    check_lock,
                                    control_file,
                                    sector_size,
                                    characteristics,
                                    map_shared,
                                    lock_shared,
                                    shared_barrier,
                                    unmap_shared,
                                    nullptr,
                                    nullptr};

sqlite3_vfs* system_vfs = nullptr;
sqlite3_vfs faulty_vfs;

int open_file(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  File* opened = ours(file);
  opened->base.pMethods = nullptr;
  std::strncpy(opened->path, name == nullptr ? "" : name, sizeof opened->path - 1);
  opened->path[sizeof opened->path - 1] = 0;
  const int answer = system_vfs->xOpen(system_vfs, name, opened->real(), flags, out_flags);
  if (answer == SQLITE_OK) opened->base.pMethods = &methods;
  return answer;
}

int delete_file(sqlite3_vfs*, const char* name, int sync_folder) {
  const int answer = system_vfs->xDelete(system_vfs, name, sync_folder);
  const std::lock_guard guard(disk.mutex);
  disk.synced.erase(name);
  return answer;
}

}  // namespace

FaultyDisk::FaultyDisk() {
  system_vfs = sqlite3_vfs_find(nullptr);
  faulty_vfs = *system_vfs;
  faulty_vfs.zName = "faulty";
  faulty_vfs.pNext = nullptr;
  faulty_vfs.szOsFile = static_cast<int>(sizeof(File)) + system_vfs->szOsFile;
  faulty_vfs.xOpen = open_file;
  faulty_vfs.xDelete = delete_file;
  sqlite3_vfs_register(&faulty_vfs, 1);
  disk.full = false;
  disk.synced.clear();
  fail_from(0);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&faulty_vfs);
  sqlite3_vfs_register(system_vfs, 1);
}

void FaultyDisk::fail_from(int call) {
  const std::lock_guard guard(disk.mutex);
  disk.calls = 0;
  disk.fail_from = call;
}

void FaultyDisk::fill(bool full) {
  const std::lock_guard guard(disk.mutex);
  disk.full = full;
}

int FaultyDisk::calls() const {
  const std::lock_guard guard(disk.mutex);
  return disk.calls;
}

std::map<std::string, std::string> FaultyDisk::after_power_cut() const {
  const std::lock_guard guard(disk.mutex);
  return disk.synced;
}

}  // namespace drover::router
