import Foundation

/// The torture tests' only source of chance (SplitMix64): a seed gives the same run every time.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

/// How much of a torture is run: a sample of seconds, or all of it where LATCHKEY_SOAK is set.
enum Torture {
  static let isSoak = ProcessInfo.processInfo.environment["LATCHKEY_SOAK"] != nil

  static func count(sample: Int, soak: Int) -> Int { isSoak ? soak : sample }
}

/// Why a torture's look at a store ended early.
struct TortureFailure: Error, CustomStringConvertible {
  let description: String
}
