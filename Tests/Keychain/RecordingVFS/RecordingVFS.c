#include "RecordingVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct recording_vfs_log {
  pthread_mutex_t mutex;
  struct recording_vfs_log *next;
  char *folder;
  int references;
  int armed;
  recording_vfs_event *events;
  size_t count, capacity;
  size_t kept, limit;
  int overflowed;
  int64_t room;
  struct { int64_t nth, count; } faults[2];
  int64_t failures;
  struct { const char *name; int64_t nth; void (*body)(void *); void *context; } opening;
};

// SQLite's files are allocated by SQLite with the size that the VFS states; the real one's file follows ours.
typedef struct {
  sqlite3_file base;
  sqlite3_io_methods methods;
  recording_vfs_log *log;
  char *name;
  int syncs_folder;
  sqlite3_file *real;
} recording_file;

static pthread_mutex_t logs_mutex = PTHREAD_MUTEX_INITIALIZER;
static recording_vfs_log *logs;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs recording_vfs;

static recording_file *ours(sqlite3_file *file) { return (recording_file *)file; }
static sqlite3_file *real(sqlite3_file *file) { return ours(file)->real; }

// MARK: - Logs

static void release(recording_vfs_log *log) {
  pthread_mutex_lock(&logs_mutex);
  int is_last = --log->references == 0;
  if (is_last) {
    for (recording_vfs_log **link = &logs; *link; link = &(*link)->next) {
      if (*link == log) { *link = log->next; break; }
    }
  }
  pthread_mutex_unlock(&logs_mutex);
  if (!is_last) return;
  for (size_t i = 0; i < log->count; i++) {
    free((void *)log->events[i].name);
    free((void *)log->events[i].bytes);
  }
  free(log->events);
  free(log->folder);
  pthread_mutex_destroy(&log->mutex);
  free(log);
}

// The armed log that a path belongs to, with a reference to it; and the path's rest.
static recording_vfs_log *find_log(const char *path, const char **rest) {
  if (!path) return NULL;
  pthread_mutex_lock(&logs_mutex);
  recording_vfs_log *found = NULL;
  for (recording_vfs_log *log = logs; log && !found; log = log->next) {
    size_t length = strlen(log->folder);
    if (log->armed && strncmp(path, log->folder, length) == 0 && path[length] == '/') {
      found = log;
      found->references++;
      *rest = path + length + 1;
    }
  }
  pthread_mutex_unlock(&logs_mutex);
  return found;
}

// With the log's mutex held.
static void append(
    recording_vfs_log *log, int kind, const char *name, int64_t offset, const void *bytes, size_t length) {
  if (!log->armed) return;
  if (length > log->limit - log->kept) { log->overflowed = 1; return; }
  if (log->count == log->capacity) {
    size_t capacity = log->capacity ? log->capacity * 2 : 256;
    recording_vfs_event *events = realloc(log->events, capacity * sizeof *events);
    if (!events) { log->overflowed = 1; return; }
    log->events = events;
    log->capacity = capacity;
  }
  char *name_copy = strdup(name);
  uint8_t *bytes_copy = length ? malloc(length) : NULL;
  if (!name_copy || (length && !bytes_copy)) {
    free(name_copy);
    free(bytes_copy);
    log->overflowed = 1;
    return;
  }
  if (length) memcpy(bytes_copy, bytes, length);
  log->kept += length;
  log->events[log->count++] = (recording_vfs_event){kind, name_copy, offset, bytes_copy, length};
}

// With the log's mutex held: whether this operation is one of those that fail.
static int fails(recording_vfs_log *log, int fault) {
  if (!log->armed || log->faults[fault].count == 0) return 0;
  if (--log->faults[fault].nth > 0) return 0;
  log->faults[fault].nth = 0;
  log->faults[fault].count--;
  log->failures++;
  return 1;
}

// MARK: - Files

static int file_close(sqlite3_file *file) {
  recording_file *self = ours(file);
  int result = self->real->pMethods ? self->real->pMethods->xClose(self->real) : SQLITE_OK;
  free(self->name);
  release(self->log);
  file->pMethods = NULL;
  return result;
}

static int file_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, length, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
  recording_file *self = ours(file);
  recording_vfs_log *log = self->log;
  pthread_mutex_lock(&log->mutex);
  int result = SQLITE_OK;
  int is_full = log->armed && log->room >= 0 && length > log->room;
  if (fails(log, RECORDING_VFS_FAIL_WRITE)) {
    result = SQLITE_IOERR_WRITE;
  } else {
    if (is_full) length = (int)log->room;
    if (length > 0) result = self->real->pMethods->xWrite(self->real, bytes, length, offset);
    if (result == SQLITE_OK && length > 0) {
      append(log, RECORDING_VFS_WRITE, self->name, offset, bytes, (size_t)length);
      if (log->room >= 0) log->room -= length;
    }
    if (result == SQLITE_OK && is_full) {
      log->failures++;
      result = SQLITE_FULL;
    }
  }
  pthread_mutex_unlock(&log->mutex);
  return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  recording_file *self = ours(file);
  pthread_mutex_lock(&self->log->mutex);
  int result = fails(self->log, RECORDING_VFS_FAIL_WRITE)
                   ? SQLITE_IOERR_TRUNCATE
                   : self->real->pMethods->xTruncate(self->real, size);
  if (result == SQLITE_OK) append(self->log, RECORDING_VFS_TRUNCATE, self->name, size, NULL, 0);
  pthread_mutex_unlock(&self->log->mutex);
  return result;
}

static int file_sync(sqlite3_file *file, int flags) {
  recording_file *self = ours(file);
  pthread_mutex_lock(&self->log->mutex);
  int result = fails(self->log, RECORDING_VFS_FAIL_SYNC) ? SQLITE_IOERR_FSYNC
                                                         : self->real->pMethods->xSync(self->real, flags);
  if (result == SQLITE_OK) {
    append(self->log, RECORDING_VFS_SYNC, self->name, self->syncs_folder, NULL, 0);
    self->syncs_folder = 0;
  }
  pthread_mutex_unlock(&self->log->mutex);
  return result;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int file_check_lock(sqlite3_file *file, int *is_reserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_reserved);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int file_characteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int file_shm_unmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}
static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int length, void **memory) {
  return real(file)->pMethods->xFetch(real(file), offset, length, memory);
}
static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  return real(file)->pMethods->xUnfetch(real(file), offset, memory);
}

static const sqlite3_io_methods methods = {
    3,
    file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_check_lock,
    file_control, file_sector_size, file_characteristics,
    file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap,
    file_fetch, file_unfetch,
};

// MARK: - The VFS

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  (void)vfs;
  const char *rest = NULL;
  recording_vfs_log *log = find_log(name, &rest);
  // A file that nobody watches becomes the real VFS's own file: from here on this VFS is not in its way.
  if (!log) return real_vfs->xOpen(real_vfs, name, file, flags, flags_out);
  // The mutex is not held meanwhile: the body may open files below the folder too.
  pthread_mutex_lock(&log->mutex);
  int is_due = log->opening.name && strcmp(rest, log->opening.name) == 0 && --log->opening.nth == 0;
  pthread_mutex_unlock(&log->mutex);
  if (is_due) log->opening.body(log->opening.context);
  recording_file *self = ours(file);
  memset(self, 0, sizeof *self);
  self->log = log;
  self->real = (sqlite3_file *)(self + 1);
  self->name = strdup(rest);
  memset(self->real, 0, (size_t)real_vfs->szOsFile);
  int existed = 0, result = self->name ? SQLITE_OK : SQLITE_NOMEM;
  if (result == SQLITE_OK) result = real_vfs->xAccess(real_vfs, name, SQLITE_ACCESS_EXISTS, &existed);
  if (result == SQLITE_OK) result = real_vfs->xOpen(real_vfs, name, self->real, flags, flags_out);
  if (result != SQLITE_OK) {
    free(self->name);
    release(log);
    return result;
  }
  self->methods = methods;
  if (self->real->pMethods->iVersion < methods.iVersion) self->methods.iVersion = self->real->pMethods->iVersion;
  self->base.pMethods = &self->methods;
  int is_log = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL);
  self->syncs_folder = is_log && (flags & SQLITE_OPEN_CREATE);
  if (!existed && (flags & SQLITE_OPEN_CREATE)) {
    pthread_mutex_lock(&log->mutex);
    append(log, RECORDING_VFS_CREATE, rest, 0, NULL, 0);
    pthread_mutex_unlock(&log->mutex);
  }
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
  (void)vfs;
  const char *rest = NULL;
  recording_vfs_log *log = find_log(name, &rest);
  if (!log) return real_vfs->xDelete(real_vfs, name, syncs_folder);
  pthread_mutex_lock(&log->mutex);
  int result = real_vfs->xDelete(real_vfs, name, syncs_folder);
  if (result == SQLITE_OK) append(log, RECORDING_VFS_DELETE, rest, syncs_folder != 0, NULL, 0);
  pthread_mutex_unlock(&log->mutex);
  release(log);
  return result;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs;
  return real_vfs->xAccess(real_vfs, name, flags, result);
}
static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int length, char *path) {
  (void)vfs;
  return real_vfs->xFullPathname(real_vfs, name, length, path);
}
static void *vfs_dl_open(sqlite3_vfs *vfs, const char *name) {
  (void)vfs;
  return real_vfs->xDlOpen(real_vfs, name);
}
static void vfs_dl_error(sqlite3_vfs *vfs, int length, char *text) {
  (void)vfs;
  real_vfs->xDlError(real_vfs, length, text);
}
static void (*vfs_dl_sym(sqlite3_vfs *vfs, void *library, const char *name))(void) {
  (void)vfs;
  return real_vfs->xDlSym(real_vfs, library, name);
}
static void vfs_dl_close(sqlite3_vfs *vfs, void *library) {
  (void)vfs;
  real_vfs->xDlClose(real_vfs, library);
}
static int vfs_randomness(sqlite3_vfs *vfs, int length, char *bytes) {
  (void)vfs;
  return real_vfs->xRandomness(real_vfs, length, bytes);
}
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return real_vfs->xSleep(real_vfs, microseconds);
}
static int vfs_time(sqlite3_vfs *vfs, double *time) {
  (void)vfs;
  return real_vfs->xCurrentTime(real_vfs, time);
}
static int vfs_last_error(sqlite3_vfs *vfs, int length, char *text) {
  (void)vfs;
  return real_vfs->xGetLastError(real_vfs, length, text);
}
static int vfs_time64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  (void)vfs;
  return real_vfs->xCurrentTimeInt64(real_vfs, time);
}

static int registration;

static void register_once(void) {
  registration = sqlite3_initialize();
  real_vfs = sqlite3_vfs_find(NULL);
  if (registration != SQLITE_OK || !real_vfs || real_vfs->iVersion < 2) {
    if (registration == SQLITE_OK) registration = SQLITE_ERROR;
    return;
  }
  recording_vfs = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)sizeof(recording_file) + real_vfs->szOsFile,
      .mxPathname = real_vfs->mxPathname,
      .zName = "recording",
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_pathname,
      .xDlOpen = vfs_dl_open,
      .xDlError = vfs_dl_error,
      .xDlSym = vfs_dl_sym,
      .xDlClose = vfs_dl_close,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_time,
      .xGetLastError = vfs_last_error,
      .xCurrentTimeInt64 = vfs_time64,
  };
  registration = sqlite3_vfs_register(&recording_vfs, 1);
}

int recording_vfs_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_once);
  return registration;
}

// MARK: - What tests call

recording_vfs_log *recording_vfs_arm(const char *folder, size_t limit) {
  recording_vfs_log *log = calloc(1, sizeof *log);
  if (!log) return NULL;
  log->folder = strdup(folder);
  if (!log->folder || pthread_mutex_init(&log->mutex, NULL) != 0) {
    free(log->folder);
    free(log);
    return NULL;
  }
  log->limit = limit;
  log->room = -1;
  log->references = 1;
  log->armed = 1;
  pthread_mutex_lock(&logs_mutex);
  log->next = logs;
  logs = log;
  pthread_mutex_unlock(&logs_mutex);
  return log;
}

void recording_vfs_disarm(recording_vfs_log *log) {
  pthread_mutex_lock(&logs_mutex);
  pthread_mutex_lock(&log->mutex);
  log->armed = 0;
  pthread_mutex_unlock(&log->mutex);
  pthread_mutex_unlock(&logs_mutex);
  release(log);
}

void recording_vfs_mark(recording_vfs_log *log, int64_t word) {
  pthread_mutex_lock(&log->mutex);
  append(log, RECORDING_VFS_MARK, "", word, NULL, 0);
  pthread_mutex_unlock(&log->mutex);
}

size_t recording_vfs_count(recording_vfs_log *log) {
  pthread_mutex_lock(&log->mutex);
  size_t count = log->count;
  pthread_mutex_unlock(&log->mutex);
  return count;
}

int recording_vfs_get(recording_vfs_log *log, size_t index, recording_vfs_event *event) {
  pthread_mutex_lock(&log->mutex);
  int result = index < log->count ? 0 : -1;
  if (result == 0) *event = log->events[index];
  pthread_mutex_unlock(&log->mutex);
  return result;
}

int recording_vfs_overflowed(recording_vfs_log *log) {
  pthread_mutex_lock(&log->mutex);
  int overflowed = log->overflowed;
  pthread_mutex_unlock(&log->mutex);
  return overflowed;
}

void recording_vfs_set_room(recording_vfs_log *log, int64_t bytes) {
  pthread_mutex_lock(&log->mutex);
  log->room = bytes;
  pthread_mutex_unlock(&log->mutex);
}

void recording_vfs_fail(recording_vfs_log *log, int fault, int64_t nth, int64_t count) {
  pthread_mutex_lock(&log->mutex);
  log->faults[fault].nth = nth;
  log->faults[fault].count = count;
  pthread_mutex_unlock(&log->mutex);
}

int64_t recording_vfs_failures(recording_vfs_log *log) {
  pthread_mutex_lock(&log->mutex);
  int64_t failures = log->failures;
  pthread_mutex_unlock(&log->mutex);
  return failures;
}

int recording_vfs_spoil_index(void *connection) {
  sqlite3_file *file = NULL;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (result != SQLITE_OK) return result;
  void volatile *region = NULL;
  result = file->pMethods->xShmMap(file, 0, 32768, 0, &region);
  if (result != SQLITE_OK || !region) return result == SQLITE_OK ? SQLITE_ERROR : result;
  // Two copies of 48 bytes, which must be alike.
  for (size_t i = 0; i < 96; i++) ((uint8_t volatile *)region)[i] ^= 0xA5;
  return SQLITE_OK;
}

void recording_vfs_before_open(
  recording_vfs_log *log, const char *name, int64_t nth, void (*body)(void *context), void *context) {
  pthread_mutex_lock(&log->mutex);
  log->opening.name = name;
  log->opening.nth = nth;
  log->opening.body = body;
  log->opening.context = context;
  pthread_mutex_unlock(&log->mutex);
}
