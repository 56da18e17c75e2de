import LatchkeyTestSupport
import Foundation

/// How much of a torture is run: a sample of seconds, or all of it where LATCHKEY_SOAK is set.
enum Torture {
  static let isSoak = ProcessInfo.processInfo.environment["LATCHKEY_SOAK"] != nil

  static func count(sample: Int, soak: Int) -> Int { isSoak ? soak : sample }
}

/// Why a torture's look at a store ended early.
struct TortureFailure: Error, CustomStringConvertible {
  let description: String
}
