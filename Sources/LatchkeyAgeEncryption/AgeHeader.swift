import Crypto
import Foundation
import LatchkeyByteCoding

/// The textual header of an age file: the file key, wrapped for each recipient, and a MAC by the file key over all of it
/// (c2sp.org/age, "Header").
struct AgeHeader: Sendable {
  var stanzas: [AgeStanza]
  var mac: [UInt8]
  /// The bytes that the MAC covers: all up to and including `---`.
  private var authenticated: [UInt8]

  static let versionLine = "age-encryption.org/v1"
  private static let versionPrefix = "age-encryption.org/"
  private static let end = "---"
  private static let macSize = 32
  /// The maximum size of a header in bytes.
  static let maximumSize = 1 << 20

  /// Creates a header with wrapped keys.
  init(stanzas: [AgeStanza], fileKey: SymmetricKey) {
    self.stanzas = stanzas
    let text = Self.versionLine + "\n" + stanzas.map(\.text).joined() + Self.end
    authenticated = Array(text.utf8)
    mac = Self.mac(of: authenticated, fileKey)
  }

  /// The header's bytes; the payload follows directly.
  var bytes: [UInt8] { authenticated + Array((" " + Base64.encode(mac, as: .standardUnpadded) + "\n").utf8) }

  /// Returns the size of the header in the bytes; nil if its last line is incomplete.
  static func size(in bytes: [UInt8]) -> Int? {
    let mark = Array(("\n" + end).utf8)
    var start = 0
    while let index = bytes[start...].firstIndex(of: mark[0]) {
      if bytes[index...].starts(with: mark) {
        return bytes[(index + mark.count)...].firstIndex(of: mark[0]).map { $0 + 1 }
      }
      start = index + 1
    }
    return nil
  }

  /// Whether `bytes` may be the beginning of an age file of this version.
  static func mayBegin(with bytes: [UInt8]) -> Bool {
    let line = Array((versionLine + "\n").utf8)
    return bytes.prefix(line.count).elementsEqual(line.prefix(bytes.count))
  }

  /// Decodes a whole header. ``isAuthentic(by:)`` then verifies its MAC.
  init(_ bytes: [UInt8]) throws(AgeError) {
    guard let text = String(validating: bytes, as: Unicode.ASCII.self), text.hasSuffix("\n") else {
      throw .malformedHeader("it is not made of lines of ASCII")
    }
    var lines = text.unicodeScalars.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
      .map { Substring($0) }[...]
    guard let version = lines.popFirst(), version.hasPrefix(Self.versionPrefix) else { throw .notAnAgeFile }
    guard version == Self.versionLine else { throw .malformedHeader("its version is not v1") }
    guard let last = lines.popLast(), last.hasPrefix(Self.end + " "),
      let mac = try? Base64.decode(String(last.dropFirst(Self.end.count + 1)), as: .standardUnpadded),
      mac.count == Self.macSize
    else { throw .malformedHeader("its last line holds no MAC") }
    stanzas = []
    while !lines.isEmpty { stanzas.append(try AgeStanza.take(from: &lines)) }
    guard !stanzas.isEmpty else { throw .malformedHeader("it has no stanza") }
    self.mac = mac
    authenticated = Array(bytes.dropLast(last.utf8.count - Self.end.count + 1))
  }

  /// Whether the MAC verifies under this file key.
  func isAuthentic(by fileKey: SymmetricKey) -> Bool {
    constantTimeEquals(mac, Self.mac(of: authenticated, fileKey))
  }

  private static func mac(of bytes: [UInt8], _ fileKey: SymmetricKey) -> [UInt8] {
    let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: fileKey, info: Data("header".utf8), outputByteCount: 32)
    return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }
}
