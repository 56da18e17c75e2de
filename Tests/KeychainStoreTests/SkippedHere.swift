import Foundation
import Testing

/// Says that the rest of a test cannot run on this machine, and why. Where `LATCHKEY_NO_SKIPS` is set, as in CI, that is a failure.
func skipHere(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
  if ProcessInfo.processInfo.environment["LATCHKEY_NO_SKIPS"]?.isEmpty == false {
    Issue.record("skipped where nothing may be: \(reason)", sourceLocation: sourceLocation)
  } else {
    print("skipped: \(reason)")
  }
}
