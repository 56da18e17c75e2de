import Crypto
import Foundation
import LatchkeyCertificateAuthority

/// 2026-11-22 02:00:00 UTC.
let now = Date(timeIntervalSince1970: 1_795_312_800)

func serial(_ last: UInt8 = 1) -> [UInt8] { [0x5A] + [UInt8](repeating: 0xC3, count: 14) + [last] }

func authority(_ name: String = "Latchkey test authority") throws -> CertificateAuthority {
  try CertificateAuthority(name: name, key: FileAuthorityKey(), now: now, serial: serial(0xCA))
}

/// One of the same name with another key.
func anotherAuthority() throws -> CertificateAuthority { try authority() }

/// Certificates for `key`, an hour long.
extension CertificateAuthority {
  func client(
    _ device: String = "0123456789abcdef0123456789abcdef", user: String = "demo", serial number: [UInt8] = serial(2),
    key: FileAuthorityKey = FileAuthorityKey(), from: Date = now, to: Date = now.addingTimeInterval(3600)
  ) throws -> [UInt8] {
    try issueClient(
      device: device, user: user, publicKey: key.publicKey, serial: number, notBefore: from, notAfter: to)
  }

  func server(_ names: [String], key: FileAuthorityKey = FileAuthorityKey()) throws -> [UInt8] {
    try issueServer(
      names: names, publicKey: key.publicKey, serial: serial(3), notBefore: now, notAfter: now.addingTimeInterval(3600))
  }
}

/// A key that never signs.
struct DeadKey: AuthorityKey {
  struct Gone: Error {}
  let publicKey: [UInt8]
  func sign(_ message: [UInt8]) throws -> [UInt8] { throw Gone() }
}

/// A key whose signatures are not signatures.
struct LyingKey: AuthorityKey {
  let publicKey = FileAuthorityKey().publicKey
  func sign(_ message: [UInt8]) throws -> [UInt8] { [1, 2, 3] }
}
