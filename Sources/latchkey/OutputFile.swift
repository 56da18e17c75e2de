// The fields of `stat` belong to the C module that the compiler saw first: each that may be it is imported.
import CDispatch
import CoreFoundation
import Foundation
import LatchkeyCommandLine

/// A file that a command writes.
enum OutputFile {
  /// Writes a file, device or pipe that others may read, too.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be written")
    }
  }

  /// Writes a secret: a regular file is replaced whole or not at all, and only its owner may read it; a device or a pipe
  /// receives the bytes.
  static func writeSecret(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    guard let target = try target(path) else { return try write(bytes, to: path) }
    try writePrivately(bytes, to: target)
  }

  /// The regular file that `path` names, there or not, with links followed; nil for a device or a pipe.
  ///
  /// - Throws: `inputOutput` for a folder, and for a link to nothing: another user may have chosen where that puts the file.
  static func target(_ path: String) throws(CommandFailure) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT, lstat(path, &status) != 0 else {
        throw CommandFailure(.inputOutput, "\(path) cannot be written: it is a link to nothing, or out of reach")
      }
      return path
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      guard let resolved = realpath(path, nil) else { throw failure(path) }
      defer { free(resolved) }
      return String(cString: resolved)
    case S_IFDIR: throw CommandFailure(.inputOutput, "\(path) is a folder: give a file")
    default: return nil
    }
  }

  /// Writes beside `path`, readable by its owner alone, and moves the file there.
  static func writePrivately(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    let beside = "\(path).\(getpid()).part"
    unlink(beside)
    let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    do {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try handle.write(contentsOf: Data(bytes))
      try handle.synchronize()
      try handle.close()
    } catch {
      unlink(beside)
      throw CommandFailure(.inputOutput, "\(path) cannot be written: is there room on the disk?")
    }
    guard rename(beside, path) == 0 else {
      let failure = failure(path)
      unlink(beside)
      throw failure
    }
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
