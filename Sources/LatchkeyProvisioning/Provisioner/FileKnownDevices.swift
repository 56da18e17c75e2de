import CoreBluetooth
public import Foundation

/// The devices that an app knows, in a file that only its owner may read. Several processes may use it at the same time.
public struct FileKnownDevices: KnownDeviceStore {
  /// The number of devices that are remembered; the one that was stored longest ago makes room.
  static let maximumDevices = 1024
  private static let name = "known-devices.json"

  private struct Entry: Codable {
    let peripheral: UUID
    let device: KnownDevice
  }

  private let folder: StateFolder

  /// The file `known-devices.json` of a folder, which is made when something is stored.
  public init(folder: URL) { self.folder = StateFolder(folder) }

  /// The file in the folder of this user's state: `LATCHKEY_STATE`, else `$XDG_STATE_HOME/latchkey`, else
  /// `~/.local/state/latchkey`.
  public init() { folder = .shared }

  /// The record of a peripheral; nil if it is not known.
  ///
  /// - Throws: `FileDeviceStoreError.unreadable` if the file holds no records; else what the system says.
  public func device(_ peripheral: UUID) throws -> KnownDevice? {
    try entries().last { $0.peripheral == peripheral }?.device
  }

  /// Replaces the record of a peripheral; nil removes it.
  public func store(_ device: KnownDevice?, _ peripheral: UUID) throws {
    try folder.withLock {
      var entries = try entries().filter { $0.peripheral != peripheral }
      if let device { entries.append(Entry(peripheral: peripheral, device: device)) }
      try folder.replace(Self.name, with: JSONEncoder().encode(Array(entries.suffix(Self.maximumDevices))))
    }
  }

  private func entries() throws -> [Entry] {
    guard let data = try folder.read(Self.name) else { return [] }
    do {
      return try JSONDecoder().decode([Entry].self, from: data)
    } catch {
      throw FileDeviceStoreError.unreadable(folder.url.appendingPathComponent(Self.name).path)
    }
  }
}
