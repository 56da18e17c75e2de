import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Authenticates representations of keys as a keychain's own, and distinguishes them from those of others.
struct RepresentationSeal: Sendable {
  let storeUUID: [UInt8]
  private let mac: PreparedMAC

  init(ring: KeyRing) {
    storeUUID = ring.storeUUID
    mac = PreparedMAC(ring.enclaveMark)
  }

  /// Encodes a representation with its MAC.
  func close(_ representation: KeyRepresentation) -> [UInt8] {
    let authenticated = representation.authenticated
    return authenticated + mac.code(authenticated)
  }

  /// Decodes and verifies the output of ``close(_:)``.
  ///
  /// - Throws: `.foreignKey` for another keychain's representation; `.damaged` for a malformed or altered one.
  func open(_ bytes: [UInt8]) throws(StoreError) -> KeyRepresentation {
    let representation: KeyRepresentation
    do {
      representation = try KeyRepresentation(encoded: bytes)
    } catch {
      throw .damaged("a key of the enclave does not read: \(error)")
    }
    guard representation.storeUUID == storeUUID else {
      throw .foreignKey("the key was made by another keychain's enclave, and only that one can use it")
    }
    let authenticated = Array(bytes.dropLast(KeyRepresentation.macSize))
    guard constantTimeEquals(mac.code(authenticated), representation.mac) else {
      throw .damaged("a key of the enclave is not as the keychain wrote it")
    }
    return representation
  }
}
