import CoreBluetooth
import Foundation

/// Where an attribute is, as a user types it: `UUID`, `SERVICE/UUID` where a UUID occurs in several services, and
/// `UUID:DESCRIPTOR` for a descriptor.
struct AttributePath: Equatable, Sendable {
  let service: String?
  let characteristic: String
  let descriptor: String?

  /// Reads a path; nil if a part of it is no UUID.
  init?(_ text: some StringProtocol) {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(halves.count), let last = halves.last else { return nil }
    let parts = last.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let first = parts.first else { return nil }
    service = halves.count == 2 ? String(halves[0]) : nil
    characteristic = String(first)
    descriptor = parts.count == 2 ? String(parts[1]) : nil
    for part in [service, characteristic, descriptor].compactMap(\.self) where Self.uuid(part) == nil { return nil }
  }

  /// The UUID that `text` spells: 4 or 8 hexadecimal digits, or the 36 characters of a long one; nil for anything else, on
  /// which `CBUUID` itself would end the program.
  static func uuid(_ text: String) -> CBUUID? {
    let isShort = [4, 8].contains(text.utf8.count) && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    guard isShort || (text.utf8.count == 36 && UUID(uuidString: text) != nil) else { return nil }
    return CBUUID(string: text)
  }
}
