import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyByteCoding

/// The addresses of this host, stored from one run of a program to the next.
///
/// A controller's first address belongs to the program that uses it alone. Programs that use the same controller at the
/// same time, such as the clients of a radio's server, have the second, the third and so on, each for as long as it
/// runs. Programs that scan and programs that advertise are numbered separately, so that a short scan does not change a
/// device's address.
struct OwnAddressStore {
  /// How many programs at the same time have stored addresses; a virtual radio has the same limit of clients.
  private static let capacity = 256

  private let folder: StateFolder

  init(_ folder: StateFolder) { self.folder = folder }

  /// The address for a program that starts to use a controller in a role, with the lock that reserves it; nil if none
  /// can be stored.
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

  /// The controller's text, with characters that no file name can contain as hexadecimal bytes.
  static func fileName(_ specification: ControllerSpecification, _ role: ControllerRole, _ number: Int) -> String {
    let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_."))
    let text = "\(specification)".addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    // A path may be as long as the longest file name.
    return "own-address-\(role.rawValue)-\(number)-\(text.suffix(160))"
  }

  private static func decode(_ data: Data) -> BluetoothAddress? {
    let text = String(decoding: data.prefix(64), as: UTF8.self).filter { $0 != ":" && !$0.isWhitespace }
    guard let bytes = try? Hexadecimal.decode(text), bytes.count == 6 else { return nil }
    let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // In a static random address the two top bits are set, and the others are neither all ones nor all zeros.
    let rest = value & 0x3FFF_FFFF_FFFF
    guard value >> 46 == 0b11, rest != 0, rest != 0x3FFF_FFFF_FFFF else { return nil }
    return BluetoothAddress(value, kind: .random)
  }
}

/// The locks of the addresses of this process, until it ends.
enum OwnAddresses {
  private static let locks = Locked<[FileLock]>([])

  static func address(for specification: ControllerSpecification, role: ControllerRole) -> BluetoothAddress? {
    let store = OwnAddressStore(.shared)
    guard let (address, lock) = store.address(for: specification, role: role) else { return nil }
    locks.withLock { $0.append(lock) }
    return address
  }
}
