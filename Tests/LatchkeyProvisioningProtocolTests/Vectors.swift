import Foundation
import LatchkeyByteCoding
import Testing

/// The golden vectors of the legacy protocol, made with OpenSSL and checked by two other implementations.
struct Vectors: Decodable, Sendable {
  let keyPairs: [KeyPair]
  let ecdh: [Agreement]
  let invalidPrivateKeys: [InvalidPrivateKey]
  let invalidPublicKeys: [InvalidPublicKey]
  let aesCases: [Encryption]
  let aesSpecial: [SpecialEncryption]
  let hexHelper: [HexadecimalText]
  let hexReject: [String]
  let framesValid: [ValidFrame]
  let framesOther: [OtherFrame]
  let sessions: [Session]

  static let all: Vectors = load()

  private static func load() -> Vectors {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let url = Bundle.module.bundleURL.appendingPathComponent("Fixtures/legacy_provisioning.json")
    do {
      return try decoder.decode(Vectors.self, from: Data(contentsOf: url))
    } catch {
      fatalError("the vectors cannot be read: \(error)")
    }
  }
}

extension Vectors {
  struct KeyPair: Decodable, Sendable, CustomTestStringConvertible {
    let id, `private`, `public`, sec1Uncompressed, appKeyFrame, deviceKeyFrame: String
    let gmobjcPrivate64, gmobjcPublic98: String
    var testDescription: String { id }
  }

  struct Agreement: Decodable, Sendable, CustomTestStringConvertible {
    let id, `private`, peerPublic, peerPrivate, ownPublic, sharedX, aes192Key: String
    let gmobjc3ComputeEcdh64, gmobjc4ComputeEcdh48: String
    var testDescription: String { id }
  }

  struct InvalidPrivateKey: Decodable, Sendable, CustomTestStringConvertible {
    let id, `private`, expect: String
    var testDescription: String { id }
  }

  struct InvalidPublicKey: Decodable, Sendable, CustomTestStringConvertible {
    let id, why, `public`, expect: String
    var testDescription: String { id }
  }

  struct Encryption: Decodable, Sendable, CustomTestStringConvertible {
    let id, key, plaintext, plaintextHex, zeroFilledHex, ciphertext, decryptedHex, appFrame, deviceFrame: String
    var testDescription: String { id }
  }

  struct SpecialEncryption: Decodable, Sendable, CustomTestStringConvertible {
    let id, key, ciphertext, expect: String
    let decryptedHex, plaintextHex: String?
    var testDescription: String { id }
  }

  struct HexadecimalText: Decodable, Sendable, CustomTestStringConvertible {
    let input: String
    let bytes: String?
    var testDescription: String { "\"\(input)\"" }
  }

  struct ValidFrame: Decodable, Sendable, CustomTestStringConvertible {
    let frame: String
    let type: UInt8
    let payload: String
    var testDescription: String { "type \(type), \(payload.count / 2) bytes" }
  }

  struct OtherFrame: Decodable, Sendable, CustomTestStringConvertible {
    let frame, why, expect: String
    var testDescription: String { why }
  }

  struct Session: Decodable, Sendable, CustomTestStringConvertible {
    let id, appPrivate, appPublic, devicePrivate, devicePublic, sharedKey: String
    let attPayload: Int?
    let transcript: [Step]
    var testDescription: String { id }

    struct Step: Decodable, Sendable {
      let direction, frame: String
      let plaintext, plaintextHex, zeroFilledHex, ciphertext: String?
      let attValues: [String]?
      var isFromApp: Bool { direction == "app->device" }
    }
  }
}

/// The bytes of a vector's hexadecimal text.
func hex(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> [UInt8] {
  do {
    return try Hexadecimal.decode(text)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
    return []
  }
}

/// A reproducible generator (SplitMix64); tests must not draw differently each time.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
