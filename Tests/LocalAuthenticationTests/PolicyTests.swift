import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LocalAuthentication
import Security
import Testing

/// Transcripts: what a program asks of a context, what the user is asked, and what comes of it.
@Suite("Policies of a context") struct PolicyTests {
  @Test("biometry once given is not asked for again in this context, but in another one") func remembered() async throws
  {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      #expect(try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "one"))
      #expect(try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "two"))
      #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "three"))
      #expect(scene.finger.reasons == ["one"])
      try await LAContext().evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "four")
      #expect(scene.finger.reasons == ["one", "four"])
      #expect(scene.user.questions.isEmpty)
    }
  }

  @Test(
    "every refusal has its code",
    arguments: [
      (.authenticationFailed("no"), .authenticationFailed), (.userCancel, .userCancel), (.userFallback, .userFallback),
      (.systemCancel, .systemCancel), (.biometryNotAvailable("gone"), .biometryNotAvailable),
      (.biometryNotEnrolled("none"), .biometryNotEnrolled), (.biometryLockout("locked"), .biometryLockout),
      (.notInteractive("no way"), .notInteractive),
    ] as [(PresenceError, LAError.Code)])
  func refusals(_ refusal: PresenceError, _ expected: LAError.Code) async throws {
    let scene = try Scene([.fails(refusal)])
    await scene.keychain.use {
      let context = LAContext()
      let found = await code {
        try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
      }
      #expect(found == expected)
    }
  }

  @Test("without biometry the passcode stands in for user presence, and never for biometry") func noBiometry()
    async throws
  {
    let scene = try Scene(types: [.types(Scene.passcode)], hasBiometry: false)
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      #expect(try obstacle(context, .deviceOwnerAuthenticationWithBiometrics) == .biometryNotAvailable)
      #expect(try obstacle(context, .deviceOwnerAuthenticationWithBiometricsOrCompanion) == .biometryNotAvailable)
      #expect(try obstacle(context, .deviceOwnerAuthenticationWithCompanion) == .companionNotAvailable)
      #expect(try obstacle(context, .deviceOwnerAuthentication) == nil)
      let found = await code {
        try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
      }
      #expect(found == .biometryNotAvailable && scene.user.questions.isEmpty)
      #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test"))
      #expect(scene.user.questions.map(\.reason) == ["to test"])
      #expect(context.biometryType == .none && context.domainState.stateHash == nil)
      #expect(context.evaluatedPolicyDomainState == nil)
    }
  }

  @Test("the text about missing biometry names LATCHKEY_PRESENCE") func variable() throws {
    try Scene(hasBiometry: false).keychain.use { () throws in
      var error: NSError?
      LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
      #expect(error?.localizedDescription.contains("LATCHKEY_PRESENCE") == true)
    }
  }

  @Test("without a passcode and biometry there is nothing to evaluate") func nothing() async throws {
    let scene = try Scene(passcode: nil, hasBiometry: false)
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      #expect(try obstacle(context, .deviceOwnerAuthentication) == .passcodeNotSet)
      let found = await code {
        try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
      }
      #expect(found == .passcodeNotSet)
      #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) == false)
    }
  }

  @Test("wrong passcodes are asked for again, with a complaint, and then refused") func wrongPasscodes() async throws {
    let scene = try Scene(types: [.types("a"), .types("b"), .types("c")], hasBiometry: false)
    await scene.keychain.use {
      let found = await code {
        try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
      }
      #expect(found == .authenticationFailed)
      #expect(scene.user.questions.count == 3)
      let isFirst = scene.user.questions.map { $0.complaint == nil }
      #expect(isFirst == [true, false, false])
    }
  }

  @Test("five fingers that are not known lock biometry out, until the passcode was right") func lockout() async throws {
    let scene = try Scene(Array(repeating: .refused, count: 5), types: [.types(Scene.passcode)])
    try await scene.keychain.use { () async throws in
      for _ in 0..<5 {
        let found = await code {
          try await LAContext().evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
        }
        #expect(found == .authenticationFailed)
      }
      #expect(try obstacle(LAContext(), .deviceOwnerAuthenticationWithBiometrics) == .biometryLockout)
      #expect(try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test"))
      #expect(try obstacle(LAContext(), .deviceOwnerAuthenticationWithBiometrics) == nil)
      #expect(scene.finger.timesAsked == 5)
    }
  }

  @Test("An empty reason shows no prompt", arguments: ["", " ", "\n\t"]) func emptyReason(_ reason: String) async throws
  {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      let control = try #require(
        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .biometryAny, nil))
      let policy = await code {
        try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: reason)
      }
      let access = await code {
        try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: reason)
      }
      #expect(policy == .notInteractive && access == .notInteractive && scene.finger.timesAsked == 0)
    }
  }

  @Test("where interaction is not allowed, only what was given before counts") func notInteractive() async throws {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      context.interactionNotAllowed = true
      let found = await code {
        try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
      }
      #expect(found == .notInteractive && scene.finger.timesAsked == 0)
      context.interactionNotAllowed = false
      try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
      context.interactionNotAllowed = true
      #expect(try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "again"))
      #expect(scene.finger.timesAsked == 1)
    }
  }

  @Test("biometry given to another context counts for as long as this one allows") func reuse() async throws {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      try await LAContext().evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "one")
      let reusing = LAContext()
      reusing.touchIDAuthenticationAllowableReuseDuration = LATouchIDAuthenticationMaximumAllowableReuseDuration
      #expect(try await reusing.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "two"))
      #expect(scene.finger.reasons == ["one"])
      // It does not satisfy an access control.
      let control = try #require(
        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .biometryAny, nil))
      try await reusing.evaluateAccessControl(control, operation: .useItem, localizedReason: "three")
      #expect(scene.finger.reasons == ["one", "three"])
    }
  }

  @Test("a duration that is none is 0, and a long one 300") func durations() {
    let context = LAContext()
    for (set, got) in [(-1.0, 0.0), (.nan, 0), (0, 0), (10, 10), (300, 300), (1e9, 300), (.infinity, 300)] {
      context.touchIDAuthenticationAllowableReuseDuration = set
      #expect(context.touchIDAuthenticationAllowableReuseDuration == got)
    }
  }

  @Test("the domain's state is there once a policy was looked at, and changes with what is enrolled") func domain()
    async throws
  {
    let scene = try Scene()
    try scene.keychain.use { () throws in
      let context = LAContext()
      #expect(context.evaluatedPolicyDomainState == nil)
      #expect(context.biometryType == .touchID && context.domainState.biometry.biometryType == .touchID)
      #expect(try obstacle(context, .deviceOwnerAuthenticationWithBiometrics) == nil)
      let before = try #require(context.evaluatedPolicyDomainState)
      #expect(before.count == 32 && context.domainState.stateHash == before)
      scene.finger.enrolled = Array("another finger".utf8)
      #expect(try obstacle(context, .deviceOwnerAuthenticationWithBiometrics) == nil)
      let after = try #require(context.evaluatedPolicyDomainState)
      #expect(after != before && context.domainState.biometry.stateHash == after)
      scene.finger.enrolled = nil
      #expect(try obstacle(context, .deviceOwnerAuthenticationWithBiometrics) == .biometryNotEnrolled)
      #expect(context.domainState.biometry.stateHash == nil && context.biometryType == .touchID)
      #expect(context.domainState.companion.availableCompanionTypes.isEmpty)
      #expect(context.domainState.companion.stateHash(for: .watch) == nil)
    }
  }

  @Test("A keychain that cannot be opened is an error, not a trap") func brokenKeychain() throws {
    let context = LAContext()
    let store = NobodyToAsk()
    try KeychainSessionScope.use(store) { () throws in
      #expect(try obstacle(context, .deviceOwnerAuthentication) == .biometryNotAvailable)
      #expect(context.biometryType == .none)
      #expect(!context.setCredential(Data("x".utf8), type: .applicationPassword))
    }
  }
}
