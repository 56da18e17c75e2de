// modules: LatchkeyByteCoding LatchkeyKeychainModel LatchkeyEnclaveKeys
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Reads the input as a certification, a public area and a signature of a TPM: whole or refused, and within the lengths that
/// the specification allows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTPMStructures(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let bytes = Array(input.dropFirst())
  switch choice % 3 {
  case 0: checkAttest(bytes)
  case 1: checkPublic(bytes)
  default: checkSignature(bytes)
  }
  return 0
}

private func checkAttest(_ bytes: [UInt8]) {
  guard let attest = try? TPMAttest(encoded: bytes) else { return }
  let names = [attest.qualifiedSigner, attest.name, attest.qualifiedName]
  guard names.allSatisfy({ $0.count <= TPMAttest.maximumName }), attest.extraData.count <= 66 else {
    fatalError("longer than the specification allows")
  }
  guard attest.type == TPMAttest.typeCertify else { return }
  let variable = names.reduce(attest.extraData.count) { $0 + $1.count }
  // Four lengths, and the fields of a fixed size.
  guard bytes.count == variable + 8 + 31 else { fatalError("bytes that belong to no field") }
}

private func checkPublic(_ bytes: [UInt8]) {
  guard let area = try? TPMPublic(encoded: bytes) else { return }
  guard area.authPolicy.count <= 64 else { fatalError("longer than the specification allows") }
  if let point = area.x963, point.count != 65 || point.first != 4 { fatalError("not a point") }
  guard let name = TPMPublic.name(of: bytes) else { return }
  guard name.count == [0x0B: 34, 0x0C: 50, 0x0D: 66][area.nameAlgorithm.rawValue] else {
    fatalError("a name of another hash function")
  }
}

private func checkSignature(_ bytes: [UInt8]) {
  guard let signature = try? TPMSignature(encoded: bytes) else { return }
  guard signature.encoded == bytes else { fatalError("encodes to other bytes") }
  if let raw = signature.p256, raw.count != 64 { fatalError("r and s of other lengths") }
}

/// The store defines this function; this target links no store and never calls it.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
