import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyByteCoding

/// The bonds of one host in the file `bonds` of the state folder, which all processes of a user share (`StoredBonds`).
///
/// A file that is damaged counts as empty, which is said at the first load, and is replaced by the next bond. One that
/// cannot be read, or that a newer version wrote, is left as it is, and nothing is stored.
final class BondFileStore: BondStore {
  private static let file = "bonds"

  let folder: StateFolder
  let local: BluetoothAddress

  /// The store of a host.
  ///
  /// - Parameter local: The host's own address, to which its bonds belong.
  init(_ folder: StateFolder, local: BluetoothAddress) {
    self.folder = folder
    self.local = local
  }

  func load() throws -> [Bond] { try entries().filter { $0.local == local }.map(\.bond) }

  func save(_ bond: Bond) throws {
    try change { entries in
      entries.removeAll { $0.local == local && $0.bond.identity == bond.identity }
      guard entries.count < StoredBonds.capacity else { throw BondFileError.full(path: path) }
      entries.append(StoredBonds.Entry(local: local, bond: bond))
    }
  }

  func update(_ bond: Bond) throws {
    try folder.withLock {
      var entries = try self.entries()
      let index = entries.firstIndex { $0.local == local && $0.bond.hasSameKeys(as: bond) }
      guard let index, entries[index].bond != bond else { return }
      entries[index].bond = bond
      try write(entries)
    }
  }

  func remove(_ identity: BluetoothAddress) throws {
    try change { entries in entries.removeAll { $0.local == local && $0.bond.identity == identity } }
  }

  /// Changes what is stored now, by whichever process.
  fileprivate func change(_ body: (inout [StoredBonds.Entry]) throws -> Void) throws {
    try folder.withLock {
      // A damaged file names no bonds.
      var entries: [StoredBonds.Entry]
      do { entries = try self.entries() } catch BondFileError.damaged { entries = [] }
      try body(&entries)
      try write(entries)
    }
  }

  private func write(_ entries: [StoredBonds.Entry]) throws {
    var bytes = StoredBonds.encode(entries)
    defer { bytes.wipe() }
    try folder.replace(Self.file, with: &bytes)
  }

  fileprivate func entries() throws -> [StoredBonds.Entry] {
    guard var bytes = try folder.readSecret(Self.file) else { return [] }
    defer { bytes.wipe() }
    do throws(StoredFileError) {
      return try StoredBonds.decode(bytes)
    } catch .damaged(let error) {
      throw BondFileError.damaged(path: path, reason: "\(error)")
    } catch .newerVersion(let found, let known) {
      throw BondFileError.newerVersion(path: path, found: found, known: known)
    }
  }

  private var path: String { folder.url.appendingPathComponent(Self.file).path }
}

/// Why bonds are not read or stored.
enum BondFileError: Error, CustomStringConvertible {
  case damaged(path: String, reason: String)
  /// It is left as it is.
  case newerVersion(path: String, found: UInt8, known: UInt8)
  case full(path: String)

  var description: String {
    switch self {
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)): devices that were paired have to be paired again"
    case .newerVersion(let path, let found, let known):
      "\(path) has version \(found), this program knows versions up to \(known): use a newer program"
    case .full(let path):
      "\(path) has \(StoredBonds.capacity) pairings: remove some with `latchkey ble bonds --remove`"
    }
  }
}

/// The pairings in the state folder, of all own addresses of this host, for a command that lists and removes them.
package enum StoredPairings {
  /// A pairing: the own address, and the address and the identifier of the device.
  package struct Entry: Sendable {
    package let local: String
    package let address: String
    package let identifier: UUID
    package let isAuthenticated: Bool
  }

  /// All pairings.
  package static func all() throws -> [Entry] {
    let entries = try BondFileStore(.shared, local: .staticRandom(0)).entries()
    // The key is made where there is none: a list of nothing leaves the folder alone.
    guard !entries.isEmpty else { return [] }
    let key = PeerStore(.shared).key
    return entries.map { entry in
      let key = (bond: entry.bond.keyAsCentral ?? entry.bond.keyAsPeripheral, identifiers: key)
      return Entry(
        local: "\(entry.local)", address: "\(entry.bond.identity)",
        identifier: key.identifiers.identifier(of: entry.bond.knownAddress),
        isAuthenticated: key.bond?.isAuthenticated ?? false)
    }
  }

  /// Removes the pairings with a device, by its address or its identifier. Programs that run now have them until they end.
  ///
  /// - Returns: those that were removed.
  package static func remove(_ device: PairedDevice) throws -> [Entry] {
    // Without one, nothing is written.
    let removed = try all().filter { device.matches($0) }
    guard !removed.isEmpty else { return [] }
    try BondFileStore(.shared, local: .staticRandom(0)).change { entries in
      entries.removeAll { entry in removed.contains { $0.address == "\(entry.bond.identity)" } }
    }
    return removed
  }
}

/// How a paired device is named to a command.
package enum PairedDevice: Sendable, Equatable {
  /// Its identity address, as `StoredPairings.Entry` has it.
  case address(String)
  /// Its identifier for the apps of this user.
  case identifier(UUID)

  /// Reads an address, six pairs of hexadecimal digits with colons between them, or a UUID; nil for other text.
  package init?(_ text: String) {
    if let identifier = UUID(uuidString: text) {
      self = .identifier(identifier)
      return
    }
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count == 6, pairs.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
    else { return nil }
    self = .address(text.uppercased())
  }

  fileprivate func matches(_ entry: StoredPairings.Entry) -> Bool {
    switch self {
    case .address(let address): entry.address == address
    case .identifier(let identifier): entry.identifier == identifier
    }
  }
}
