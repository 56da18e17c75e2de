// modules: LatchkeyByteCoding LatchkeyKeychainModel LatchkeyEnclaveKeys
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Reads the input as a key of an enclave: it is refused, or within its limits and encodes to the same bytes. Then alters a
/// valid key, and has the software engine load the blob and the secret that result.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyRepresentations(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice & 0x03 {
  case 0: check(rest)
  case 1: checkAltered(rest)
  case 2: checkParts(rest)
  default: checkLoading(rest)
  }
  return 0
}

private func check(_ bytes: [UInt8]) {
  guard let key = try? KeyRepresentation(encoded: bytes) else { return }
  guard key.encoded == bytes, key.authenticated + key.mac == bytes, bytes.starts(with: key.binding) else {
    fatalError("encodes to other bytes")
  }
  guard key.storeUUID.count == 16, key.keyID.count == 16, key.publicKey.count == 65, key.mac.count == 32,
    key.blob.count <= 2048, 1...1024 ~= key.sealedSecret.count, 1...64 ~= key.stored.enrollment?.count ?? 1,
    key.control.protection.isThisDeviceOnly, key.control.flags.isConsistent
  else { fatalError("a key out of bounds") }
}

/// Each two bytes: an offset, and the byte to write there.
private func checkAltered(_ script: [UInt8]) {
  var bytes = Sample.whole.encoded
  var reader = ByteReader(script)
  while let offset = try? reader.uint8("offset"), let value = try? reader.uint8("value") {
    bytes[Int(offset) % bytes.count] = value
  }
  check(bytes)
  if bytes != Sample.whole.encoded, let key = try? KeyRepresentation(encoded: bytes), key == Sample.whole {
    fatalError("two encodings of one key")
  }
}

/// A key whose lengths the input selects.
private func checkParts(_ script: [UInt8]) {
  var reader = ByteReader(script)
  guard let enrollment = try? reader.uint8("enrollment"), let blob = try? reader.uint16("blob"),
    let secret = try? reader.uint16("secret")
  else { return }
  var key = Sample.whole
  key.stored.enrollment = enrollment == 0 ? nil : [UInt8](repeating: 1, count: Int(enrollment))
  key.blob = [UInt8](repeating: 2, count: Int(blob))
  key.sealedSecret = [UInt8](repeating: 3, count: Int(secret))
  let isWithin = enrollment <= 64 && blob <= 2048 && 1...1024 ~= secret
  guard ((try? KeyRepresentation(encoded: key.encoded)) == key) == isWithin else {
    fatalError("the limits do not hold")
  }
}

private func checkLoading(_ bytes: [UInt8]) {
  let secret = Array(bytes.prefix(32))
  let blob = Array(bytes.dropFirst(32).prefix(16))
  do throws(StoreError) {
    let key = try Sample.engine.load(
      publicKey: Sample.made.publicKey, blob: blob, secret: secret, control: Sample.whole.control)
    guard secret == Sample.made.secret else { fatalError("another secret opens the key") }
    guard (try? key.sign(digest: [1]))?.count == 64 else { fatalError("a loaded key does not sign") }
  } catch {
    guard case .damaged = error else { fatalError("\(error)") }
  }
  let peer = Array(bytes.prefix(65))
  if let shared = try? Sample.loaded.sharedSecret(with: peer), shared.count != 32 || peer.count != 65 {
    fatalError("a shared secret without a point")
  }
}

private enum Sample {
  static let engine = SoftwareEngine()
  static let made: CreatedKey = {
    guard let made = try? engine.create(whole.control) else { fatalError("key creation fails") }
    return made
  }()
  static let loaded: any LoadedKey = {
    guard
      let loaded = try? engine.load(
        publicKey: made.publicKey, blob: made.blob, secret: made.secret, control: whole.control)
    else { fatalError("a created key does not load") }
    return loaded
  }()
  static let whole: KeyRepresentation = {
    var key = KeyRepresentation(
      backend: .software, storeUUID: [UInt8](repeating: 9, count: 16), keyID: [UInt8](repeating: 8, count: 16),
      stored: StoredControl(
        control: AccessControl(
          protection: .whenUnlockedThisDeviceOnly, flags: [.privateKeyUsage, .biometryCurrentSet, .or, .devicePasscode]),
        enrollment: [7, 7]), publicKey: [4] + [UInt8](repeating: 6, count: 64), blob: [5])
    key.sealedSecret = [4]
    key.mac = [UInt8](repeating: 3, count: 32)
    return key
  }()
}

/// The store defines this function; this target links no store and never calls it.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
