// modules: LatchkeyByteCoding LatchkeyEnrollmentProtocol
import LatchkeyByteCoding
import LatchkeyEnrollmentProtocol

/// Reads the input as a signed request of ACME, and as a payload. An account that is read has one URL; no request verifies, since the
/// input knows no private key whose signature is canonical by chance.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzACMERequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let request = try? JSONWebSignature(input) {
    guard input.count <= JSONWebSignature.longest, Base64URL.decode(request.nonce) != nil else {
      fatalError("a request beyond the limits")
    }
    if case .key(let key) = request.signer {
      check(key)
      _ = request.isSigned(by: key)
    }
    checkPayload(request.payload)
  }
  checkPayload(input)
  if let key = ACMEAccountKey(accountID: String(decoding: input, as: UTF8.self)) {
    check(key)
    guard Array(key.accountID.utf8) == input else { fatalError("the account has two URLs") }
  }
  if let key = ACMEAccountKey(point: input) { check(key) }
  return 0
}

private func check(_ key: ACMEAccountKey) {
  guard key.point.count == 65, ACMEAccountKey(accountID: key.accountID) == key else {
    fatalError("the account reads differently")
  }
  let authorization = key.authorization(ofToken: "AAAA").split(separator: ".")
  guard authorization.count == 2, Base64URL.decode(String(authorization[1])) == key.thumbprint else {
    fatalError("the authorization is not the token's and the key's")
  }
}

private func checkPayload(_ bytes: [UInt8]) {
  guard let payload = try? ACMEPayload(bytes) else { return }
  guard (try? StrictJSON.validate(bytes, within: StrictJSON.Limits(size: 1 << 16, depth: 8, members: 64))) != nil else {
    fatalError("a payload that is no JSON")
  }
  _ = try? payload.identifiers
  for name in ["attObj", "csr", "certificate"] {
    if let read = try? payload.bytes(name) {
      guard (try? payload.text(name)) == Base64URL.encode(read) else { fatalError("the text reads differently") }
    }
  }
  if let number = try? payload.number("reason") { guard (0...255).contains(number) else { fatalError("out of range") } }
  _ = try? payload.flag("onlyReturnExisting")
}
