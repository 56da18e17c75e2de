import Foundation
import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

/// Published vectors of what the secure protocol stands on: draft-irtf-cfrg-cpace-21 appendix B.1, Cacophony's for Noise, NIST's for the
/// keys and ciphertexts of ML-KEM-768, with what FIPS 203 says of an altered one; and values of the map to the curve and of HKDF that Python computed.
struct SecureVectors: Decodable, Sendable {
  struct CPaceRun: Decodable, Sendable {
    let password, channel, session, generatorString, generator, ya, Ya, yb, Yb, K, ADa, ADb, ISK: String
  }

  struct LowOrder: Decodable, Sendable {
    let scalar: String
    let points: [[String]]
  }

  struct Noise: Decodable, Sendable {
    struct Message: Decodable, Sendable {
      let payload, ciphertext: String
    }

    let init_prologue, init_ephemeral, resp_ephemeral, handshake_hash: String
    let init_psks: [String]
    let messages: [Message]
  }

  struct MLKEMKey: Decodable, Sendable {
    let seed, publicKey: String
  }

  struct Decapsulation: Decodable, Sendable {
    let seed, ciphertext, secret, rejected: String
  }

  struct Derivation: Decodable, Sendable {
    let ikm, salt, info, okm: String
  }

  let cpace: CPaceRun
  let lowOrder: LowOrder
  let elligator: [[String]]
  let noise: Noise
  let mlkem: MLKEMKey
  let hkdf: [Derivation]
  let decapsulations: [Decapsulation]

  static let all: SecureVectors = decode("secure_primitives")

  static func decode<Value: Decodable>(_ name: String) -> Value {
    let url = Bundle.module.bundleURL.appendingPathComponent("Fixtures/\(name).json")
    do {
      return try JSONDecoder().decode(Value.self, from: Data(contentsOf: url))
    } catch {
      fatalError("the vectors cannot be read: \(error)")
    }
  }
}

/// The sessions of the page's worked transcript, made by a program of another language.
struct SecureTranscript: Decodable, Sendable {
  let classical, hybrid, resumption: [String: String]

  static let all: SecureTranscript = SecureVectors.decode("secure_transcript")
}

extension SecureRandomness {
  /// The system's generator: what these tests check holds for all that is drawn.
  static let test = SecureRandomness(bytes: { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  })
}
