import Crypto

enum DERSignature {
  static func of(_ raw: [UInt8]) throws -> [UInt8] {
    [UInt8](try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation)
  }
}
