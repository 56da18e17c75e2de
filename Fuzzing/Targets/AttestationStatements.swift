// modules: LatchkeyByteCoding LatchkeyKeychainModel LatchkeyEnclaveKeys
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Reads the input as CBOR and as an attestation object with one of our statements: accepted input encodes to the same bytes
/// again, and no value is larger than the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAttestationStatements(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let value = try? CBORValue(encoded: input) {
    guard value.encoded == input else { fatalError("the value encodes to other bytes") }
    guard weight(value) <= input.count else { fatalError("larger than the input") }
  }
  // A statement without its signature is a statement, too.
  if let statement = try? SoftwareStatement(encoded: input) {
    guard statement.encoded == input else { fatalError("the statement reads differently") }
  }
  guard let object = try? AttestationObject(encoded: input) else { return 0 }
  if let statement = try? TPMStatement(object.statement) {
    guard statement.object.statement == object.statement else { fatalError("the statement reads differently") }
    _ = try? TPMAttest(encoded: statement.certifyInfo)
    _ = try? TPMPublic(encoded: statement.publicArea)
    _ = try? TPMSignature(encoded: statement.signature)
  }
  if let statement = try? AppleStatement(object.statement) {
    guard (1...AppleStatement.maximumCertificates).contains(statement.certificates.count),
      statement.object.statement["x5c"] == object.statement["x5c"]
    else { fatalError("the statement reads differently") }
  }
  if let signed = try? SignedSoftwareStatement(object.statement) {
    guard signed.object.statement == object.statement else { fatalError("the statement reads differently") }
    guard let statement = try? SoftwareStatement(encoded: signed.statement) else { return 0 }
    guard statement.encoded == signed.statement, statement.control.flags.isConsistent else {
      fatalError("the statement reads differently")
    }
  }
  return 0
}

/// The least number of bytes that encode a value.
private func weight(_ value: CBORValue) -> Int {
  switch value {
  case .bytes(let bytes): 1 + bytes.count
  case .text(let text): 1 + text.utf8.count
  case .array(let values): values.reduce(1) { $0 + weight($1) }
  case .map(let entries): entries.reduce(1) { $0 + 1 + $1.key.utf8.count + weight($1.value) }
  default: 1
  }
}

/// The store defines this function; this target links no store and never calls it.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
