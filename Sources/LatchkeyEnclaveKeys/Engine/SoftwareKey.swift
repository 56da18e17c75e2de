import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
import Synchronization

/// A loaded key of the software engine. The scalar is in swift-crypto's memory, which swift-crypto overwrites when it frees it.
final class SoftwareKey: LoadedKey {
  private let signing: P256.Signing.PrivateKey
  /// The same key for agreement, created at first use: most keys only sign.
  private let agreement = Mutex<P256.KeyAgreement.PrivateKey?>(nil)
  private let publicKey: [UInt8]
  private let control: AccessControl
  private let created: Int64

  init(signing: P256.Signing.PrivateKey, publicKey: [UInt8], control: AccessControl, created: Int64) {
    self.signing = signing
    self.publicKey = publicKey
    self.control = control
    self.created = created
  }

  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8] {
    [UInt8](try signature(digest).rawRepresentation)
  }

  private func signature(_ digest: [UInt8]) throws(StoreError) -> P256.Signing.ECDSASignature {
    guard let digest = PreparedDigest(digest) else {
      throw .invalidParameter("a digest of \(digest.count) bytes: give 1 to 64")
    }
    do {
      return try signing.signature(for: digest)
    } catch {
      throw .inputOutput("signing failed")
    }
  }

  func sharedSecret(with peer: [UInt8]) throws(StoreError) -> [UInt8] {
    // The length is checked first, since swift-crypto would accept other forms than the one of this call.
    guard peer.count == KeyRepresentation.publicKeySize, peer.first == 4,
      let point = try? P256.KeyAgreement.PublicKey(x963Representation: peer)
    else {
      throw .invalidParameter("the other's public key is no point of P-256 in X9.63 form (65 bytes, the first 04)")
    }
    guard let secret = try? agreementKey().sharedSecretFromKeyAgreement(with: point) else {
      throw .invalidParameter("there is no shared secret with this public key")
    }
    return secret.withUnsafeBytes { [UInt8]($0) }
  }

  private func agreementKey() throws -> P256.KeyAgreement.PrivateKey {
    if let known = agreement.withLock({ $0 }) { return known }
    var representation = signing.rawRepresentation
    var scalar = representation.movedOut()
    defer { scalar.wipe() }
    let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
    agreement.withLock { $0 = key }
    return key
  }

  /// The key's statement about itself (``SoftwareStatement``): the level is software, and it proves only that its signer could
  /// use the key.
  func attest(challenge: [UInt8]) throws(StoreError) -> [UInt8]? {
    let statement = SoftwareStatement(
      publicKey: publicKey, control: control, challengeDigest: Array(SHA256.hash(data: challenge)), created: created
    ).encoded
    let signature = try signature(Array(SHA256.hash(data: statement)))
    do {
      return try SignedSoftwareStatement(statement: statement, rawSignature: [UInt8](signature.rawRepresentation))
        .object.encoded
    } catch {
      throw .inputOutput("a statement could not be written: \(error)")
    }
  }
}
