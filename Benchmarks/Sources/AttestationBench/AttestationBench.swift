import Crypto
import Foundation
import Glibc
import LatchkeyAttestation
import Security

/// `attestation-bench [--seconds S] [--rounds N]`: verifying a TPM's statement that swtpm has signed, with a chain of two
/// certificates below the root, against the bare signature verifications in it: three of ECDSA on P-256, of messages as
/// long, by keys that are ready. Both with swift-crypto, in CPU time on one core.
@main struct AttestationBench {
  /// The statement's certInfo, and the signed parts of its two certificates, in bytes.
  private static let signedLengths = [173, 393, 336]

  static func main() throws {
    var seconds = 2.0
    var rounds = 5
    var arguments = Array(CommandLine.arguments.dropFirst())
    while arguments.count >= 2 {
      switch arguments.removeFirst() {
      case "--seconds": seconds = Double(arguments.removeFirst()) ?? seconds
      case "--rounds": rounds = Int(arguments.removeFirst()) ?? rounds
      default: fatalError("attestation-bench [--seconds S] [--rounds N]")
      }
    }
    let ours = try Ours()
    let bare = try Bare(lengths: signedLengths)
    guard try ours.run(), bare.run() else { fatalError("a side does not verify") }
    print("\(rounds) rounds of \(seconds) s a side, CPU time")
    var ratios: [Double] = []
    for round in 1...max(1, rounds) {
      let mine = try microseconds(seconds) { _ = try ours.run() }
      let other = try microseconds(seconds) { _ = bare.run() }
      ratios.append(other / mine)
      print("  round \(round): ours \(text(mine)) us, bare \(text(other)) us, ratio \(text(other / mine))")
      fflush(nil)
    }
    print("  attestation verify: median of ratios \(text(ratios.sorted()[ratios.count / 2])) x (goal: >= 0.5 x)")
  }

  /// The CPU time of one call, in microseconds.
  private static func microseconds(_ seconds: Double, _ call: () throws -> Void) throws -> Double {
    let begin = cpuSeconds()
    var calls = 0
    repeat {
      for _ in 0..<16 { try call() }
      calls += 16
    } while cpuSeconds() - begin < seconds
    return (cpuSeconds() - begin) / Double(calls) * 1e6
  }

  private static func cpuSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  private static func text(_ value: Double) -> String { String(format: "%.3g", value) }
}

/// The whole verification: CBOR, structures, names, the chain, the challenge.
private struct Ours {
  private let verifier: AttestationVerifier
  private let object: [UInt8]
  private let challenge: [UInt8]
  private let time = Date(timeIntervalSince1970: 1_893_456_000)

  init() throws {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Tests/LatchkeyAttestationTests/Fixtures")
    let read = { (name: String) in try Data(contentsOf: fixtures.appending(path: name)) }
    let trust = try AttestationTrust(pem: String(decoding: read("root.pem"), as: UTF8.self))
    verifier = try AttestationVerifier(
      trust: trust, policy: AttestationPolicy(requiresAuthorizationEnforcedByHardware: true))
    object = [UInt8](try read("presence.cbor"))
    challenge = [UInt8](try read("challenge"))
  }

  func run() throws -> Bool {
    try verifier.verify(object, challenge: challenge, at: time).isAuthorizationEnforcedByHardware
  }
}

/// The signatures alone.
private struct Bare {
  private struct Signed {
    let key: P256.Signing.PublicKey
    let message: [UInt8]
    let signature: P256.Signing.ECDSASignature
  }
  private let all: [Signed]

  init(lengths: [Int]) throws {
    all = try lengths.map { length in
      let key = P256.Signing.PrivateKey()
      let message = [UInt8](repeating: 7, count: length)
      return Signed(key: key.publicKey, message: message, signature: try key.signature(for: message))
    }
  }

  func run() -> Bool { all.allSatisfy { $0.key.isValidSignature($0.signature, for: $0.message) } }
}
