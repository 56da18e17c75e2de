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
    let keys = [kSecImportExportPassphrase]
    let values = [importPassphrase]
    let importOptions = CFDictionary(objects: values, forKeys: keys)

    // create array to store our import results
    var importResults: CFArray? = CFArray()
    var pkcs12ImportStatus = errSecSuccess

    pkcs12ImportStatus = SecPKCS12Import(importData, importOptions, &importResults)

    // check if we import successfully
    if pkcs12ImportStatus == errSecSuccess {
      let identityAndTrust = importResults?[0] as? CFDictionary

      // retrieve the identity from the certificate we imported
      let tempIdentity = identityAndTrust?[kSecImportItemIdentity] as? SecIdentity
      identity = tempIdentity

      // extract the certificate from the identity
      guard let tempIdentity else { return }
      var tempCertificate: SecCertificate?
      var certificateStatus = errSecSuccess
      certificateStatus = SecIdentityCopyCertificate(tempIdentity, &tempCertificate)
      certificate = certificateStatus == errSecSuccess ? tempCertificate : nil
    }
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
