import Foundation
import LatchkeyEnclaveKeys

/// The private key of the server's certificate, in any of PEM's usual blocks, as DER.
enum ServerKey {
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  static func der(_ bytes: [UInt8]) throws -> [UInt8] {
    if bytes.first == 0x30 { return bytes }
    let blocks: [PEMDocument]
    do throws(KeyError) {
      blocks = try PEMDocument.decode(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw Unreadable(description: "\(error)")
    }
    if blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) {
      throw Unreadable(description: "the key is encrypted: decrypt it with openssl pkey")
    }
    guard let key = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
      throw Unreadable(description: "there is no private key in it")
    }
    return key.bytes
  }
}
