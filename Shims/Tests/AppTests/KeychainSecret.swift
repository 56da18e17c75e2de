import CommonCrypto
import Foundation
import os.log

// As apps and libraries are written that know nothing of Linux.

fileprivate let log = OSLog(subsystem: "com.example.app", category: "secrets")

enum SecretError: Error {
  case crypt(CCCryptorStatus)
  case derivation(Int32)
}

extension Data {
  var sha256: Data {
    var hash = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
    withUnsafeBytes { _ = CC_SHA256($0.baseAddress, CC_LONG(count), &hash) }
    return Data(hash)
  }

  func hmac(key: Data) -> Data {
    var mac = Data(count: Int(CC_SHA512_DIGEST_LENGTH))
    mac.withUnsafeMutableBytes { mac in
      withUnsafeBytes { data in
        key.withUnsafeBytes { key in
          CCHmac(
            CCHmacAlgorithm(kCCHmacAlgSHA512), key.baseAddress, key.count, data.baseAddress, data.count, mac.baseAddress
          )
        }
      }
    }
    return mac
  }
}

struct Vault {
  let key: Data

  init(password: String, salt: Data, rounds: UInt32 = 1000) throws {
    var derived = Data(repeating: 0, count: kCCKeySizeAES256)
    let status = derived.withUnsafeMutableBytes { derived in
      salt.withUnsafeBytes { salt in
        CCKeyDerivationPBKDF(
          CCPBKDFAlgorithm(kCCPBKDF2), password, password.utf8.count,
          salt.bindMemory(to: UInt8.self).baseAddress, salt.count, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256),
          rounds, derived.bindMemory(to: UInt8.self).baseAddress, derived.count)
      }
    }
    guard status == kCCSuccess else {
      os_log("no key: %d", log: log, type: .error, status)
      throw SecretError.derivation(status)
    }
    key = derived
  }

  func seal(_ data: Data) throws -> Data {
    var iv = Data(count: kCCBlockSizeAES128)
    let status = iv.withUnsafeMutableBytes { CCRandomGenerateBytes($0.baseAddress, $0.count) }
    guard status == kCCSuccess else { throw SecretError.crypt(status) }
    return try iv + crypt(data, iv: iv, operation: CCOperation(kCCEncrypt))
  }

  func open(_ data: Data) throws -> Data {
    try crypt(
      data.dropFirst(kCCBlockSizeAES128), iv: data.prefix(kCCBlockSizeAES128), operation: CCOperation(kCCDecrypt))
  }

  private func crypt(_ data: Data, iv: Data, operation: CCOperation) throws -> Data {
    var output = Data(count: data.count + kCCBlockSizeAES128)
    let room = output.count
    var moved = 0
    let status = output.withUnsafeMutableBytes { output in
      data.withUnsafeBytes { data in
        iv.withUnsafeBytes { iv in
          key.withUnsafeBytes { key in
            CCCrypt(
              operation, CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding), key.baseAddress, key.count,
              iv.baseAddress, data.baseAddress, data.count, output.baseAddress, room, &moved)
          }
        }
      }
    }
    guard status == CCCryptorStatus(kCCSuccess) else {
      os_log(
        "%{public}@ failed: %d of %{private}@", log: log, type: .error, "CCCrypt" as NSString, status, key as NSData)
      throw SecretError.crypt(status)
    }
    return output.prefix(moved)
  }
}
