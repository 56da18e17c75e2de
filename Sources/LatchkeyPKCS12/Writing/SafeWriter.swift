import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding

/// Encodes the safes of a file and its MAC by a profile (RFC 7292 4).
struct SafeWriter {
  /// Returns the given count of fresh random bytes.
  typealias Random = (Int) throws -> [UInt8]

  let profile: PKCS12Profile
  let password: PasswordForm

  /// The size of every salt in bytes: twice the minimum of RFC 8018 4.1.
  private static let saltSize = 16

  /// Encodes a safe of certificates, encrypted as a whole.
  func certificates(
    _ certificates: [PKCS12File.Certificate], _ random: Random
  ) throws(PKCS12Error) -> [UInt8] {
    let contents = DEREncoder.sequence { contents in
      for certificate in certificates {
        contents.nested(.sequence) { bag in
          bag.identifier(.certificateBag)
          bag.nested(.context0) { value in
            value.nested(.sequence) { inner in
              inner.identifier(.x509Certificate)
              inner.nested(.context0) { $0.item(.octetString, certificate.der) }
            }
          }
          bag.attributes(certificate.friendlyName, certificate.localKeyID)
        }
      }
    }
    let (algorithm, text) = try encrypted(contents, random)
    return DEREncoder.sequence { info in
      info.identifier(.encryptedData)
      info.nested(.context0) { explicit in
        explicit.nested(.sequence) { data in
          data.number(0)
          data.nested(.sequence) { content in
            content.identifier(.data)
            content.append(algorithm)
            content.item(.implicit0, text)
          }
        }
      }
    }
  }

  /// Encodes a safe of keys, each encrypted.
  func keys(_ keys: [PKCS12File.Key], _ random: Random) throws(PKCS12Error) -> [UInt8] {
    let contents = try DEREncoder.sequence { contents throws(PKCS12Error) in
      for key in keys {
        let encrypted = try self.key(key.pkcs8, random)
        contents.nested(.sequence) { bag in
          bag.identifier(.shroudedKeyBag)
          bag.nested(.context0) { $0.append(encrypted) }
          bag.attributes(key.friendlyName, key.localKeyID)
        }
      }
    }
    return DEREncoder.sequence { info in
      info.identifier(.data)
      info.nested(.context0) { $0.item(.octetString, contents) }
    }
  }

  /// Encodes one key, encrypted: EncryptedPrivateKeyInfo.
  func key(_ pkcs8: [UInt8], _ random: Random) throws(PKCS12Error) -> [UInt8] {
    let (algorithm, text) = try encrypted(pkcs8, random)
    return DEREncoder.sequence { info in
      info.append(algorithm)
      info.item(.octetString, text)
    }
  }

  /// MacData over `content`.
  func mac(of content: [UInt8], _ random: Random) throws(PKCS12Error) -> [UInt8] {
    let salt = try draw(Self.saltSize, random)
    let text = PKCS12Reader(SecretBytes(content), depth: 1)
    let rounds = profile.iterations
    switch profile.algorithms {
    case .modern, .compatible:
      let digest: DigestAlgorithm = profile.algorithms == .modern ? .sha256 : .sha1
      let key = PKCS12KeyDerivation.derive(
        digest, .mac, password: password.wide, salt: salt, rounds: rounds, count: digest.size)
      let value = digest.hmac(text, key: key)
      return DEREncoder.sequence { mac in
        mac.nested(.sequence) { info in
          info.algorithmIdentifier(digest.identifier) { $0.item(.null, []) }
          info.item(.octetString, value)
        }
        mac.item(.octetString, salt)
        if rounds != 1 { mac.number(rounds) }
      }
    case .pbmac1:
      let derivation = KeyDerivation.pbkdf2(salt: salt, rounds: rounds, keyLength: 32, digest: .sha256)
      let key = try derivation.derive(password.narrow, count: 32).withUnsafeBytes { SecretBytes($0) }
      let value = DigestAlgorithm.sha256.hmac(text, key: key)
      return DEREncoder.sequence { mac in
        mac.nested(.sequence) { info in
          info.algorithmIdentifier(.pbmac1) { parameters in
            parameters.nested(.sequence) { parameters in
              parameters.pbkdf2(salt, rounds: rounds, keyLength: 32)
              parameters.algorithmIdentifier(.hmacSHA256) { $0.item(.null, []) }
            }
          }
          info.item(.octetString, value)
        }
        // Salt and rounds are meaningless with PBMAC1, but readers require them (RFC 9579 5).
        mac.item(.octetString, Array("NOT USED".utf8))
        mac.number(1)
      }
    }
  }

  /// Encrypts `plain`; the result includes the AlgorithmIdentifier.
  private func encrypted(
    _ plain: [UInt8], _ random: Random
  ) throws(PKCS12Error) -> (algorithm: [UInt8], text: [UInt8]) {
    let salt = try draw(Self.saltSize, random)
    let rounds = profile.iterations
    var algorithm = DEREncoder()
    guard profile.algorithms != .compatible else {
      var (key, vector) = EncryptionScheme.derive(password, salt, rounds, 24)
      defer { key.wipe() }
      guard var cipher = TripleDES(key: key) else { throw .unsupported("3DES") }
      defer { cipher.wipe() }
      algorithm.algorithmIdentifier(.pbe3DES) { parameters in
        parameters.nested(.sequence) { parameters in
          parameters.item(.octetString, salt)
          parameters.number(rounds)
        }
      }
      return (algorithm.bytes, BlockChaining.encrypt(plain, with: cipher, vector: vector))
    }
    let vector = try draw(16, random)
    let derivation = KeyDerivation.pbkdf2(salt: salt, rounds: rounds, keyLength: nil, digest: .sha256)
    let key = try derivation.derive(password.narrow, count: 32)
    guard let start = try? AES._CBC.IV(ivBytes: vector), let text = try? AES._CBC.encrypt(plain, using: key, iv: start)
    else { throw .unsupported("AES-256") }
    algorithm.algorithmIdentifier(.pbes2) { parameters in
      parameters.nested(.sequence) { parameters in
        parameters.pbkdf2(salt, rounds: rounds, keyLength: nil)
        parameters.algorithmIdentifier(.aes256) { $0.item(.octetString, vector) }
      }
    }
    return (algorithm.bytes, [UInt8](text))
  }

  /// Draws fresh random bytes.
  private func draw(_ count: Int, _ random: Random) throws(PKCS12Error) -> [UInt8] {
    let bytes: [UInt8]
    do { bytes = try random(count) } catch { throw .misuse("the random source failed: \(error)") }
    guard bytes.count == count else { throw .misuse("the random source gave \(bytes.count) bytes, not \(count)") }
    return bytes
  }
}

extension DEREncoder {
  /// PBKDF2 with HMAC-SHA256.
  fileprivate mutating func pbkdf2(_ salt: [UInt8], rounds: Int, keyLength: Int?) {
    algorithmIdentifier(.pbkdf2) { parameters in
      parameters.nested(.sequence) { parameters in
        parameters.item(.octetString, salt)
        parameters.number(rounds)
        if let keyLength { parameters.number(keyLength) }
        parameters.algorithmIdentifier(.hmacSHA256) { $0.item(.null, []) }
      }
    }
  }

  /// Writes the attributes of a bag, sorted by their bytes, as DER requires of a SET.
  fileprivate mutating func attributes(_ friendlyName: String?, _ localKeyID: [UInt8]?) {
    var attributes: [[UInt8]] = []
    if let friendlyName {
      let text = friendlyName.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      attributes.append(Self.attribute(.friendlyName) { $0.item(.bmpString, text) })
    }
    if let localKeyID {
      attributes.append(Self.attribute(.localKeyID) { $0.item(.octetString, localKeyID) })
    }
    guard !attributes.isEmpty else { return }
    attributes.sort { $0.lexicographicallyPrecedes($1) }
    nested(.set) { set in
      for attribute in attributes { set.append(attribute) }
    }
  }

  private static func attribute(_ type: DERObjectIdentifier, _ value: (inout DEREncoder) -> Void) -> [UInt8] {
    sequence { attribute in
      attribute.identifier(type)
      attribute.nested(.set, value)
    }
  }
}
