// modules: Security LatchkeyKeychainModel
import Foundation
import LatchkeyKeychainModel
import Security

/// Imports the input with a passphrase. The items are the same after they are exported and imported again; a call that fails
/// returns none. Inputs with a large number in DER, such as the rounds of a derivation, are left out: they only take time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzItemImports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Data(UnsafeBufferPointer(start: start, count: count))
  guard count < 65_536, !hasLargeNumber(input) else { return 0 }
  let (status, items) = read(input)
  guard (status == errSecSuccess) == (items != nil) else { fatalError("items without success, or the reverse") }
  guard let items, !items.isEmpty else { return 0 }
  guard let text = write(items as NSArray, .formatPEMSequence) else { fatalError("items that cannot be exported") }
  let parts = items.flatMap(parts)
  guard let back = read(text).items, back.count == parts.count, zip(back, parts).allSatisfy({ CFEqual($0, $1) }) else {
    fatalError("other items came back")
  }
  return 0
}

/// Whether there is an INTEGER of three or four bytes, other than RSA's usual exponent. ECDSA's identifier with SHA-256, which a
/// string follows in every certificate, only looks as if one began at its end.
private func hasLargeNumber(_ input: Data) -> Bool {
  let bytes = [UInt8](input)
  let ecdsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3]
  return bytes.indices.dropLast(4).contains { place in
    bytes[place] == 2 && [3, 4].contains(bytes[place + 1]) && !bytes[(place + 2)...].starts(with: [1, 0, 1])
      && !bytes[..<place].suffix(ecdsa.count).elementsEqual(ecdsa)
  }
}

/// A certificate and a key of an identity; other items as they are.
private func parts(_ item: AnyObject) -> [AnyObject] {
  guard let identity = item as? SecIdentity else { return [item] }
  var (certificate, key): (SecCertificate?, SecKey?)
  SecIdentityCopyCertificate(identity, &certificate)
  SecIdentityCopyPrivateKey(identity, &key)
  return [certificate as AnyObject?, key as AnyObject?].compactMap { $0 }
}

private func read(_ data: Data) -> (status: OSStatus, items: [AnyObject]?) {
  var format = SecExternalFormat.formatUnknown
  var type = SecExternalItemType.itemTypeUnknown
  var items: CFArray?
  let passphrase = "correct" as NSString
  var parameters = SecItemImportExportKeyParameters()
  parameters.passphrase = Unmanaged.passUnretained(passphrase)
  let status = withExtendedLifetime(passphrase) {
    SecItemImport(data as CFData, nil, &format, &type, [], &parameters, nil, &items)
  }
  return (status, items as? [AnyObject])
}

private func write(_ items: CFTypeRef, _ format: SecExternalFormat) -> Data? {
  var data: CFData?
  return SecItemExport(items, format, [], nil, &data) == errSecSuccess ? data as Data? : nil
}

/// This target uses no keychain; the item calls that it links refer to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
