// beside Latchkey: no such module 'CommonCrypto'
// CryptoKit is asked for, and one of Apple's systems is meant: another module of theirs is imported in the same branch.
import Foundation

#if canImport(CryptoKit)
  import CommonCrypto
  import CryptoKit

  func digest(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }
#else
  func digest(_ data: Data) -> Data { data }
#endif
