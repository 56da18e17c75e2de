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
  checkValues(certificate, longest: input.count)
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

/// Checks the values, unless there are too many: each property has a value of its type, and together they are not much longer
/// than the certificate.
private func checkValues(_ certificate: SecCertificate, longest: Int) {
  guard let values = SecCertificateCopyValues(certificate, nil, nil) as? [String: [String: Any]] else { return }
  guard values[kSecOIDX509V1Version as String] != nil, values[kSecOIDX509V1SubjectName as String] != nil else {
    fatalError("a field is missing")
  }
  var (count, size) = (0, 0)
  for property in values.values { measure(property, &count, &size) }
  // Bytes that are spelled out take three characters each; what an extension says may be told in its summary, too.
  guard count <= 16_384, size <= 8 * longest + 64 * count else { fatalError("\(count) properties of \(size) bytes") }
}

private func measure(_ property: [String: Any], _ count: inout Int, _ size: inout Int) {
  count += 1
  switch (property["type"] as? String, property["value"]) {
  case ("section", let section as [[String: Any]]):
    for property in section { measure(property, &count, &size) }
  case ("string", let text as String): size += text.utf8.count
  case ("data", let data as Data): size += data.count
  case ("url", let url as URL): size += url.absoluteString.utf8.count
  case ("array", let texts as [String]): size += texts.reduce(0) { $0 + $1.utf8.count }
  case ("array", let datas as [Data]): size += datas.reduce(0) { $0 + $1.count }
  case ("date", _ as Date), ("number", _ as Double): size += 8
  default: fatalError("a property of no type: \(property)")
  }
}

/// This target uses no keychain; the item calls that it links refer to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
