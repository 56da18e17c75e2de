import Crypto
import LatchkeyByteCoding

/// The keys of a handshake, from what both sides have said and what only they know.
struct SecureKeySchedule: Sendable {
  let confirmDevice: SymmetricKey
  let confirmApp: SymmetricKey
  let appToDevice: SymmetricKey
  let deviceToApp: SymmetricKey
  /// A ticket and its key.
  let resumption: SecretBytes
  /// The transcript's hash, TH.
  let transcript: [UInt8]

  /// - Parameter replyStart: The reply up to its tag.
  init(
    information: [UInt8], hello: [UInt8], replyStart: [UInt8], sessionKey: SecretBytes, encapsulated: SecretBytes?
  ) {
    transcript = Array(SHA512.hash(data: CPace.lengthPrefixed(information, hello, replyStart)))
    let material = SecretBytes(count: sessionKey.count + (encapsulated?.count ?? 0)) { memory in
      for index in 0..<sessionKey.count { memory[index] = sessionKey[index] }
      guard let encapsulated else { return }
      for index in 0..<encapsulated.count { memory[sessionKey.count + index] = encapsulated[index] }
    }
    let root = Self.extract(material, salt: transcript)
    func key(_ label: String, _ count: Int = 32) -> SymmetricKey {
      Self.expand(root, info: Array("prov2 \(label)".utf8), count: count)
    }
    confirmDevice = key("confirm d")
    confirmApp = key("confirm a")
    appToDevice = key("a2d")
    deviceToApp = key("d2a")
    resumption = key("resume", SecureTicket.length).withUnsafeBytes { SecretBytes($0) }
  }

  /// Td.
  var deviceTag: [UInt8] { Self.tag(confirmDevice, transcript) }

  /// Ta, which covers Td.
  func appTag(_ deviceTag: [UInt8]) -> [UInt8] { Self.tag(confirmApp, transcript + deviceTag) }

  /// HKDF-Extract with SHA-512 (RFC 5869 2.2).
  static func extract(_ material: SecretBytes, salt: [UInt8]) -> HashedAuthenticationCode<SHA512> {
    HKDF<SHA512>.extract(inputKeyMaterial: material.withUnsafeBytes { SymmetricKey(data: $0) }, salt: salt)
  }

  /// HKDF-Expand with SHA-512 (RFC 5869 2.3).
  static func expand(_ root: HashedAuthenticationCode<SHA512>, info: [UInt8], count: Int) -> SymmetricKey {
    HKDF<SHA512>.expand(pseudoRandomKey: root, info: info, outputByteCount: count)
  }

  /// The first 32 bytes of HMAC-SHA-512 (RFC 2104).
  static func tag(_ key: SymmetricKey, _ bytes: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key).prefix(SecureMessage.tagLength))
  }

  /// The channel identifier of CPace, CI.
  static func channel(information: [UInt8], suite: SecureSuite) -> [UInt8] {
    CPace.lengthPrefixed(
      Array("prov2".utf8), SecureService.identifier, information, Array("app".utf8), Array("device".utf8),
      [suite.rawValue])
  }
}

/// The name and the secret by which a session is resumed.
struct SecureTicket: Sendable {
  static let length = SecureMessage.ticketLength + keyLength
  static let keyLength = 32

  let name: [UInt8]
  let key: SecretBytes

  /// - Parameter bytes: `length` bytes.
  init(_ bytes: SecretBytes) {
    name = bytes.array(0..<SecureMessage.ticketLength)
    key = bytes.copy(SecureMessage.ticketLength..<Self.length)
  }

  /// The ticket that a resumption replaces this one by.
  func next(after outcome: NoiseNNpsk0.Outcome) -> SecureTicket {
    var material = key.array()
    for key in [outcome.initiatorKey, outcome.responderKey] { key.withUnsafeBytes { material += $0 } }
    defer { material.wipe() }
    let derived = HKDF<SHA512>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: material), salt: outcome.hash, info: Array("prov2 ratchet".utf8),
      outputByteCount: Self.length)
    return SecureTicket(derived.withUnsafeBytes { SecretBytes($0) })
  }

  static func prologue(information: [UInt8], ticket: [UInt8]) -> [UInt8] {
    CPace.lengthPrefixed(Array("prov2 resume".utf8), information, ticket)
  }
}
