import CBenchCrypto
import Glibc
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// `srp-bench [--seconds S] [--rounds N]`: the powers of SRP-6a over the group of 3072 bits, ours against libcrypto's
/// BN_mod_exp_mont_consttime, in CPU time on one core.
///
/// A device's side is all that Espressif's Security 2 has it compute for one handshake: g^b, v^u and (A · v^u)^b, with b of 256 bits and u
/// of 512, the hashes and the draws. libcrypto's is the three powers alone. Before that both sides must compute the same.
@main struct SRPBench {
  static func main() throws {
    var rounds = 5
    var seconds = 5.0
    var rest = CommandLine.arguments.dropFirst()
    while let name = rest.popFirst() {
      guard let value = rest.popFirst().flatMap(Double.init), value > 0 else { throw Failure.usage }
      switch name {
      case "--rounds": rounds = max(1, Int(value))
      case "--seconds": seconds = value
      default: throw Failure.usage
      }
    }
    let sides = try Sides()
    print("\(String(cString: bench_libcrypto_version())), \(rounds) rounds of \(seconds) s a side, CPU time")
    try sides.check()
    for bits in [256, 512] {
      try compare(
        "power, \(bits) bits", rounds, seconds / 2, ours: { sides.power(bits) }, theirs: { try sides.theirPower(bits) })
    }
    try compare(
      "device", rounds, seconds, ours: { try sides.handshake() },
      theirs: {
        for bits in [256, 512, 256] { try sides.theirPower(bits) }
      })
  }

  enum Failure: Error {
    case usage
    case libcryptoRefused
    case powersDiffer
  }

  /// Alternates both sides and prints each round's ratio, and their median.
  private static func compare(
    _ name: String, _ rounds: Int, _ seconds: Double, ours: () throws -> Void, theirs: () throws -> Void
  ) throws {
    var ratios: [Double] = []
    for round in 1...rounds {
      let mine = try cpuMicroseconds(seconds, ours)
      let other = try cpuMicroseconds(seconds, theirs)
      ratios.append(other / mine)
      print(
        "  \(name) round \(round): ours \(rounded(mine)) us, libcrypto \(rounded(other)) us, ratio \(rounded(other / mine))"
      )
      fflush(nil)
    }
    print("  \(name): median of ratios \(rounded(ratios.sorted()[ratios.count / 2])) x")
  }

  private static func cpuMicroseconds(_ seconds: Double, _ operation: () throws -> Void) throws -> Double {
    let start = bench_cpu_nanoseconds()
    let end = start + UInt64(seconds * 1e9)
    var count = 0
    var now = start
    while now < end {
      for _ in 0..<8 { try operation() }
      count += 8
      now = bench_cpu_nanoseconds()
    }
    return Double(now - start) / 1000 / Double(count)
  }

  /// Two decimals.
  private static func rounded(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}

/// One base and its exponents, as both sides have them, and a device with an app's key.
private final class Sides {
  private let base: Residue
  private let exponents: [Int: SecretBytes]
  private let verifier: SRPVerifier
  private let clientKey: [UInt8]
  private let theirs: OpaquePointer
  private var result = [UInt8](repeating: 0, count: 384)

  init() throws {
    guard let base = Residue(bigEndian: Self.draw(383)), let theirs = bench_power_new(base.bytes.array()) else {
      throw SRPBench.Failure.libcryptoRefused
    }
    self.base = base
    self.theirs = theirs
    exponents = [256: SecretBytes(Self.draw(32)), 512: SecretBytes(Self.draw(64))]
    let code = SecretBytes(Array("abcd1234".utf8))
    verifier = try SRPVerifier(code: code, random: Self.draw)
    guard case .srpCommand0(_, let key) = try SRPApp(code: code, random: Self.draw).command else {
      throw SRPBench.Failure.powersDiffer
    }
    clientKey = key
  }

  deinit { bench_power_free(theirs) }

  @Sendable private static func draw(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private func exponent(_ bits: Int) -> SecretBytes { exponents[bits] ?? SecretBytes(count: bits / 8) }

  func check() throws {
    for bits in [256, 512] {
      try theirPower(bits)
      guard base.power(exponent(bits)).bytes.array() == result else { throw SRPBench.Failure.powersDiffer }
    }
  }

  func power(_ bits: Int) { blackHole(base.power(exponent(bits))) }

  func theirPower(_ bits: Int) throws {
    let bytes = exponent(bits).array()
    guard bench_power_compute(theirs, bytes, bytes.count, &result) == 1 else { throw SRPBench.Failure.libcryptoRefused }
  }

  func handshake() throws {
    blackHole(try SRPDevice(verifier, username: Array("wifiprov".utf8), clientKey: clientKey, random: Self.draw))
  }
}

/// Keeps the optimizer from finding a result useless.
@inline(never) @_optimize(none)
private func blackHole<Value>(_ value: Value) {}
