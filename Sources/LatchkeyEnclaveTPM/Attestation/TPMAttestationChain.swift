#if TPM
  import CLatchkeyTSS2
  import Foundation
  import LatchkeyByteCoding
  import LatchkeyEnclaveKeys
  package import LatchkeyKeychainModel

  /// The certificates of the attestation key, its own first, from a PEM file (RFC 7468).
  package struct TPMAttestationChain: Hashable, Sendable {
    /// The file's path.
    let path: String
    /// The certificates in DER.
    package let certificates: [[UInt8]]

    /// Reads the certificates of the file at `path`.
    ///
    /// - Throws: `.configuration` with a text that names `LATCHKEY_ATTESTATION_CHAIN`.
    package init(path: String) throws(StoreError) {
      guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.read(upToCount: 1 << 18) else {
        throw .configuration("LATCHKEY_ATTESTATION_CHAIN names \(path), which cannot be read")
      }
      try self.init(pem: String(decoding: data, as: UTF8.self), path: path)
    }

    /// Parses the certificates of a PEM text.
    package init(pem: String, path: String) throws(StoreError) {
      self.path = path
      var found: [[UInt8]] = []
      let (contents, isWhole) = PEMDocument.contents(of: "CERTIFICATE", in: pem)
      for content in contents {
        guard let content, !content.isEmpty else {
          throw .configuration("\(path) has a certificate that is not base64: LATCHKEY_ATTESTATION_CHAIN must name PEM")
        }
        found.append(content)
      }
      guard isWhole, (1...TPMStatement.maximumCertificates).contains(found.count) else {
        throw .configuration(
          "\(path) has \(found.count) whole certificates, and an attestation carries 1 to "
            + "\(TPMStatement.maximumCertificates): LATCHKEY_ATTESTATION_CHAIN must name a PEM file of the attestation key's "
            + "certificate and those above it")
      }
      certificates = found
    }

    /// Returns the certificates if the first one is of this key: it contains the key's SubjectPublicKeyInfo (RFC 5480 2).
    func certificates(for key: TPM2B_PUBLIC) throws(TPMFailure) -> [[UInt8]] {
      guard let point = key.point, let first = certificates.first,
        Data(first).range(of: Data(Self.publicKeyInfo(of: point))) != nil
      else {
        throw .store(
          .configuration(
            "the first certificate in \(path) is not of this TPM's attestation key: put in LATCHKEY_ATTESTATION_CHAIN the "
              + "chain of this TPM's, or nothing"))
      }
      return certificates
    }

    /// The SubjectPublicKeyInfo of a point on P-256.
    private static func publicKeyInfo(of point: [UInt8]) -> [UInt8] {
      var encoder = DEREncoder()
      encoder.subjectPublicKeyInfo(.ecPublicKey, key: point) { $0.identifier(.p256) }
      return encoder.bytes
    }
  }
#endif
