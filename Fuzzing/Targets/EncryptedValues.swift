// modules: LatchkeyByteCoding LatchkeyKeychainModel Security
// from LatchkeyKeychainItems: Envelope
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// Reads the input as the header of an encrypted value; then alters a valid value: it opens unaltered, or is
/// refused as damaged, and never because of a wrong password.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncryptedValues(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice & 0x03 {
  case 0: checkHeader(rest)
  // Mutations do not find a valid digest, so it is computed here.
  case 1: checkHeader(rest.prefix(86) + EnvelopeHeader.digest(Array(rest.prefix(86))) + rest.dropFirst(86))
  case 2: checkOpening(rest)
  default: checkAltered(rest)
  }
  return 0
}

private let lowest: UInt8 = 1
private let value = Array("a value that is kept".utf8)
private let sealed = try? Envelope.seal(value, password: "password", context: "identifier", logRounds: lowest)

private func checkHeader(_ bytes: [UInt8]) {
  var reader = ByteReader(bytes)
  guard let header = try? EnvelopeHeader(from: &reader) else { return }
  guard header.encode() == Array(bytes.prefix(EnvelopeHeader.size)) else {
    fatalError("the header encodes to other bytes")
  }
  guard EnvelopeHeader.logRoundsRange.contains(header.logRounds) else { fatalError("a cost outside the range") }
  guard reader.remaining == bytes.count - EnvelopeHeader.size else {
    fatalError("the reader is not at the end of the header")
  }
}

/// The input itself never opens.
private func checkOpening(_ bytes: [UInt8]) {
  // Costs above the lowest are only slow here.
  guard bytes.count < 7 || bytes[6] <= lowest else { return }
  guard (try? open(bytes)) == nil else { fatalError("opened an unsealed value") }
}

private func checkAltered(_ changes: [UInt8]) {
  guard let sealed else { fatalError("sealing fails") }
  var bytes = sealed
  for index in stride(from: 0, to: changes.count - 1, by: 2) {
    bytes[Int(changes[index]) % bytes.count] ^= changes[index + 1]
  }
  // A cost that was altered is found by the digest, before it is paid.
  do throws(EnvelopeError) {
    guard try open(bytes) == value, bytes == sealed else { fatalError("opened an altered value") }
  } catch {
    guard bytes != sealed, error != .wrongPassword else { fatalError("\(error)") }
  }
}

private func open(_ bytes: [UInt8]) throws(EnvelopeError) -> [UInt8] {
  try Envelope.open(bytes, password: "password", context: "identifier", minimumLogRounds: lowest)
}

/// This target uses no keychain; a module that it links refers to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
