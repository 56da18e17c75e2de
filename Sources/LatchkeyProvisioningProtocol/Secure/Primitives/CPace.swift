import Crypto
import LatchkeyByteCoding

/// CPACE-X25519-SHA512 (draft-irtf-cfrg-cpace-21 7 and 8.2) in its initiator-responder form.
enum CPace {
  private static let group = Array("CPace255".utf8)
  /// The block of SHA-512, in bytes.
  private static let blockLength = 128

  /// Each string behind its length in LEB128 (A.1): `lv_cat`.
  static func lengthPrefixed(_ strings: [UInt8]...) -> [UInt8] {
    var joined: [UInt8] = []
    // Without growing, which would leave copies of secrets behind.
    joined.reserveCapacity(strings.reduce(0) { $0 + $1.count + 5 })
    for string in strings {
      var length = string.count
      while length > 0x7F {
        joined.append(UInt8(truncatingIfNeeded: length) | 0x80)
        length >>= 7
      }
      joined.append(UInt8(truncatingIfNeeded: length))
      joined += string
    }
    return joined
  }

  /// What is hashed to the generator (8.1).
  static func generatorString(password: SecretBytes, channel: [UInt8], session: [UInt8]) -> [UInt8] {
    let prefixLength = password.count > 0x7F ? 2 : 1
    let padding = max(0, blockLength - 1 - (prefixLength + password.count) - (1 + group.count))
    var copy = password.array()
    defer { copy.wipe() }
    return lengthPrefixed(group, copy, [UInt8](repeating: 0, count: padding), channel, session)
  }

  /// The generator that stands for a code and the names of a run (8.2).
  static func generator(password: SecretBytes, channel: [UInt8], session: [UInt8]) -> [UInt8] {
    var string = generatorString(password: password, channel: channel, session: session)
    defer { string.wipe() }
    var hash = Array(SHA512.hash(data: string).prefix(X25519.length))
    defer { hash.wipe() }
    return Elligator2.map(hash)
  }

  /// A run's intermediate session key (7.2), 64 bytes, from the point that both sides share.
  static func sessionKey(
    session: [UInt8], shared: SecretBytes, initiator: (share: [UInt8], data: [UInt8]),
    responder: (share: [UInt8], data: [UInt8])
  ) -> SecretBytes {
    var point = shared.array()
    defer { point.wipe() }
    var input =
      lengthPrefixed(group + Array("_ISK".utf8), session, point)
      + lengthPrefixed(initiator.share, initiator.data) + lengthPrefixed(responder.share, responder.data)
    defer { input.wipe() }
    var key = Array(SHA512.hash(data: input))
    return SecretBytes(consuming: &key)
  }
}
