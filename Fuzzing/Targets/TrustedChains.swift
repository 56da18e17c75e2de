// modules: LatchkeyCertificateAuthority LatchkeyCertificateTrust Security LatchkeyKeychainModel
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCertificateTrust
import LatchkeyKeychainModel

/// Reads the input as a signing request, and as certificates one after the other, the leaf first. With a root whose
/// key the input cannot have, the certificate that the root's issuer signed is trusted alone. With the last certificate as the root, the
/// evaluation ends. No chain is longer than the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTrustedChains(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let key = try? CertificateAuthority.publicKey(ofRequest: input), key.count != 65 {
    fatalError("the key has another length")
  }
  guard let evaluator = TrustEvaluatorRegistry.evaluator else { fatalError("no evaluator is linked") }
  let certificates = split(input)
  guard let last = certificates.last else { return 0 }
  for purposes in [
    [TrustQuestion.Purpose.basic], [.server(host: "server.example.com")], [.client, .server(host: "10.1.2.3")],
  ] {
    let question = TrustQuestion(
      certificates: certificates, anchors: [root], includesSystemAnchors: false, time: time, purposes: purposes)
    if case .trusted(let chain) = evaluator.evaluate(question) {
      guard chain.allSatisfy({ genuine.contains(hex(of: $0)) }), chain.first == certificates.first, chain.last == root
      else {
        fatalError("trusted without the root's signature")
      }
    }
    var own = question
    own.anchors = [last]
    switch evaluator.evaluate(own) {
    case .trusted(let chain):
      guard chain.last == last, chain.allSatisfy(certificates.contains) else {
        fatalError("the chain does not end at the root")
      }
    case .refused(_, let chain, let detail, _):
      guard chain.count <= certificates.count, detail.utf8.count < 1024 else {
        fatalError("the chain or the detail is too long")
      }
    }
  }
  return 0
}

/// The elements of DER, one after the other; sixteen are enough. The last one is the rest of the input.
private func split(_ input: [UInt8]) -> [[UInt8]] {
  var (rest, found) = (input[...], [[UInt8]]())
  while rest.count >= 2, found.count < 16 {
    let bytes = Array(rest.prefix(4))
    var size = 2 + Int(bytes[1])
    if bytes[1] == 0x81, bytes.count > 2 { size = 3 + Int(bytes[2]) }
    if bytes[1] == 0x82, bytes.count > 3 { size = 4 + Int(bytes[2]) << 8 + Int(bytes[3]) }
    found.append(Array(rest.prefix(size)))
    rest = rest.dropFirst(size)
  }
  return found
}

private func hex(of bytes: [UInt8]) -> String {
  SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A second of which all of them are: 2027.
private let time: Int64 = 1_800_000_000

/// SHA-256 of the root, an issuer that it signed, and a server's certificate of that issuer. Their keys are gone.
private let genuine: Set<String> = [
  "90ee6c6e4b62c238b855c457e13f1f8f474e6a14f87f983ec98a874676006e7a",
  "01163d2427da7205f50e09eea5e3ebf080524bafbe187a051e6c542a82ef5c4e",
  "dd8bc10dbd614ff0934271b9d28cf01fc16dbc07b8979a033d14c4767dee3f1b",
]

private let root = [UInt8](
  Data(
    base64Encoded:
      "MIIBlDCCATqgAwIBAgIUSpBrSf5xv+3XNY08NoWBrdhjzBEwCgYIKoZIzj0EAwIwJzERMA8GA1UECgwITGF0Y2hrZXkxEjAQBgNVBAMM"
      + "CUZ1enogcm9vdDAgFw0yNjExMjIwNTAwMTBaGA8yMTI2MTAyOTA1MDAxMFowJzERMA8GA1UECgwITGF0Y2hrZXkxEjAQBgNVBAMMCUZ1"
      + "enogcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJl43887INGNtanUiRfnpj59K4toLclQdVtzllk5LVpgJlEvkwwuPOv1rHn/"
      + "Kh2ktYylnveKKkX8q7yy3Wta366jQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBQiLqcUjN4gEAYp"
      + "qR2A98oXnPl2XzAKBggqhkjOPQQDAgNIADBFAiEA9pwns2RJKs+wMh2yCyfpm971O9rvCsiTkpvrW/BMHY4CIE7lxPJLY+EGQg8BOhkk"
      + "wP7lgv5DsU2idrBNKtdlkTYH")
    ?? Data())

/// This target uses no keychain; the access control of keys refers to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
