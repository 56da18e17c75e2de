import Foundation
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// The IRK of a host in the file `resolving-keys`, beside its bonds (`StoredResolvingKeys`).
extension BondFileStore {
  private static let keyFile = "resolving-keys"

  /// The IRK; the first call draws and stores it. A file that is damaged counts as empty, which is said, and is replaced;
  /// one that a newer version wrote is left as it is.
  func resolvingKey(_ draw: () -> SecurityKey?) throws -> SecurityKey? {
    try folder.withLock {
      var entries: [StoredResolvingKeys.Entry]
      do { entries = try storedKeys() } catch StoredFileError.damaged(let error) {
        Diagnostics.notice(
          "\(keyPath) is damaged (\(error)): paired devices do not recognize private addresses of this host")
        entries = []
      } catch StoredFileError.newerVersion(let found, let known) {
        throw BondFileError.newerVersion(path: keyPath, found: found, known: known)
      }
      if let known = entries.first(where: { $0.address == local }) { return known.resolvingKey }
      guard let key = draw() else { return nil }
      // The oldest one goes where there is no room.
      entries = entries.suffix(StoredResolvingKeys.capacity - 1)
      entries.append(StoredResolvingKeys.Entry(address: local, resolvingKey: key))
      var bytes = StoredResolvingKeys.encode(entries)
      defer { bytes.wipe() }
      try folder.replace(Self.keyFile, with: &bytes)
      return key
    }
  }

  private func storedKeys() throws -> [StoredResolvingKeys.Entry] {
    guard var bytes = try folder.readSecret(Self.keyFile) else { return [] }
    defer { bytes.wipe() }
    return try StoredResolvingKeys.decode(bytes)
  }

  private var keyPath: String { folder.url.appendingPathComponent(Self.keyFile).path }
}

extension StateFolder {
  /// The content of a file of secrets, which the caller wipes; nil if it does not exist.
  func readSecret(_ name: String) throws -> [UInt8]? {
    guard var data = try read(name) else { return nil }
    defer { data.resetBytes(in: 0..<data.count) }
    return [UInt8](data)
  }

  /// Replaces a file of secrets, without a copy that nobody would wipe.
  func replace(_ name: String, with bytes: inout [UInt8]) throws {
    try bytes.withUnsafeMutableBytes { memory in
      guard let start = memory.baseAddress else { return }
      try replace(name, with: Data(bytesNoCopy: start, count: memory.count, deallocator: .none))
    }
  }
}
