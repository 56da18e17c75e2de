import Foundation
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Synchronization
import Testing

/// The vectors of `protocomm_vectors.py`: equal to those that Espressif's own client gives for the same inputs.
struct ProtocommVectors: Decodable, Sendable {
  let security1: [Security1]
  let security2: [Security2]
  let powers: [Power]

  static let all: ProtocommVectors = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let url = Bundle.module.bundleURL.appendingPathComponent("Fixtures/protocomm.json")
    do {
      return try decoder.decode(ProtocommVectors.self, from: Data(contentsOf: url))
    } catch {
      fatalError("the vectors cannot be read: \(error)")
    }
  }()

  struct Message: Decodable, Sendable { let plain, cipher: String }

  struct Security1: Decodable, Sendable, CustomTestStringConvertible {
    let name, code, clientPrivateKey, devicePrivateKey, deviceRandom, sessionKey: String
    let command0, response0, command1, response1: String
    let messages: [Message]
    var testDescription: String { name }
  }

  struct Security2: Decodable, Sendable, CustomTestStringConvertible {
    let name, username, code, salt, verifier, a, b, nonce, clientKey, deviceKey, u, sessionKey, clientProof: String
    let deviceProof, command0, response0, command1, response1: String
    let premasterLength: Int
    let messagesPatch0, messagesPatch1: [Message]
    var testDescription: String { name }

    var secretCode: SecretBytes { SecretBytes(Array(code.utf8)) }
    func verifierValue() throws -> SRPVerifier {
      try SRPVerifier(username: username, salt: hex(salt), verifier: hex(verifier))
    }
  }

  struct Power: Decodable, Sendable, CustomTestStringConvertible {
    let base, exponent, power, other, product, sum, difference: String
    var testDescription: String { "\(base.prefix(8))… to \(exponent.count / 2) bytes" }
  }
}

/// Draws what it is told, in order, and then what no one can foretell but the test.
final class ScriptedRandom: Sendable {
  private let state: Mutex<(script: [[UInt8]], generator: SeededGenerator)>

  init(_ script: [[UInt8]] = [], seed: UInt64 = 17) {
    state = Mutex((script, SeededGenerator(seed: seed)))
  }

  var draw: ProtocommRandom {
    { count in
      self.state.withLock { state in
        if !state.script.isEmpty { return state.script.removeFirst() }
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: state.generator.next()) }
      }
    }
  }

  var isUsedUp: Bool { state.withLock { $0.script.isEmpty } }
}
