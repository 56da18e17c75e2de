// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// The document's `Utils.m`, line for line.
enum Utils {
  static func identity(
    _ identity: inout SecIdentity?,
    andCertificate certificate: inout SecCertificate?,
    fromPKCS12Data certData: Data,
    withPassphrase passphrase: String
  ) {
    // bridge our import data to foundation objects
    let importPassphrase = passphrase as CFTypeRef
    let importData = certData as CFData

    // create dictionary of options for the PKCS12 import
    var keys: [UnsafeRawPointer?] = [pointer(kSecImportExportPassphrase)]
    var values: [UnsafeRawPointer?] = [pointer(importPassphrase)]
    let importOptions = CFDictionaryCreate(
      nil, &keys,
      &values, 1,
      nil, nil)

    // create array to store our import results
    var importResults: CFArray? = CFArrayCreate(nil, nil, 0, nil)
    // Pointers keep nothing: what they point to, and the collection that it is in, has to live as long.
    defer { withExtendedLifetime((importPassphrase, importResults)) {} }
    var pkcs12ImportStatus = errSecSuccess

    //返回PKCS #12格式的blob中的身份和证书
    pkcs12ImportStatus = SecPKCS12Import(
      importData,
      importOptions!,
      &importResults)

    // check if we import successfully
    if pkcs12ImportStatus == errSecSuccess {
      guard let importResults, CFArrayGetCount(importResults) > 0 else { return }
      let identityAndTrust = unsafeBitCast(CFArrayGetValueAtIndex(importResults, 0), to: CFDictionary.self)

      // retrieve the identity from the certificate we imported
      let tempIdentity = CFDictionaryGetValue(
        identityAndTrust,
        pointer(kSecImportItemIdentity))
      guard let tempIdentity else { return }
      identity = unsafeBitCast(tempIdentity, to: SecIdentity.self)

      // extract the certificate from the identity
      var tempCertificate: SecCertificate?
      var certificateStatus = errSecSuccess
      certificateStatus = SecIdentityCopyCertificate(
        identity!,
        &tempCertificate)
      if certificateStatus == errSecSuccess { certificate = tempCertificate }
    }

    // CFRelease(importOptions) is what Swift does by itself.
  }

  /// `(__bridge const void *)`.
  private static func pointer(_ object: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }

  static func blockInitializationVector(ofLength length: Int) -> Data? {
    var ivLength = length
    // default to AES block size
    if ivLength == 0 {
      ivLength = kCCBlockSizeAES128
    }

    var iv = Data(count: ivLength)

    let ivResult = iv.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { SecRandomCopyBytes(kSecRandomDefault, ivLength, $0) } ?? errSecParam
    }

    if ivResult == errSecSuccess {
      return iv
    }

    return nil
  }
}

/// Of CommonCrypto, which there is none of here.
let kCCBlockSizeAES128 = 16
