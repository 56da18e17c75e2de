import LatchkeyEnrollmentStore

/// A transfer to be made once, however often it is asked for.
struct TortureTransfer: Sendable, Hashable {
  let number: Int
  let key: String
  let from: String
  let to: String
  let amount: Int64

  /// So many transfers between the accounts, some of them of more than there mostly is.
  static func plan(_ count: Int, accounts: [String], chance: inout Chance) -> [TortureTransfer] {
    (0..<count).map { number in
      let from = Int.random(in: accounts.indices, using: &chance)
      let to = (from + Int.random(in: 1..<accounts.count, using: &chance)) % accounts.count
      let isTooMuch = Int.random(in: 0..<10, using: &chance) == 0
      return TortureTransfer(
        number: number, key: "transfer-\(number)-" + Identifier.random().description, from: accounts[from],
        to: accounts[to],
        amount: isTooMuch ? 99_999 : Int64.random(in: 1...2_000, using: &chance))
    }
  }
}

/// The answer that a client received for a transfer.
enum TortureAnswer: Sendable, Hashable {
  /// It was booked, under this name.
  case booked(String)
  /// It was refused for good.
  case refused
}

/// The torture's only source of chance (SplitMix64): a seed gives the same plan every time.
struct Chance: RandomNumberGenerator, Sendable {
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
