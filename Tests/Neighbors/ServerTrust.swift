// beside Latchkey: compiles
// As in HTTP clients: pinning where there is a framework Security, the system's own validation where there is none.
import Foundation

protocol TrustValidator {
  func accepts(_ chain: [Data], host: String) -> Bool
}

#if canImport(Security)
  import Security

  /// Accepts a server whose chain leads to one of these certificates, and whose key is one of these.
  struct PinnedTrustValidator: TrustValidator {
    let anchors: [Data]
    let keys: Set<Data>

    init(anchors: [Data], keys: Set<Data> = []) {
      self.anchors = anchors
      self.keys = keys
    }

    func accepts(_ chain: [Data], host: String) -> Bool {
      let certificates = chain.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
      let policy = SecPolicyCreateSSL(true, host as CFString)
      var trust: SecTrust?
      guard certificates.count == chain.count,
        SecTrustCreateWithCertificates(certificates as CFArray, policy, &trust) == errSecSuccess, let trust
      else { return false }
      let roots = anchors.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
      guard SecTrustSetAnchorCertificates(trust, roots as CFArray) == errSecSuccess,
        SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
      else { return false }
      var error: CFError?
      guard SecTrustEvaluateWithError(trust, &error) else { return false }
      guard !keys.isEmpty else { return true }
      guard let key = SecTrustCopyKey(trust), let bytes = SecKeyCopyExternalRepresentation(key, nil) else {
        return false
      }
      return keys.contains(bytes as Data)
    }
  }
#else
  struct PinnedTrustValidator: TrustValidator {
    init(anchors: [Data], keys: Set<Data> = []) {}
    func accepts(_ chain: [Data], host: String) -> Bool { false }
  }
#endif
