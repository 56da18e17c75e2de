// modules: LatchkeyCertificateAuthority Security LatchkeyKeychainModel
import LatchkeyCertificateAuthority
import LatchkeyKeychainModel

/// Decodes the input as the signing request of an EST or other client. What is accepted has a key on P-256 and is within the limit,
/// and looking for its names is safe; one that is nobody's certificate's request is none. Each requested name has one spelling.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSigningRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  // Names are looked for in accepted requests alone; these must not rely on it.
  _ = CertificateAuthority.commonName(ofRequest: input)
  guard !CertificateAuthority.isRequest(input, forClient: "00", user: "nobody") else {
    fatalError("a request for a device that is not")
  }
  guard let key = try? CertificateAuthority.publicKey(ofRequest: input) else { return 0 }
  guard key.count == 65, key[0] == 4, input.count <= CertificateAuthority.longestRequest else {
    fatalError("a request beyond the limits")
  }
  guard let names = try? CertificateAuthority.alternativeNames(ofRequest: input) else { return 0 }
  guard names.count <= CertificateAuthority.mostRequestedNames, Set(names.map(\.description)).count == names.count,
    names.allSatisfy({ (try? AlternativeName($0.description)) == $0 })
  else { fatalError("names that certificates do not get, or that read differently") }
  return 0
}

/// This target uses no keychain; the certificates that it links refer to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
