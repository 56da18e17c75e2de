import LatchkeyByteCoding

/// The texts of an open session, in the order in which they are sent: a request, its response, a request …
package enum ProtocommCipher: Sendable {
  /// Security 0: as they are.
  case none
  /// Security 1.
  case stream(KeyStream)
  /// Security 2.
  case sealed(CountedCipher)

  /// What is sent for a text.
  package mutating func seal(_ text: [UInt8]) throws(ProtocommSecurityError) -> [UInt8] {
    switch self {
    case .none: return text
    case .stream(var stream):
      self = .none
      defer { self = .stream(stream) }
      return try stream.apply(text)
    case .sealed(var cipher):
      defer { self = .sealed(cipher) }
      return try cipher.seal(text)
    }
  }

  /// The text of what was received.
  package mutating func open(_ bytes: [UInt8]) throws(ProtocommSecurityError) -> [UInt8] {
    switch self {
    case .none: return bytes
    case .stream(var stream):
      self = .none
      defer { self = .stream(stream) }
      return try stream.apply(bytes)
    case .sealed(var cipher):
      defer { self = .sealed(cipher) }
      return try cipher.open(bytes)
    }
  }

  /// Whether a request can be opened and answered.
  package var canAnswer: Bool {
    if case .sealed(let cipher) = self { return cipher.remaining >= 2 }
    return true
  }

  /// Bytes that a text grows by.
  package var overhead: Int { if case .sealed = self { 16 } else { 0 } }
}
