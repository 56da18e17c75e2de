// Written as programs write it.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import LatchkeySwiftTesting
import Security
import Testing

@Suite(.temporaryKeychain) struct ImportAndExport {
  private func makeKey() -> SecKey {
    SecKeyCreateRandomKey(
      [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256] as CFDictionary, nil)!
  }

  /// As tools that read a .p12 or a .pem on macOS do.
  private func items(in data: Data, passphrase: String) throws -> [Any] {
    var inputFormat = SecExternalFormat.formatUnknown
    var itemType = SecExternalItemType.itemTypeUnknown
    let flags = SecItemImportExportFlags()
    let password = passphrase as CFString
    var params = SecItemImportExportKeyParameters(
      version: UInt32(SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION), flags: SecKeyImportExportFlags(rawValue: 0),
      passphrase: Unmanaged.passUnretained(password), alertTitle: nil, alertPrompt: nil, accessRef: nil, keyUsage: nil,
      keyAttributes: nil)
    var items: CFArray?
    let status = withExtendedLifetime(password) {
      SecItemImport(data as CFData, "identity.p12" as CFString, &inputFormat, &itemType, flags, &params, nil, &items)
    }
    guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    return items! as [AnyObject]
  }

  @Test func aPublicKeyAsPEM() throws {
    let publicKey = SecKeyCopyPublicKey(makeKey())!
    var data: CFData?
    let status = SecItemExport(publicKey, .formatOpenSSL, .pemArmour, nil, &data)
    #expect(status == errSecSuccess)
    let pem = String(data: data! as Data, encoding: .utf8)
    #expect(pem?.hasPrefix("-----BEGIN PUBLIC KEY-----") == true)
  }

  @Test func aPrivateKeyThereAndBack() throws {
    let key = makeKey()
    var keyParams = SecItemImportExportKeyParameters()
    let passphrase = "open sesame" as AnyObject
    keyParams.passphrase = Unmanaged.passRetained(passphrase)
    defer { keyParams.passphrase?.release() }
    var exported: CFData?
    guard SecItemExport(key, .formatWrappedPKCS8, [], &keyParams, &exported) == errSecSuccess, let exported else {
      Issue.record("no data")
      return
    }
    let back = try items(in: exported as Data, passphrase: "open sesame")
    #expect(back.first as! SecKey == key)
    #expect(throws: NSError.self) { try items(in: exported as Data, passphrase: "sesame") }
  }
}
