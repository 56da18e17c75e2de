import Foundation

/// The moments of items, in seconds since 2001-01-01 00:00:00 UTC. A program may store any number: what is no moment of the
/// years 1 to 9999 has no text.
enum KeychainTime {
  private static let years = -63_114_076_800.0..<252_423_993_600.0

  /// As RFC 3339 has it: `2026-11-21T19:30:00Z`.
  static func text(_ seconds: Double) -> String? {
    years.contains(seconds) ? Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format() : nil
  }

  /// As macOS's keychain has it: `20261121193000Z` and a zero byte.
  static func bytes(_ seconds: Double) -> [UInt8]? {
    text(seconds).map { Array($0.utf8.filter { !"-:T".utf8.contains($0) }) + [0] }
  }
}
