import BluetoothHost
import ByteCoding
import Foundation

/// The files that make peers' identifiers outlive the process: a key, and the peers that apps connected to.
///
/// They lie in `LATCHKEY_STATE`, else `$XDG_STATE_HOME/latchkey`, else `~/.local/state/latchkey`. Where they cannot be
/// read or written, that is logged once and identifiers last as long as the process.
final class PeerStore: Sendable {
  private struct Entry: Codable {
    var address: String
    var kind: UInt8
  }

  /// The most peers that are remembered: those of the last connections.
  private static let capacity = 1024

  let key: PeerIdentifierKey
  private let directory: URL
  private let writing = Locked(())

  /// The store in a directory, which is made if it is not there.
  init(directory: URL) {
    self.directory = directory
    key = Self.key(in: directory)
  }

  /// The store of the process's environment.
  convenience init(environment: [String: String]) {
    self.init(directory: Self.directory(environment: environment))
  }

  static func directory(environment: [String: String]) -> URL {
    func path(_ name: String) -> URL? {
      environment[name].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true) }
    }
    if let directory = path("LATCHKEY_STATE") { return directory }
    let state =
      path("XDG_STATE_HOME") ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state")
    return state.appendingPathComponent("latchkey", isDirectory: true)
  }

  /// The peers that were saved; none if there is no file, or not a good one.
  func load() -> [BluetoothAddress] {
    guard let data = try? Data(contentsOf: peersFile) else { return [] }
    guard let entries = try? JSONDecoder().decode([Entry].self, from: data) else {
      Diagnostics.notice("\(peersFile.path) is not readable as a list of peers; it will be written anew")
      return []
    }
    return entries.prefix(Self.capacity).compactMap { entry in
      guard let kind = BluetoothAddress.Kind(rawValue: entry.kind),
        let bytes = try? Hexadecimal.decode(entry.address.filter { $0 != ":" }), bytes.count == 6
      else { return nil }
      return BluetoothAddress(bytes.reduce(0) { $0 << 8 | UInt64($1) }, kind: kind)
    }
  }

  /// Saves peers, beside those that other processes have saved meanwhile.
  func save(_ addresses: [BluetoothAddress]) {
    writing.withLock { _ in
      let others = load().filter { !addresses.contains($0) }
      let entries = (others + addresses).suffix(Self.capacity)
        .map { Entry(address: $0.description, kind: $0.kind.rawValue) }
      do {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        // Atomic: written beside and renamed, so that a reader sees the old list or the new one.
        try encoder.encode(entries).write(to: peersFile, options: .atomic)
      } catch {
        Diagnostics.notice("peers cannot be saved in \(peersFile.path): \(error.localizedDescription)")
      }
    }
  }

  private var peersFile: URL { directory.appendingPathComponent("peers.json") }

  private static func key(in directory: URL) -> PeerIdentifierKey {
    let file = directory.appendingPathComponent("peer-identifier-key")
    if let key = read(file) { return key }
    let key = PeerIdentifierKey.random()
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      var writer = ByteWriter(capacity: 16)
      writer.uint64BigEndian(key.halves.0)
      writer.uint64BigEndian(key.halves.1)
      // Not over another process's key, made in the same moment.
      try Data(Hexadecimal.encode(writer.bytes).utf8).write(to: file, options: .withoutOverwriting)
      return key
    } catch {
      if let key = read(file) { return key }
      Diagnostics.notice("identifiers of peers will not outlive this process: \(error.localizedDescription)")
      return key
    }
  }

  private static func read(_ file: URL) -> PeerIdentifierKey? {
    guard let data = try? Data(contentsOf: file),
      let bytes = try? Hexadecimal.decode(String(decoding: data, as: UTF8.self)), bytes.count == 16
    else { return nil }
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return PeerIdentifierKey(halves: (half(bytes[..<8]), half(bytes[8...])))
  }
}
