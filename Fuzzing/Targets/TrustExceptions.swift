// modules: Security LatchkeyKeychainModel
import Foundation
import LatchkeyKeychainModel
import Security

/// Sets the input as exceptions of a trust. Exceptions that are accepted have the exact length of their records, and name no fault
/// that must not be accepted.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTrustExceptions(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The certificate's digest stands in front, so that the rest is reached.
  let input = prefix + Data(UnsafeBufferPointer(start: start, count: count))
  var trust: SecTrust?
  guard SecTrustCreateWithCertificates(certificate, nil, &trust) == errSecSuccess, let trust else {
    fatalError("no trust")
  }
  guard SecTrustSetExceptions(trust, input as CFData) else {
    guard count > 0 else { fatalError("exceptions without a fault are some") }
    return 0
  }
  guard count % 33 == 0, input.count <= 37 + 65 * 33 else { fatalError("too many, or more than they are") }
  TrustEvaluatorRegistry.$replacement.withValue(.evaluator(Strict())) {
    if SecTrustEvaluateWithError(trust, nil) { fatalError("an unreadable certificate is accepted") }
  }
  return 0
}

/// Finds what may never be accepted.
private struct Strict: TrustEvaluator {
  var systemAnchors: [[UInt8]] { [] }

  func evaluate(_ question: TrustQuestion) -> TrustVerdict {
    for excuse in question.excuses where [.weakKey, .weakSignature, .invalid, .tooMuch].contains(excuse.refusal) {
      fatalError("\(excuse.refusal) is accepted")
    }
    return .refused(.invalid, chain: question.certificates, detail: "", of: question.certificates.first)
  }
}

/// A certificate without a meaning, and the beginning of its exceptions.
private let certificate: SecCertificate = {
  guard let data = Data(base64Encoded: encoded), let certificate = SecCertificateCreateWithData(nil, data as CFData)
  else {
    fatalError("no certificate")
  }
  return certificate
}()

private let prefix: Data = {
  var trust: SecTrust?
  SecTrustCreateWithCertificates(certificate, nil, &trust)
  struct Lenient: TrustEvaluator {
    var systemAnchors: [[UInt8]] { [] }
    func evaluate(_ question: TrustQuestion) -> TrustVerdict { .trusted(chain: question.certificates) }
  }
  let exceptions = TrustEvaluatorRegistry.$replacement.withValue(.evaluator(Lenient())) {
    trust.flatMap { SecTrustCopyExceptions($0) }
  }
  guard let exceptions else { fatalError("no exceptions") }
  return exceptions as Data
}()

private let encoded =
  "MIIBRTCB7QICCAAwCgYIKoZIzj0EAwIwSDELMAkGA1UEBhMCZGUxHzAdBgNVBAoTFiAgTWl4ZWQgICBDYXNlICBXb3JrcyAxGDAWBgNV"
  + "BAMTD3ByaW50YWJsZSAgbmFtZTAeFw0yNjExMjExOTUwMjhaFw0zNjExMTgxOTUwMjhaMBYxFDASBgNVBAMMC1ZlcnNpb24gT25lMFkw"
  + "EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHyxiV0UVZaluCoIlt+EoxhNU8r/22m8/T/r3ANQmz6/KH0CSQx3syh/2zAOAy3so79wr541x"
  + "S9WBBfTiT6qcpTAKBggqhkjOPQQDAgNHADBEAiAjfw0HVq9HQDXDK/ClitRmryDJa85NPduxeKHSi5Ft9AIgTDLJAcQck5YQdctrIpEA"
  + "TiVZG2YWjN3lIfwL5I1BM9w="

/// This target uses no keychain; the item calls that it links refer to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
