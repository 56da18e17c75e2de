// A disk that can be looked at: a SQLite VFS over the default one which, for files below an armed folder, keeps every
// write, truncation, sync, creation and deletion in order, and fails when it is told to. All else passes through.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// What is kept of one armed folder.
typedef struct recording_vfs_log recording_vfs_log;

enum recording_vfs_kind {
  RECORDING_VFS_CREATE = 0,
  RECORDING_VFS_WRITE = 1,
  RECORDING_VFS_TRUNCATE = 2,
  /// `offset` is 1 where the folder was synced with the file, as SQLite does on a log's or journal's first sync.
  RECORDING_VFS_SYNC = 3,
  /// `offset` is 1 where the folder was synced after it.
  RECORDING_VFS_DELETE = 4,
  /// A word of the test's own, in `offset`.
  RECORDING_VFS_MARK = 5,
};

/// One event. What it points to lives as long as the log.
typedef struct {
  int kind;
  /// The file's name below the folder; empty in a mark.
  const char *name;
  /// Where a write begins, the size after a truncation, or what the kind says.
  int64_t offset;
  const uint8_t *bytes;
  size_t length;
} recording_vfs_event;

enum recording_vfs_fault {
  /// The n-th write or truncation fails.
  RECORDING_VFS_FAIL_WRITE = 0,
  /// The n-th sync fails.
  RECORDING_VFS_FAIL_SYNC = 1,
};

/// Makes the recording VFS the process's default. Once is enough; later calls do nothing. A SQLite result code.
int recording_vfs_register(void);

/// Watches the files below `folder` (an absolute path without links) that are opened from now on. Keeps at most
/// `limit` bytes of writes. NULL without memory.
recording_vfs_log *recording_vfs_arm(const char *folder, size_t limit);

/// Ends recording and failing. The log goes with this call, or with the last of its files that is closed.
void recording_vfs_disarm(recording_vfs_log *log);

/// Puts a word of the test's own among the events.
void recording_vfs_mark(recording_vfs_log *log, int64_t word);

size_t recording_vfs_count(recording_vfs_log *log);

/// The event at `index`; 0, or -1 past the end.
int recording_vfs_get(recording_vfs_log *log, size_t index, recording_vfs_event *event);

/// Whether a write was left out because the log was at its limit.
int recording_vfs_overflowed(recording_vfs_log *log);

/// From now on there is room for `bytes` more of writes, then the disk is full; less than 0: always room.
void recording_vfs_set_room(recording_vfs_log *log, int64_t bytes);

/// The `nth` operation from now (1 is the next) fails, and the `count` - 1 after it.
void recording_vfs_fail(recording_vfs_log *log, int fault, int64_t nth, int64_t count);

/// How many failures were given out, full disks among them.
int64_t recording_vfs_failures(recording_vfs_log *log);

/// Calls `body` with `context` before the `nth` opening (1 is the next) of the file `name` below the folder: what another
/// process does in that moment. `name` must live as long as the log.
void recording_vfs_before_open(
  recording_vfs_log *log, const char *name, int64_t nth, void (*body)(void *context), void *context);

/// Spoils the index of the log that `connection` (a `sqlite3 *`) shares with all others on its file, as a process does that
/// dies while it writes there: the next one to look makes it anew. A SQLite result code.
int recording_vfs_spoil_index(void *connection);
