// modules: LatchkeyCertificateAuthority Security LatchkeyKeychainModel
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyKeychainModel

/// Decodes the input as an OCSP request. What is accepted is within the limits, and a response to it can be signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOCSPRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let request = try? OCSPRequest(der: input) else { return 0 }
  guard input.count <= OCSPRequest.longest, (1...OCSPRequest.most).contains(request.certificates.count),
    request.nonce.map({ (1...128).contains($0.count) }) ?? true
  else { fatalError("a request beyond the limits") }
  let now = Date(timeIntervalSince1970: 1_795_312_800)
  do {
    let response = try responder.response(
      to: request, request.certificates.map { _ in .good }, producedAt: now, thisUpdate: now,
      nextUpdate: now.addingTimeInterval(60))
    guard response.der.count > 64 else { fatalError("no response") }
  } catch { fatalError("a request that was accepted cannot be answered: \(error)") }
  return 0
}

private let responder: OCSPResponder = {
  do {
    return OCSPResponder(
      try CertificateAuthority(
        name: "fuzz", key: FileAuthorityKey(), now: Date(timeIntervalSince1970: 1_795_312_800),
        serial: [0x5A] + [UInt8](repeating: 1, count: 15)))
  } catch { fatalError("\(error)") }
}()

/// This target uses no keychain; the certificates that it links refer to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
