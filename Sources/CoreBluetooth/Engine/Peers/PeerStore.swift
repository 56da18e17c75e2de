import Foundation
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// The files that make peers' identifiers outlive the process: a key, and the peers that apps connected to.
///
/// If they cannot be read or written, that is logged once and identifiers last as long as the process. A truncated key
/// is replaced; a file that cannot be read is left as it is.
final class PeerStore: Sendable {
  /// The most peers that are stored: those of the last connections.
  private static let capacity = 1024

  let key: PeerIdentifierKey
  private let folder: StateFolder

  private static let peersFile = "peers.json"
  private static let keyFile = "peer-identifier-key"

  /// The store in a folder, which is created if it does not exist.
  init(_ folder: StateFolder) {
    self.folder = folder
    key = Self.key(in: folder)
  }

  /// The stored peers; none if there is no file, or if it is malformed or cannot be read.
  func load() -> [BluetoothAddress] {
    do {
      return try saved()
    } catch {
      Diagnostics.notice("\(path) cannot be read: \(error.localizedDescription)")
      return []
    }
  }

  private func saved() throws -> [BluetoothAddress] {
    guard let data = try folder.read(Self.peersFile) else { return [] }
    guard let entries = try? JSONDecoder().decode([StoredAddress].self, from: data) else {
      Diagnostics.notice("\(path) is not readable as a list of peers; it will be written anew")
      return []
    }
    return entries.prefix(Self.capacity).compactMap(\.value)
  }

  /// Stores peers, in addition to those that other processes have stored meanwhile.
  func save(_ addresses: [BluetoothAddress]) {
    do {
      try folder.withLock {
        let others = try saved().filter { !addresses.contains($0) }
        let entries = (others + addresses).suffix(Self.capacity).map(StoredAddress.init)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try folder.replace(Self.peersFile, with: try encoder.encode(entries))
      }
    } catch {
      Diagnostics.notice("peers cannot be saved in \(path): \(error.localizedDescription)")
    }
  }

  private var path: String { folder.url.appendingPathComponent(Self.peersFile).path }

  /// The stored key of this host; if there is none, or it is malformed, a new one that is stored.
  private static func key(in folder: StateFolder) -> PeerIdentifierKey {
    let drawn = PeerIdentifierKey.random()
    do {
      if let key = try read(folder) { return key }
      return try folder.withLock {
        // Another process may have created one by now.
        if let key = try read(folder) { return key }
        var writer = ByteWriter(capacity: 16)
        writer.uint64BigEndian(drawn.halves.0)
        writer.uint64BigEndian(drawn.halves.1)
        try folder.replace(keyFile, with: Data(Hexadecimal.encode(writer.bytes).utf8))
        return drawn
      }
    } catch {
      Diagnostics.notice("identifiers of peers will not outlive this process: \(error.localizedDescription)")
      return drawn
    }
  }

  private static func read(_ folder: StateFolder) throws -> PeerIdentifierKey? {
    guard let data = try folder.read(keyFile),
      let bytes = try? Hexadecimal.decode(String(decoding: data, as: UTF8.self)), bytes.count == 16
    else { return nil }
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return PeerIdentifierKey(halves: (half(bytes[..<8]), half(bytes[8...])))
  }
}
