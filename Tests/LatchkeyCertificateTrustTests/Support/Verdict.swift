import Foundation
import Security

/// The result of an evaluation: the status and the chain.
struct Verdict {
  let status: OSStatus
  let text: String
  let chain: [SecCertificate]

  /// Verifies a leaf with these others, by these anchors alone.
  init(
    _ leaf: TestCertificate, _ others: [TestCertificate] = [], anchors: [TestCertificate],
    policies: [SecPolicy] = [SecPolicyCreateBasicX509()], at date: Date = TestCertificate.now
  ) {
    self.init(([leaf] + others).map(\.object), anchors: anchors.map(\.object), policies: policies, at: date)
  }

  init(
    _ certificates: [SecCertificate], anchors: [SecCertificate], policies: [SecPolicy] = [SecPolicyCreateBasicX509()],
    at date: Date = TestCertificate.now
  ) {
    var trust: SecTrust?
    var status = SecTrustCreateWithCertificates(certificates as NSArray, policies as NSArray, &trust)
    guard let trust, status == errSecSuccess else {
      self.status = status
      text = ""
      chain = []
      return
    }
    SecTrustSetAnchorCertificates(trust, anchors as NSArray)
    SecTrustSetVerifyDate(trust, date as NSDate)
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    status = error.map { OSStatus($0.code) } ?? errSecSuccess
    self.status = isTrusted == (error == nil) ? status : errSecInternalError
    text = error?.localizedDescription ?? ""
    chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
  }
}

/// The policy of a TLS server.
func server(_ host: String? = nil) -> SecPolicy { SecPolicyCreateSSL(true, host.map { $0 as NSString }) }

/// The policy of a TLS client.
let client = SecPolicyCreateSSL(false, nil)
