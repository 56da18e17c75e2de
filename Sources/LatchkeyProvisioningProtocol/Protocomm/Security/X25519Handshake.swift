import Crypto
package import LatchkeyByteCoding

/// Security 1's key: the shared secret of X25519, changed by the code's hash if there is a code.
///
/// The client's proof is a part of the key stream over the device's key: a device that does not know the code can find it out by
/// trying codes on what an app sends it.
enum X25519Handshake {
  static let keyLength = 32
  static let counterLength = 16

  static func privateKey(_ random: ProtocommRandom) throws(ProtocommSecurityError) -> Curve25519.KeyAgreement.PrivateKey
  {
    var bytes = random(keyLength)
    defer { bytes.wipe() }
    guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else { throw .refusedByLibrary }
    return key
  }

  static func stream(
    _ own: Curve25519.KeyAgreement.PrivateKey, _ peer: [UInt8], code: SecretBytes, counter: [UInt8]
  ) throws(ProtocommSecurityError) -> KeyStream {
    guard peer.count == keyLength, counter.count == counterLength else { throw .length }
    guard let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: peer),
      let shared = try? own.sharedSecretFromKeyAgreement(with: peer)
    else { throw .weakKey }
    var key = shared.withUnsafeBytes { [UInt8]($0) }
    defer { key.wipe() }
    guard !constantTimeIsZero(key) else { throw .weakKey }
    if code.count > 0 {
      var hash = SHA256()
      code.withUnsafeBytes { hash.update(bufferPointer: $0) }
      for (index, byte) in hash.finalize().enumerated() { key[index] ^= byte }
    }
    return KeyStream(key: SymmetricKey(data: key), counter: counter)
  }
}

/// The device's end of Security 1's handshake.
package struct X25519Device: Sendable {
  /// The answer to the app's key.
  package let response: SessionMessage
  private let clientKey: [UInt8]
  private let deviceKey: [UInt8]
  private var stream: KeyStream

  /// - Parameter code: Empty if the device has none.
  package init(
    clientKey: [UInt8], code: SecretBytes, random: ProtocommRandom
  ) throws(ProtocommSecurityError) {
    let key = try X25519Handshake.privateKey(random)
    let counter = random(X25519Handshake.counterLength)
    stream = try X25519Handshake.stream(key, clientKey, code: code, counter: counter)
    self.clientKey = clientKey
    deviceKey = Array(key.publicKey.rawRepresentation)
    response = .x25519Response0(.success, deviceKey: deviceKey, random: counter)
  }

  /// Compares the app's proof, and gives the answer to it and the session's cipher.
  package consuming func finish(
    _ verify: [UInt8]
  ) throws(ProtocommSecurityError) -> (response: SessionMessage, cipher: ProtocommCipher) {
    guard verify.count == X25519Handshake.keyLength else { throw .length }
    guard constantTimeEquals(try stream.apply(verify), deviceKey) else { throw .wrongProof }
    let own = try stream.apply(clientKey)
    return (.x25519Response1(.success, verify: own), .stream(stream))
  }
}

/// The app's end of Security 1's handshake.
package struct X25519App: Sendable {
  private let code: SecretBytes
  private let key: Curve25519.KeyAgreement.PrivateKey
  private var stream: KeyStream?

  /// - Parameter code: Empty if the device has none.
  package init(code: SecretBytes, random: ProtocommRandom) throws(ProtocommSecurityError) {
    self.code = code
    key = try X25519Handshake.privateKey(random)
  }

  /// The first message.
  package var command: SessionMessage { .x25519Command0(clientKey: Array(key.publicKey.rawRepresentation)) }

  /// The message that proves the code, in answer to the device's key.
  package mutating func answer(_ message: SessionMessage) throws(ProtocommSecurityError) -> SessionMessage {
    guard case .x25519Response0(let status, let deviceKey, let counter) = message, stream == nil else {
      throw .outOfPlace
    }
    guard status == .success else { throw .refused(status) }
    // A device that returns our own key would have its proof from ours.
    guard deviceKey != Array(key.publicKey.rawRepresentation) else { throw .weakKey }
    var stream = try X25519Handshake.stream(key, deviceKey, code: code, counter: counter)
    let verify = try stream.apply(deviceKey)
    self.stream = stream
    return .x25519Command1(verify: verify)
  }

  /// Compares the device's proof, and gives the session's cipher.
  package mutating func finish(_ message: SessionMessage) throws(ProtocommSecurityError) -> ProtocommCipher {
    guard case .x25519Response1(let status, let verify) = message, var stream else { throw .outOfPlace }
    self.stream = nil
    guard status == .success else { throw .refused(status) }
    guard verify.count == X25519Handshake.keyLength else { throw .length }
    guard constantTimeEquals(try stream.apply(verify), Array(key.publicKey.rawRepresentation)) else {
      throw .wrongProof
    }
    return .stream(stream)
  }
}
