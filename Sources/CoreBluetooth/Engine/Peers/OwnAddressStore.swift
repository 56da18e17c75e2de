import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyByteCoding

/// The addresses under which this host's peers know it, kept from one run of a program to the next.
///
/// A controller's first address is that of the program that uses it alone; programs that use the same one at the same time,
/// as the clients of a radio's server do, have the second, the third and so on, each for as long as it runs. Programs that
/// scan and programs that advertise are counted apart, so that a look round does not take a device's address from it.
struct OwnAddressStore {
  /// How many programs at the same time have addresses that are kept; a virtual radio takes so many clients.
  private static let capacity = 256

  private let folder: StateFolder

  init(_ folder: StateFolder) { self.folder = folder }

  /// The address for a program that begins to use a controller in a role first, and what keeps it from others; nil if none
  /// can be kept.
  func address(
    for specification: ControllerSpecification, role: ControllerRole
  ) -> (address: BluetoothAddress, lock: FileLock)? {
    do {
      for number in 0..<Self.capacity {
        let name = Self.fileName(specification, role, number)
        guard let lock = try folder.lock("\(name).lock", waits: false) else { continue }
        if let address = try folder.read(name).flatMap(Self.decode) { return (address, lock) }
        let address = OwnAddress.drawn { .random(in: .min ... .max) }
        try folder.replace(name, with: Data("\(address)\n".utf8))
        return (address, lock)
      }
    } catch {
      Diagnostics.notice("this host's address will not outlive this process: \(error.localizedDescription)")
    }
    return nil
  }

  /// The controller's text, with what no file's name can have spelled by its bytes.
  static func fileName(_ specification: ControllerSpecification, _ role: ControllerRole, _ number: Int) -> String {
    let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_."))
    let text = "\(specification)".addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    // A path may be as long as the longest name of a file.
    return "own-address-\(role.rawValue)-\(number)-\(text.suffix(160))"
  }

  private static func decode(_ data: Data) -> BluetoothAddress? {
    let text = String(decoding: data.prefix(64), as: UTF8.self).filter { $0 != ":" && !$0.isWhitespace }
    guard let bytes = try? Hexadecimal.decode(text), bytes.count == 6 else { return nil }
    let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // A static random address has both top bits set, and others of the rest than all ones or all zeros.
    let rest = value & 0x3FFF_FFFF_FFFF
    guard value >> 46 == 0b11, rest != 0, rest != 0x3FFF_FFFF_FFFF else { return nil }
    return BluetoothAddress(value, kind: .random)
  }
}

/// The locks of the addresses that this process has, until it ends.
enum OwnAddresses {
  private static let locks = Locked<[FileLock]>([])

  static func address(for specification: ControllerSpecification, role: ControllerRole) -> BluetoothAddress? {
    let store = OwnAddressStore(.shared)
    guard let (address, lock) = store.address(for: specification, role: role) else { return nil }
    locks.withLock { $0.append(lock) }
    return address
  }
}
