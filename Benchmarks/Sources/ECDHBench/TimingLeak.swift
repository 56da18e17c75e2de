import CBenchCrypto
import LatchkeyProvisioningProtocol

/// Tests whether the time of an ECDH, and of a key pair, depends on the scalar: Welch's t-test between a fixed scalar and
/// random ones, measured in turns drawn at random (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", 2017).
///
/// The fixed scalars are those that a naive implementation leaks most: 1, whose digits are nearly all zero, and n - 1.
/// |t| above 10 is a leak; below 4.5 none was found in so many measurements. A leak made on purpose, one validation of a
/// public key more for the scalar 1, shows that the test sees one.
enum TimingLeak {
  private static let measurements = 20_000

  static func report() throws {
    var one = [24 of UInt8](repeating: 0)
    one[23] = 1
    let orderMinusOne: [24 of UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE,
      0x26, 0xF2, 0xFC, 0x17, 0x0F, 0x69, 0x46, 0x6A, 0x74, 0xDE, 0xFD, 0x8C,
    ]
    var generator = SystemRandomNumberGenerator()
    let peer = try Secp192k1.PrivateKey(using: &generator).publicKey
    let planted = try statistic(fixed: one) { key in
      blackHole(try key.sharedSecret(with: peer))
      if key.exposedBytes[0] == 0 { blackHole(try Secp192k1.PublicKey(peer.fixedBytes)) }
    }
    print("  timing, a leak made on purpose: t = \(rounded(planted))")
    for (name, scalar) in [("1", one), ("n - 1", orderMinusOne)] {
      let agreement = try statistic(fixed: scalar) { key in blackHole(try key.sharedSecret(with: peer)) }
      let keyPair = try statistic(fixed: scalar) { key in blackHole(key.publicKey) }
      print(
        "  timing, scalar \(name) against random ones, \(measurements) each: t = \(rounded(agreement)) for ECDH,",
        "\(rounded(keyPair)) for a key pair (below 4.5: no leak found)")
    }
  }

  private static func statistic(
    fixed: [24 of UInt8], _ operation: (borrowing Secp192k1.PrivateKey) throws -> Void
  ) throws -> Double {
    var generator = SystemRandomNumberGenerator()
    var ticks: [[Double]] = [[], []]
    for side in ticks.indices { ticks[side].reserveCapacity(measurements) }
    while ticks.contains(where: { $0.count < measurements }) {
      let random = try Secp192k1.PrivateKey(using: &generator).exposedBytes
      let side = Int.random(in: 0...1, using: &generator)
      // Both sides go through the same copy, so that only the scalar differs.
      let key = try Secp192k1.PrivateKey(side == 0 ? fixed : random)
      let start = bench_ticks()
      try operation(key)
      let end = bench_ticks()
      if ticks[side].count < measurements { ticks[side].append(Double(end &- start)) }
    }
    // Interrupts cause long tails: the slowest tenth of each side is left out.
    let limit = ticks.joined().sorted()[measurements * 2 * 9 / 10]
    let sides = ticks.map { side in moments(side.filter { $0 <= limit }) }
    let spread = sides.map { $0.variance / $0.count }.reduce(0, +)
    return spread > 0 ? (sides[0].mean - sides[1].mean) / spread.squareRoot() : 0
  }

  private static func moments(_ values: [Double]) -> (mean: Double, variance: Double, count: Double) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / (count - 1)
    return (mean, variance, count)
  }
}
