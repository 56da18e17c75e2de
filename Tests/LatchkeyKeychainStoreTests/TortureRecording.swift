import LatchkeyTestSupport
import CRecordingVFS
import Glibc

/// Something that happened to the files of a folder, in order.
enum DiskEvent: Equatable {
  case created(String)
  case written(String, at: Int, [UInt8])
  case truncated(String, to: Int)
  /// The file is on the disk; with `folder`, so is what its folder holds.
  case synced(String, folder: Bool)
  case deleted(String, folder: Bool)
  /// The test's own word.
  case mark(Int)
}

extension DiskEvent {
  fileprivate init(_ event: recording_vfs_event) {
    let name = String(cString: event.name)
    let offset = Int(event.offset)
    self =
      switch recording_vfs_kind(UInt32(event.kind)) {
      case RECORDING_VFS_CREATE: .created(name)
      case RECORDING_VFS_WRITE:
        .written(name, at: offset, [UInt8](UnsafeBufferPointer(start: event.bytes, count: event.length)))
      case RECORDING_VFS_TRUNCATE: .truncated(name, to: offset)
      case RECORDING_VFS_SYNC: .synced(name, folder: offset != 0)
      case RECORDING_VFS_DELETE: .deleted(name, folder: offset != 0)
      default: .mark(offset)
      }
  }
}

/// Everything that SQLite writes below a folder, from its opening on: what a disk would have seen. Faults on demand.
final class Recording: @unchecked Sendable {
  // The log has a lock of its own.
  private let log: OpaquePointer
  private static let limit = 256 << 20

  /// Watches the files below `folder` that are opened from now on.
  init(_ folder: TortureFolder) throws {
    try Self.register()
    guard let log = recording_vfs_arm(folder.path, Self.limit) else { throw RecordingFailure.noMemory }
    self.log = log
  }

  deinit { recording_vfs_disarm(log) }

  enum RecordingFailure: Error { case noMemory, notRegistered(Int32), overflowed }

  static func register() throws {
    let code = recording_vfs_register()
    guard code == 0 else { throw RecordingFailure.notRegistered(code) }
  }

  func mark(_ word: Int) { recording_vfs_mark(log, Int64(word)) }

  var count: Int { recording_vfs_count(log) }

  func events() throws -> [DiskEvent] {
    guard recording_vfs_overflowed(log) == 0 else { throw RecordingFailure.overflowed }
    var events: [DiskEvent] = []
    var event = recording_vfs_event()
    while recording_vfs_get(log, events.count, &event) == 0 { events.append(DiskEvent(event)) }
    return events
  }

  /// What ``beforeOpening(_:nth:_:)`` has called; the file's name for C.
  private final class Opening {
    let name: UnsafeMutablePointer<CChar>
    let body: () -> Void

    init(_ name: String, _ body: @escaping () -> Void) {
      self.name = strdup(name)
      self.body = body
    }

    deinit { free(name) }
  }

  private var opening: Opening?

  /// Has `body` called before the `nth` opening (1 is the next) of a file: what another process does in that moment.
  func beforeOpening(_ name: String, nth: Int, _ body: @escaping () -> Void) {
    let opening = Opening(name, body)
    self.opening = opening
    recording_vfs_before_open(
      log, opening.name, Int64(nth),
      { context in context.map { Unmanaged<Opening>.fromOpaque($0).takeUnretainedValue().body() } },
      Unmanaged.passUnretained(opening).toOpaque())
  }

  // MARK: Faults

  /// From now on there is room for so many bytes; nil: for any number.
  func setRoom(_ bytes: Int?) { recording_vfs_set_room(log, bytes.map(Int64.init) ?? -1) }

  /// The `nth` write from now (1 is the next) fails, and the `count` - 1 after it.
  func failWrites(from nth: Int, count: Int = 1) {
    recording_vfs_fail(log, Int32(RECORDING_VFS_FAIL_WRITE.rawValue), Int64(nth), Int64(count))
  }

  /// The `nth` sync from now fails, and the `count` - 1 after it.
  func failSyncs(from nth: Int, count: Int = 1) {
    recording_vfs_fail(log, Int32(RECORDING_VFS_FAIL_SYNC.rawValue), Int64(nth), Int64(count))
  }

  func heal() {
    setRoom(nil)
    failWrites(from: 0, count: 0)
    failSyncs(from: 0, count: 0)
  }

  /// How often a fault was given out.
  var failures: Int { Int(recording_vfs_failures(log)) }
}
