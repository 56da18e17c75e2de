import Foundation
import LatchkeyAgeEncryption
import LatchkeyCommandLine
import LatchkeyKeychainArchive

/// Archives of a keychain as files, and the options that encrypt and decrypt them.
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

  /// Writes an archive that only its owner may read: whole, or not at all. `-` is standard output.
  ///
  /// A file that is there is replaced only if it is an age file or empty: a keychain, or its key, named by mistake, must not be lost.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    guard path != "-" else {
      guard !StandardStreams.isOutputTerminal || AgeArmor.isArmored(bytes) else {
        throw CommandFailure(.usage, "an age file is no text for a terminal: give a file, --armor, or a pipe")
      }
      return try StandardStreams.write(bytes)
    }
    guard let target = try OutputFile.target(path) else { return try OutputFile.write(bytes, to: path) }
    if let beginning = try beginning(of: target), !beginning.isEmpty, !AgeDecryptor.isAgeFile(beginning) {
      throw CommandFailure(
        .usage, code: "fileExists", "\(path) is there and is no age file: give another name, or remove it")
    }
    try OutputFile.writePrivately(bytes, to: target)
  }

  /// The first bytes of a file; nil if there is none.
  private static func beginning(of path: String) throws(CommandFailure) -> [UInt8]? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      return [UInt8](try handle.read(upToCount: 4096) ?? Data())
    } catch {
      throw CommandFailure(.inputOutput, "\(path) is there and cannot be read: give another name, or remove it")
    }
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
