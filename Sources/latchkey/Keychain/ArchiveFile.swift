import AgeEncryption
import Foundation
import KeychainArchive

/// Archives of a keychain as files, and what locks and opens them on the command line.
enum ArchiveFile {
  /// A document, Base64 of Base64 and armor round it.
  private static let limit = 2 * KeychainDocument.maximumSize

  /// The file if it is an age file; nil if it is anything else.
  static func read(_ path: String) throws(CommandFailure) -> [UInt8]? {
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      let beginning = try handle.read(upToCount: 4096) ?? Data()
      guard AgeDecryptor.isAgeFile([UInt8](beginning)) else { return nil }
      let rest = try handle.read(upToCount: limit) ?? Data()
      guard rest.count < limit else { throw CommandFailure(.badData, "\(path) has more than \(limit) bytes") }
      return [UInt8](beginning + rest)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
  }

  /// What opens `file`: the identities in a file, or the passphrase, which is asked for if it is not given.
  static func unlock(
    _ file: [UInt8], of path: String, identity: String?, passphrase: String?
  ) throws -> AgeUnlock {
    guard try AgeDecryptor.wantsPassphrase(file) else {
      guard let identity else {
        throw CommandFailure(.usage, "\(path) was encrypted for a recipient: give the identity with --identity FILE")
      }
      let text = try SecretArgument.read("@" + identity, option: "--identity", prompt: "")
      return .identities(try AgeIdentity.file(text))
    }
    return .passphrase(
      try SecretArgument.readBytes(passphrase, option: "--passphrase", prompt: "Passphrase of \(path): "))
  }

  /// Writes a new file that only its owner may read: whole, or not at all. `-` is standard output.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    guard path != "-" else { return try StandardStreams.write(bytes) }
    let type = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    if let type, type != .typeRegular { return try write(bytes, toDevice: path) }
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

  /// A pipe or a device takes the bytes; it is not replaced.
  private static func write(_ bytes: [UInt8], toDevice path: String) throws(CommandFailure) {
    do {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be written")
    }
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}

extension ArchiveError {
  /// How a command ends at this error.
  var failure: CommandFailure {
    switch self {
    case .age(.noMatch): CommandFailure(.authenticationFailed, code: "noMatch", description)
    case .age(.malformedRecipient), .age(.malformedIdentity), .age(.recipients):
      CommandFailure(.usage, description)
    case .age(.outOfMemory): CommandFailure(.tryLater, description)
    case .age, .malformed, .newerVersion: CommandFailure(.badData, code: "badArchive", description)
    case .store(let error): error.failure
    }
  }
}
