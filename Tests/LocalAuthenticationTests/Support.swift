import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LocalAuthentication
import Testing

/// A keychain with a user and biometry for one test.
struct Scene {
  let finger: ScriptedAuthenticator
  let user: ScriptedPrompter
  let keychain: TemporaryKeychain

  static let passcode = "let me in"

  init(
    _ verdicts: [ScriptedAuthenticator.Verdict] = [], types answers: [ScriptedPrompter.Answer] = [],
    passcode: String? = passcode, hasBiometry: Bool = true
  ) throws {
    finger = ScriptedAuthenticator(verdicts)
    user = ScriptedPrompter(answers)
    keychain = try TemporaryKeychain(passcode: passcode, biometry: hasBiometry ? [finger] : [], prompter: user)
  }
}

extension ScriptedAuthenticator {
  /// Waits until it was asked, on a thread that is not one of the few that tasks have.
  func asked() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        self.waitUntilAsked()
        continuation.resume()
      }
    }
  }
}

/// The code of the error that `body` throws; nil: it threw nothing.
func code(_ body: () async throws -> some Any) async -> LAError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? LAError)?.code
  }
}

/// The code of the error that `context` has against `policy`; nil: none.
func obstacle(_ context: LAContext, _ policy: LAPolicy) throws -> LAError.Code? {
  var error: NSError?
  if context.canEvaluatePolicy(policy, error: &error) {
    #expect(error == nil)
    return nil
  }
  let found = try #require(error)
  #expect(found.domain == LAErrorDomain && !found.localizedDescription.isEmpty)
  return try #require(found as? LAError).code
}
