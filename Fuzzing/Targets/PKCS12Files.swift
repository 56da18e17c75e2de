// modules: LatchkeyPKCS12
// seeds: Tests/LatchkeyPKCS12Tests/Fixtures/pyca Tests/LatchkeyPKCS12Tests/Fixtures/pkits Tests/LatchkeyPKCS12Tests/Fixtures/rfc9579
import LatchkeyPKCS12

/// Reads the input as a file under the passwords that the corpus and the vectors of others have, with a MAC and without. What
/// is read must be the same once it is written and read again, in every profile.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPKCS12Files(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
  var limits = PKCS12Limits()
  // Few rounds: they cost time, and the code behind them is the same.
  limits.iterations = 2048
  limits.memory = 1 << 20
  for password in ["ü", nil, "password", "cryptography", "1234"] {
    guard
      let file = try? PKCS12File(reading: input, password: password, limits: limits, allowsMissingMAC: true)
    else { continue }
    check(file, longest: count)
  }
  return 0
}

private func check(_ file: PKCS12File, longest: Int) {
  guard file.keys.count + file.certificates.count <= PKCS12Limits().bags,
    file.keys.allSatisfy({ $0.pkcs8.count <= longest }), file.certificates.allSatisfy({ $0.der.count <= longest })
  else { fatalError("more than the file had") }
  let identities = file.identities
  guard identities.count <= file.keys.count, identities.allSatisfy({ $0.chain.count < file.certificates.count })
  else { fatalError("more identities than keys, or a chain that goes round") }
  guard !file.keys.isEmpty || !file.certificates.isEmpty else { return }
  for algorithms in [PKCS12Profile.Algorithms.modern, .pbmac1, .compatible] {
    let profile = PKCS12Profile(algorithms: algorithms, iterations: 1)
    guard let bytes = try? file.encoded(password: "x", profile: profile, random: { [UInt8](repeating: 7, count: $0) })
    else { fatalError("a file that was read cannot be written") }
    // The file may have been all but too long before.
    var limits = PKCS12Limits()
    limits.fileSize = 2 * bytes.count
    limits.iterations = 1 << 20
    guard let again = try? PKCS12File(reading: bytes, password: "x", limits: limits),
      again.keys.map(\.pkcs8) == file.keys.map(\.pkcs8), again.certificates.map(\.der) == file.certificates.map(\.der),
      again.certificates.map(\.friendlyName) == file.certificates.map(\.friendlyName),
      again.identities.count == identities.count
    else { fatalError("a written file is refused") }
  }
}
