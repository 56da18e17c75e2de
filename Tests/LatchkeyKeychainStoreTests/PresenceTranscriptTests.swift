import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing

@testable import LatchkeyKeychainStore

/// What is asked, in which order, for every access control and everything that can be configured.
@Suite("Presence: transcripts") struct PresenceTranscriptTests {
  /// Whether the transcript goes through the whole of it: "f" a finger, "p" the passcode.
  private func transcript(
    _ flags: AccessControl.Flags, passcode: Bool, biometry: Bool
  ) throws -> String {
    let bench = PresenceBench(passcode: passcode ? "1234" : nil, hasBiometry: biometry)
    do throws(StoreError) {
      let stored = try bench.prepared(flags)
      let authorization = try bench.presence.authorize(stored, for: .sign, consent: Consent())
      let asked =
        String(repeating: "f", count: bench.finger.timesAsked)
        + String(repeating: "p", count: bench.user.questions.count)
      #expect((authorization.presenceKey != nil) == asked.contains("p"))
      #expect(stored.isBoundToPasscode == asked.contains("p"), "what asks for the passcode alone is bound to it")
      return asked
    } catch {
      #expect(bench.finger.timesAsked == 0 && bench.user.questions.isEmpty, "nobody is asked in vain")
      switch error {
      case .presence(.companionNotAvailable): return "no companion"
      case .unavailable(let text):
        #expect(text.contains("LATCHKEY_PRESENCE"))
        return "unavailable"
      case .passcodeNotSet: return "no passcode"
      default: throw error
      }
    }
  }

  @Test("nothing configured but a passcode") func passcodeAlone() throws {
    let expected: [(AccessControl.Flags, String)] = [
      ([], ""), (.privateKeyUsage, ""),
      (.userPresence, "p"), (.devicePasscode, "p"),
      (.biometryAny, "unavailable"), (.biometryCurrentSet, "unavailable"),
      ([.biometryAny, .devicePasscode], "unavailable"), ([.biometryAny, .devicePasscode, .and], "unavailable"),
      ([.biometryAny, .devicePasscode, .or], "p"), ([.biometryCurrentSet, .devicePasscode, .or], "p"),
      (.companion, "no companion"), ([.companion, .devicePasscode], "no companion"),
      ([.companion, .devicePasscode, .or], "p"), ([.companion, .biometryAny, .or], "unavailable"),
      ([.companion, .biometryAny, .devicePasscode, .or], "p"), ([.userPresence, .privateKeyUsage], "p"),
    ]
    for (flags, asked) in expected {
      #expect(try transcript(flags, passcode: true, biometry: false) == asked, "\(flags.rawValue)")
    }
  }

  @Test("a passcode and biometry") func both() throws {
    let expected: [(AccessControl.Flags, String)] = [
      ([], ""), (.userPresence, "f"), (.devicePasscode, "p"), (.biometryAny, "f"), (.biometryCurrentSet, "f"),
      ([.biometryAny, .devicePasscode], "fp"), ([.biometryCurrentSet, .devicePasscode, .and], "fp"),
      ([.biometryAny, .devicePasscode, .or], "f"), ([.biometryCurrentSet, .devicePasscode, .or], "f"),
      (.companion, "no companion"), ([.companion, .biometryAny], "no companion"),
      ([.companion, .biometryAny, .or], "f"),
      ([.companion, .devicePasscode, .or], "p"), ([.companion, .biometryAny, .devicePasscode, .or], "f"),
    ]
    for (flags, asked) in expected {
      #expect(try transcript(flags, passcode: true, biometry: true) == asked, "\(flags.rawValue)")
    }
  }

  @Test("biometry and no passcode") func biometryAlone() throws {
    let expected: [(AccessControl.Flags, String)] = [
      (.userPresence, "f"), (.devicePasscode, "no passcode"), (.biometryAny, "f"), (.biometryCurrentSet, "f"),
      ([.biometryAny, .devicePasscode], "no passcode"), ([.biometryAny, .devicePasscode, .or], "f"),
      ([.companion, .devicePasscode, .or], "no passcode"),
    ]
    for (flags, asked) in expected {
      #expect(try transcript(flags, passcode: false, biometry: true) == asked, "\(flags.rawValue)")
    }
  }

  @Test("nothing at all") func nothing() throws {
    let expected: [(AccessControl.Flags, String)] = [
      ([], ""), (.userPresence, "no passcode"), (.devicePasscode, "no passcode"), (.biometryAny, "unavailable"),
      ([.biometryAny, .devicePasscode, .or], "no passcode"), (.companion, "no companion"),
    ]
    for (flags, asked) in expected {
      #expect(try transcript(flags, passcode: false, biometry: false) == asked, "\(flags.rawValue)")
    }
  }

  @Test("flags that contradict are refused, no matter who could be asked") func contradictions() throws {
    let bench = PresenceBench()
    for flags: AccessControl.Flags in [
      [.biometryAny, .biometryCurrentSet], [.or, .and, .devicePasscode], [.userPresence, .devicePasscode],
      AccessControl.Flags(rawValue: 1 << 20),
    ] {
      #expect(storeError { try bench.prepared(flags) }.isInvalidParameter)
      #expect(
        presenceError {
          try bench.session().evaluate(
            AccessControl(protection: .whenUnlocked, flags: flags), for: .useItem, reason: "test")
        }.isInvalidParameter)
    }
  }
}
