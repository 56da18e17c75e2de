import SwiftASN1
import X509

/// The trusted signers of statements: roots of certificate chains and pinned attestation keys for TPMs, and roots for Apple's devices.
/// The former vouch for no Apple device, and the latter for no TPM.
public struct AttestationTrust: Sendable {
  let roots: [Certificate]
  let pinnedKeys: [PinnedKey]
  let appleRoots: [Certificate]

  /// Trusts nothing: enough for statements of keys in software, which prove nothing.
  public static let nothing = AttestationTrust(checked: [], [], apple: [])

  /// Creates the trust from roots and pinned keys.
  ///
  /// - Parameters:
  ///   - roots: certificates in DER, each an authority's by its basic constraints.
  ///   - pinnedKeys: public attestation keys, each a SubjectPublicKeyInfo in DER, at most 64, since a verification may try
  ///     each. For a fleet, look up the device's key and create a verifier with it alone.
  ///   - appleRoots: certificates in DER that vouch for Apple's devices, ``appleEnterpriseRoot`` mostly.
  /// - Throws: `.badTrust`.
  public init(
    roots: [[UInt8]] = [], pinnedKeys: [[UInt8]] = [], appleRoots: [[UInt8]] = []
  ) throws(AttestationError) {
    var certificates: [Certificate] = []
    for root in roots { certificates.append(try Self.root(root, for: .attestationKeys)) }
    var apple: [Certificate] = []
    for root in appleRoots { apple.append(try Self.root(root, for: .anything)) }
    var keys: [PinnedKey] = []
    for key in pinnedKeys { keys.append(try PinnedKey(key)) }
    guard keys.count <= Self.maximumPinnedKeys else {
      throw .badTrust("more than \(Self.maximumPinnedKeys) pinned keys")
    }
    self.init(checked: certificates, keys, apple: apple)
  }

  /// Creates the trust from PEM: `CERTIFICATE` is a root, `PUBLIC KEY` a pinned key, any other block an error.
  ///
  /// - Throws: `.badTrust`.
  public init(pem: String) throws(AttestationError) {
    guard let documents = try? PEMDocument.parseMultiple(pemString: pem) else { throw .badTrust("it is no PEM") }
    var roots: [[UInt8]] = []
    var keys: [[UInt8]] = []
    for document in documents {
      switch document.discriminator {
      case "CERTIFICATE": roots.append(document.derBytes)
      case "PUBLIC KEY": keys.append(document.derBytes)
      default: throw .badTrust("a PEM block that is neither CERTIFICATE nor PUBLIC KEY")
      }
    }
    try self.init(roots: roots, pinnedKeys: keys)
  }

  private init(checked roots: [Certificate], _ pinnedKeys: [PinnedKey], apple: [Certificate]) {
    self.roots = roots
    self.pinnedKeys = pinnedKeys
    appleRoots = apple
  }

  var isEmpty: Bool { trustsNoTPM && appleRoots.isEmpty }
  var trustsNoTPM: Bool { roots.isEmpty && pinnedKeys.isEmpty }

  private static let maximumPinnedKeys = 64

  private static func root(
    _ encoded: [UInt8], for purpose: CertificateChain.Purpose
  ) throws(AttestationError) -> Certificate {
    guard let certificate = try? Certificate(derEncoded: encoded) else { throw .badTrust("no certificate") }
    do throws(CertificateFault) {
      try CertificateChain.checkAuthority(certificate, below: 0, for: purpose)
    } catch {
      throw .badTrust(error.description)
    }
    return certificate
  }
}

/// A public key of an attestation key, parsed once.
struct PinnedKey: Sendable {
  let encoded: [UInt8]
  let key: Certificate.PublicKey

  init(_ encoded: [UInt8]) throws(AttestationError) {
    guard let key = try? Certificate.PublicKey(derEncoded: encoded), CertificateChain.isStrong(key) else {
      throw .badTrust("no public key on P-256 or of RSA with 2048 bits or more")
    }
    self.encoded = encoded
    self.key = key
  }
}
