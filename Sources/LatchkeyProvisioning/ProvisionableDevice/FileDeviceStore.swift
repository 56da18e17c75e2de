import CoreBluetooth
public import Foundation

/// A device's state in a file that only its owner may read: replaced whole, and on the disk before anybody is answered.
///
/// One process at a time: the file is locked for as long as the store lives, since two that count tries apart would allow twice
/// as many.
public final class FileDeviceStore: ProvisionableDeviceStore {
  private let folder: StateFolder
  private let name: String
  private let lock: FileLock

  /// The store of the device called `name` in a folder, which is made if it is missing.
  ///
  /// - Throws: `inUse` if another process has it; else what the system says of the folder.
  public init(folder: URL, name: String) throws {
    self.folder = StateFolder(folder)
    // Any name is a file's name this way, and two names never the same file's.
    let digits = name.utf8.map { String($0, radix: 16) }.map { $0.count == 1 ? "0" + $0 : $0 }.joined()
    self.name = "device-\(digits)"
    guard let lock = try self.folder.lock("\(self.name).lock", waits: false) else { throw FileDeviceStoreError.inUse }
    self.lock = lock
  }

  /// The store of the device called `name` in the folder of this user's state: `LATCHKEY_STATE`, else
  /// `$XDG_STATE_HOME/latchkey`, else `~/.local/state/latchkey`.
  public convenience init(name: String) throws {
    try self.init(folder: StateFolder.shared.url, name: name)
  }

  /// The stored state; nil if there is no file.
  ///
  /// - Throws: `unreadable` if the file holds no state; else what the system says.
  public func load() throws -> ProvisionableDeviceState? {
    guard let data = try folder.read("\(name).json") else { return nil }
    do {
      return try JSONDecoder().decode(ProvisionableDeviceState.self, from: data)
    } catch {
      // What cannot be read may have counted tries: only a person removes it.
      throw FileDeviceStoreError.unreadable(folder.url.appendingPathComponent("\(name).json").path)
    }
  }

  /// Replaces the file; the state is on the disk when this returns.
  public func store(_ state: ProvisionableDeviceState) throws {
    try folder.replace("\(name).json", with: JSONEncoder().encode(state))
  }
}

/// Why a device's file is not used.
public enum FileDeviceStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process runs this device.
  case inUse
  /// The file at this path is not one of these.
  case unreadable(String)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .inUse: "another process runs this device: end it first, or give this one another name"
    case .unreadable(let path): "\(path) cannot be understood: remove it, and what it knew is forgotten"
    }
  }
}
