// modules: LatchkeyEnclaveKeys LatchkeyKeychainModel
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Reads the input, where it is text, as PEM and as an OpenSSH line. Blocks of PEM must be the same once written and read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyTexts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  _ = PEMDocument.contents(of: "CERTIFICATE", in: text)
  if let blocks = try? PEMDocument.decode(text) {
    for block in blocks where !block.label.isEmpty {
      guard let again = try? PEMDocument.decode(block.text), again.count == 1, again[0].label == block.label,
        again[0].bytes == block.bytes
      else { fatalError("a block that is read is not read again") }
      let found = PEMDocument.contents(of: block.label, in: block.text)
      guard found.contents == [block.bytes], found.isWhole else { fatalError("a block is not found by its label") }
    }
  }
  if let key = try? PublicKey(pemRepresentation: text) {
    guard (try? PublicKey(pemRepresentation: key.pemRepresentation)) == key else { fatalError("not the same key") }
  }
  if let key = try? PublicKey(openSSHRepresentation: text) {
    // Whatever the comment is, the line stays one.
    let line = key.openSSHRepresentation(comment: text)
    guard line.utf8.count > 32_768 || (try? PublicKey(openSSHRepresentation: line)) == key else {
      fatalError("not the same key")
    }
  }
  _ = try? PrivateKey(pemRepresentation: text)
  return 0
}

/// This target uses no keychain; the access control of keys refers to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
