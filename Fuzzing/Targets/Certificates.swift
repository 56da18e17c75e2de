// modules: Security LatchkeyKeychainModel
import Foundation
import LatchkeyKeychainModel
import Security

/// Reads the input as a certificate, and calls every function that returns a part of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCertificates(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Data(UnsafeBufferPointer(start: start, count: count))
  guard let certificate = SecCertificateCreateWithData(nil, input as CFData) else { return 0 }
  guard SecCertificateCopyData(certificate) as Data == input else { fatalError("the data differs from the input") }
  checkNames(certificate, longest: input.count)
  checkAttributes(certificate, longest: input.count)
  guard SecCertificateCreateWithData(nil, input as CFData) == certificate else {
    fatalError("a certificate differs from itself")
  }
  return 0
}

private func checkNames(_ certificate: SecCertificate, longest: Int) {
  // Each byte becomes three characters at most, when it is spelled out; four separators and brackets beside it.
  let bound = 5 * longest
  if let summary = SecCertificateCopySubjectSummary(certificate), (summary as String).utf8.count > bound {
    fatalError("a summary longer than its certificate")
  }
  var name: CFString?
  let status = SecCertificateCopyCommonName(certificate, &name)
  guard (status == errSecSuccess) == (name != nil) else { fatalError("a name without success, or the reverse") }
  var addresses: CFArray?
  guard SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess, addresses != nil else {
    fatalError("the list of addresses is missing")
  }
}

/// A certificate's attributes as an item are derived from its bytes, and its normalized names read the same.
private func checkAttributes(_ certificate: SecCertificate, longest: Int) {
  let attributes = certificate.itemAttributes
  for attribute in [.issuer, .serialNumber, .subject] as [ItemAttribute] {
    guard case .bytes(let bytes)? = attributes[attribute], bytes.count <= longest else { fatalError("\(attribute)") }
  }
  guard case .number(1...3)? = attributes[.certificateType], attributes[.certificateEncoding] == .number(3),
    case .bytes(let hash)? = attributes[.publicKeyHash], hash.count == 20
  else { fatalError("wrong numeric attributes") }
  for sequence in [
    SecCertificateCopyNormalizedIssuerSequence(certificate), SecCertificateCopyNormalizedSubjectSequence(certificate),
  ] {
    guard let sequence, sequence.length <= longest else { fatalError("a name longer than its certificate") }
  }
  guard SecCertificateCopyNotValidBeforeDate(certificate) != nil,
    SecCertificateCopyNotValidAfterDate(certificate) != nil
  else { fatalError("the dates are missing") }
}

/// This target uses no keychain; the item calls that it links refer to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
