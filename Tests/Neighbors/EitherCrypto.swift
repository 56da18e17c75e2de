// beside Latchkey: compiles
// As in clients of web services: CryptoKit where it is, and a portable digest where it is not. Both modules have the same types.
import Foundation

#if canImport(CryptoKit)
  import CryptoKit

  func fingerprint(of data: Data) -> String {
    SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
  }

  func seal(_ data: Data, with key: SymmetricKey) throws -> Data? { try AES.GCM.seal(data, using: key).combined }
#else
  func fingerprint(of data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }
#endif
