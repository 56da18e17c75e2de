// modules: LatchkeyByteCoding LatchkeyKeychainModel LatchkeyEnclaveKeys
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Reads the input as CBOR and as an attestation object with one of our statements: what is taken encodes to the same bytes
/// again, and nothing grows beyond the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAttestationStatements(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let value = try? CBORValue(encoded: input) {
    guard value.encoded == input else { fatalError("encodes to other bytes") }
    guard weight(value) <= input.count else { fatalError("larger than the input") }
  }
  // Without its signature a statement is one already.
  if let statement = try? SoftwareStatement(encoded: input) {
    guard statement.encoded == input else { fatalError("another statement comes back") }
  }
  guard let object = try? AttestationObject(encoded: input) else { return 0 }
  if let statement = try? TPMStatement(object.statement) {
    guard statement.object.statement == object.statement else { fatalError("another statement comes back") }
    _ = try? TPMAttest(encoded: statement.certifyInfo)
    _ = try? TPMPublic(encoded: statement.publicArea)
    _ = try? TPMSignature(encoded: statement.signature)
  }
  if let signed = try? SignedSoftwareStatement(object.statement) {
    guard signed.object.statement == object.statement else { fatalError("another statement comes back") }
    guard let statement = try? SoftwareStatement(encoded: signed.statement) else { return 0 }
    guard statement.encoded == signed.statement, statement.control.flags.isConsistent else {
      fatalError("another statement comes back")
    }
  }
  return 0
}

/// The bytes that a value takes at least.
private func weight(_ value: CBORValue) -> Int {
  switch value {
  case .bytes(let bytes): 1 + bytes.count
  case .text(let text): 1 + text.utf8.count
  case .array(let values): values.reduce(1) { $0 + weight($1) }
  case .map(let entries): entries.reduce(1) { $0 + 1 + $1.key.utf8.count + weight($1.value) }
  default: 1
  }
}

/// What the store defines elsewhere, and nothing here asks for.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
