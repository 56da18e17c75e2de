import Foundation
package import Testing

/// Whether a skipped test is a failure: where `LATCHKEY_NO_SKIPS` is set, as in CI.
package let nothingMaySkip = ProcessInfo.processInfo.environment["LATCHKEY_NO_SKIPS"]?.isEmpty == false

/// Whether long loops run in full: where `LATCHKEY_SOAK` is set, as by `make soak`.
package let isSoak = ProcessInfo.processInfo.environment["LATCHKEY_SOAK"] != nil

/// Reports why the rest of a test cannot run on this machine. Where `LATCHKEY_NO_SKIPS` is set this is a failure.
package func skipHere(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
  if nothingMaySkip {
    Issue.record("skipped where nothing may be: \(reason)", sourceLocation: sourceLocation)
  } else {
    print("skipped: \(reason)")
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, with its reason, where a program of another implementation is not installed; where nothing may be skipped, the test
  /// runs and fails.
  package static func needs(_ programs: String...) -> Self {
    let missing = programs.filter { !FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    return .enabled(if: missing.isEmpty || nothingMaySkip, "needs /usr/bin/\(missing.joined(separator: ", "))")
  }

  /// Runs a test in `make soak` alone: its programs derive a passcode too often for `make test`. CONTRIBUTING.md lists such tests.
  package static func soak(derivations: Int) -> Self {
    .enabled(if: isSoak, "derives a passcode some \(derivations) times: make soak runs it")
  }
}
