#if TPM
  import CLatchkeyTSS2
  import Crypto
  import LatchkeyKeychainModel

  /// The templates of objects. They must never change: a primary key is a function of its hierarchy's seed and its template.
  enum TPMTemplate {
    /// The storage primary: P-256, restricted to decrypt, AES-128-CFB for its children; the same as `tpm2_createprimary -C o -G
    /// ecc` creates (TCG TPM v2.0 Provisioning Guidance 7.5.1).
    static var storagePrimary: TPM2B_PUBLIC {
      primary(attributes: TPM2.Object.userWithAuth | TPM2.Object.noDA | TPM2.Object.decrypt)
    }

    /// The attestation key: P-256, restricted to sign the TPM's own structures, with ECDSA and SHA-256.
    static var attestationKey: TPM2B_PUBLIC {
      var template = primary(attributes: TPM2.Object.userWithAuth | TPM2.Object.noDA | TPM2.Object.sign)
      template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2.Algorithm.null
      template.publicArea.parameters.eccDetail.scheme.scheme = TPM2.Algorithm.ecdsa
      template.publicArea.parameters.eccDetail.scheme.details.ecdsa.hashAlg = TPM2.Algorithm.sha256
      _ = TPMBuffer.fill(&template.publicArea.unique.ecc.x, with: Array("Latchkey attestation key 1".utf8))
      return template
    }

    /// The endorsement key: template L-2 of the TCG EK Credential Profile 2.3, B.3.4, for which manufacturers issue
    /// certificates.
    static var endorsementKey: TPM2B_PUBLIC {
      var template = primary(attributes: TPM2.Object.adminWithPolicy | TPM2.Object.decrypt)
      _ = TPMBuffer.fill(&template.publicArea.authPolicy, with: endorsementPolicy)
      _ = TPMBuffer.fill(&template.publicArea.unique.ecc.x, with: Array(repeating: 0, count: 32))
      _ = TPMBuffer.fill(&template.publicArea.unique.ecc.y, with: Array(repeating: 0, count: 32))
      return template
    }

    /// A key that signs and agrees (scheme NULL: each command names its own). For a constrained key the TPM requires the
    /// authorization value under a policy, and counts wrong ones.
    static func key(isConstrained: Bool) -> TPM2B_PUBLIC {
      var template = ecc(
        attributes: TPM2.Object.fixedTPM | TPM2.Object.fixedParent | TPM2.Object.sensitiveDataOrigin | TPM2.Object.sign
          | TPM2.Object.decrypt | (isConstrained ? 0 : TPM2.Object.userWithAuth | TPM2.Object.noDA))
      if isConstrained { _ = TPMBuffer.fill(&template.publicArea.authPolicy, with: authorizationPolicy) }
      return template
    }

    /// A sealed secret.
    static func sealed(attributes: UInt32, policy: [UInt8]) -> TPM2B_PUBLIC {
      var template = TPM2B_PUBLIC()
      template.publicArea.type = TPM2.Algorithm.keyedHash
      template.publicArea.nameAlg = TPM2.Algorithm.sha256
      template.publicArea.objectAttributes = TPM2.Object.fixedTPM | TPM2.Object.fixedParent | attributes
      template.publicArea.parameters.keyedHashDetail.scheme.scheme = TPM2.Algorithm.null
      _ = TPMBuffer.fill(&template.publicArea.authPolicy, with: policy)
      return template
    }

    /// The policy that requires only the authorization value: SHA-256 of 32 zeros and TPM_CC_PolicyAuthValue (Part 3, 23.17).
    static let authorizationPolicy = extended([], by: [0x00, 0x00, 0x01, 0x6B])

    /// TPM2_PolicySecret of the endorsement hierarchy, as in TCG's templates of endorsement keys.
    private static let endorsementPolicy = Array(
      SHA256.hash(data: extended([], by: [0x00, 0x00, 0x01, 0x51, 0x40, 0x00, 0x00, 0x0B])))

    /// Extends a policy's digest by one assertion: the command's code and its arguments (Part 1, 19.7.2).
    static func extended(_ digest: [UInt8], by assertion: [UInt8]) -> [UInt8] {
      Array(SHA256.hash(data: (digest.isEmpty ? Array(repeating: 0, count: 32) : digest) + assertion))
    }

    private static func primary(attributes: UInt32) -> TPM2B_PUBLIC {
      var template = ecc(
        attributes: TPM2.Object.fixedTPM | TPM2.Object.fixedParent | TPM2.Object.sensitiveDataOrigin
          | TPM2.Object.restricted | attributes)
      template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2.Algorithm.aes
      template.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
      template.publicArea.parameters.eccDetail.symmetric.mode.aes = TPM2.Algorithm.cfb
      return template
    }

    private static func ecc(attributes: UInt32) -> TPM2B_PUBLIC {
      var template = TPM2B_PUBLIC()
      template.publicArea.type = TPM2.Algorithm.ecc
      template.publicArea.nameAlg = TPM2.Algorithm.sha256
      template.publicArea.objectAttributes = attributes
      template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2.Algorithm.null
      template.publicArea.parameters.eccDetail.scheme.scheme = TPM2.Algorithm.null
      template.publicArea.parameters.eccDetail.curveID = TPM2.curveP256
      template.publicArea.parameters.eccDetail.kdf.scheme = TPM2.Algorithm.null
      return template
    }
  }
#endif
