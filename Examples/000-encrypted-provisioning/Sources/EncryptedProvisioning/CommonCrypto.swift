import Crypto
import CryptoExtras
import Foundation

// Of CommonCrypto, which there is none of on Linux, what the document's listing uses, with its names and values.

typealias CCOperation = UInt32
typealias CCAlgorithm = UInt32
typealias CCOptions = UInt32
typealias CCCryptorStatus = Int32

let kCCEncrypt: CCOperation = 0
let kCCDecrypt: CCOperation = 1
let kCCAlgorithmAES128: CCAlgorithm = 0
let kCCKeySizeAES128 = 16
let kCCKeySizeAES192 = 24
let kCCBlockSizeAES128 = 16
let kCCSuccess: CCCryptorStatus = 0
let kCCParamError: CCCryptorStatus = -4300
let kCCBufferTooSmall: CCCryptorStatus = -4301
let kCCAlignmentError: CCCryptorStatus = -4303

/// `CCCrypt` for AES in CBC without padding: `dataOut` gets as many bytes as `dataIn` has, a multiple of 16.
func CCCrypt(
  _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer?, _ keyLength: Int,
  _ iv: UnsafeRawPointer?, _ dataIn: UnsafeRawPointer?, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer?,
  _ dataOutAvailable: Int, _ dataOutMoved: inout Int
) -> CCCryptorStatus {
  dataOutMoved = 0
  guard let key, let iv, let dataOut, alg == kCCAlgorithmAES128, options == 0 else { return kCCParamError }
  guard dataInLength % kCCBlockSizeAES128 == 0 else { return kCCAlignmentError }
  guard dataOutAvailable >= dataInLength else { return kCCBufferTooSmall }
  // The library has no ciphertext of nothing.
  guard let dataIn, dataInLength > 0 else { return kCCSuccess }
  let input = UnsafeRawBufferPointer(start: dataIn, count: dataInLength)
  let secret = SymmetricKey(data: UnsafeRawBufferPointer(start: key, count: keyLength))
  do {
    let vector = try AES._CBC.IV(ivBytes: UnsafeRawBufferPointer(start: iv, count: kCCBlockSizeAES128))
    let result =
      op == kCCEncrypt
      ? try AES._CBC.encrypt(input, using: secret, iv: vector, noPadding: true)
      : try AES._CBC.decrypt(input, using: secret, iv: vector, noPadding: true)
    result.withUnsafeBytes { bytes in dataOut.copyMemory(from: bytes.baseAddress ?? iv, byteCount: bytes.count) }
    dataOutMoved = result.count
    return kCCSuccess
  } catch {
    return kCCParamError
  }
}
