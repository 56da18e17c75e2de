import Foundation
import Testing

let nothingMaySkip = ProcessInfo.processInfo.environment["LATCHKEY_NO_SKIPS"]?.isEmpty == false

/// Says that the rest of a test cannot run on this machine, and why. Where `LATCHKEY_NO_SKIPS` is set, as in CI, that is a failure.
///
/// Other test targets take this file in by a symbolic link.
func skipHere(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
  if nothingMaySkip {
    Issue.record("skipped where nothing may be: \(reason)", sourceLocation: sourceLocation)
  } else {
    print("skipped: \(reason)")
  }
}
