import Crypto
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

private func control(_ flags: AccessControl.Flags) -> AccessControl {
  AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags)
}

@Suite("Presence: refusals and errors") struct PresenceRefusalTests {
  @Test("A failure of biometry does not fall back to the passcode") func refused() throws {
    for refusal: PresenceError in [
      .authenticationFailed("no"), .userCancel, .systemCancel, .appCancel, .notInteractive("no"),
    ] {
      let bench = PresenceBench(finger: ScriptedAuthenticator([.fails(refusal)]))
      let stored = try bench.prepared(.userPresence)
      #expect(
        storeError { try bench.presence.authorize(stored, for: .sign, consent: Consent()) } == .presence(refusal))
      #expect(bench.user.questions.isEmpty && bench.keychain.tried.isEmpty)
      bench.finger.append(.fails(refusal))
      #expect(presenceError { try bench.session().evaluate(.userPresence, reason: "test") } == refusal)
      #expect(bench.user.questions.isEmpty)
    }
  }

  @Test("A user who chooses the passcode, or cannot use biometry now, is asked for the passcode where it suffices")
  func fallback() throws {
    for reason: PresenceError in [
      .userFallback, .biometryLockout("x"), .biometryNotAvailable("x"), .biometryNotEnrolled("x"),
    ] {
      let bench = PresenceBench(finger: ScriptedAuthenticator(otherwise: .fails(reason)))
      try bench.session().evaluate(.userPresence, reason: "test")
      #expect(bench.finger.timesAsked == 1 && bench.user.questions.map(\.subject) == [.passcode])
      // And not where it is not.
      #expect(presenceError { try bench.session().evaluate(.biometry, reason: "test") } == reason)
      #expect(bench.user.questions.count == 1)
      let both = try bench.prepared([.biometryAny, .devicePasscode])
      #expect(storeError { try bench.presence.authorize(both, for: .sign, consent: Consent()) } == .presence(reason))
      #expect(bench.user.questions.count == 1, "the passcode alone is not both")
    }
  }

  @Test("biometry that is configured and not there: the passcode where it is enough, else what is wrong")
  func notThere()
    throws
  {
    let bench = PresenceBench(finger: ScriptedAuthenticator(enrolled: nil))
    try bench.session().evaluate(.userPresence, reason: "test")
    #expect(bench.finger.timesAsked == 0 && bench.user.questions.count == 1)
    #expect(presenceError { try bench.session().evaluate(.biometry, reason: "test") }.isNotEnrolled)
    #expect(presenceError { try bench.session().check(.biometry) }.isNotEnrolled)
    try bench.session().check(.userPresence)
    let without = PresenceBench(passcode: nil, finger: ScriptedAuthenticator(enrolled: nil))
    #expect(presenceError { try without.session().check(.userPresence) }.isNotEnrolled)
    #expect(presenceError { try without.session().evaluate(.userPresence, reason: "test") }.isNotEnrolled)
  }

  @Test("policies that nothing can meet, without anybody being asked") func policies() throws {
    let nothing = PresenceBench(passcode: nil, hasBiometry: false)
    let expected: [(PresencePolicy, (PresenceError?) -> Bool)] = [
      (.biometry, \.isNotAvailable), (.userPresence, { $0 == .passcodeNotSet }),
      (.companion, \.isCompanionNotAvailable), (.biometryOrCompanion, \.isNotAvailable),
    ]
    for (policy, isRight) in expected {
      #expect(isRight(presenceError { try nothing.session().check(policy) }))
      #expect(isRight(presenceError { try nothing.session().evaluate(policy, reason: "test") }))
    }
    #expect(presenceError { try nothing.session().check(.biometry) }?.description.contains("LATCHKEY_PRESENCE") == true)
    #expect(nothing.user.questions.isEmpty)
    #expect(nothing.presence.biometryNames.isEmpty)
    #expect(presenceError { try nothing.presence.enrollment() }.isNotAvailable)
    // With a passcode, and still no biometry, biometry is not replaced by it.
    let passcode = PresenceBench(hasBiometry: false)
    #expect(presenceError { try passcode.session().evaluate(.biometry, reason: "test") }.isNotAvailable)
    #expect(passcode.user.questions.isEmpty)
  }

  @Test("an empty reason is refused") func reason() throws {
    let bench = PresenceBench()
    for reason in ["", "  ", "\n\t"] {
      #expect(presenceError { try bench.session().evaluate(.biometry, reason: reason) }.isInvalidParameter)
      #expect(
        presenceError { try bench.session().evaluate(control(.biometryAny), for: .sign, reason: reason) }
          .isInvalidParameter)
    }
    #expect(bench.finger.timesAsked == 0)
  }

  @Test("reasons come from the call, the context, the operation, in this order") func reasons() throws {
    let bench = PresenceBench()
    let stored = try bench.prepared(.biometryAny)
    for operation in PresenceOperation.allCases {
      _ = try bench.presence.authorize(stored, for: operation, consent: Consent())
    }
    #expect(Set(bench.finger.reasons).count == PresenceOperation.allCases.count)
    let session = try bench.session()
    session.options.reason = "the context's"
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent(session: session, reason: ""))
    session.lock()
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent(session: session, reason: "the call's"))
    #expect(bench.finger.reasons.suffix(2) == ["the context's", "the call's"])
  }

  @Test("Without interaction no prompt is shown, and earlier consent still counts") func interaction() throws {
    let bench = PresenceBench()
    let stored = try bench.prepared(.biometryAny)
    let session = try bench.session()
    for interaction in [Consent.Interaction.refused, .skipped] {
      let consent = Consent(session: session, interaction: interaction)
      #expect(bench.presence.needsInteraction(stored, consent: consent))
      #expect(presenceError { try bench.presence.authorize(stored, for: .sign, consent: consent) }.isNotInteractive)
      #expect(
        presenceError {
          try bench.presence.authorize(stored, for: .sign, consent: Consent(interaction: interaction))
        }.isNotInteractive)
    }
    session.options.interactionNotAllowed = true
    #expect(presenceError { try session.evaluate(.biometry, reason: "test") }.isNotInteractive)
    #expect(bench.finger.timesAsked == 0)
    session.options.interactionNotAllowed = false
    try session.evaluate(.biometry, reason: "test")
    session.options.interactionNotAllowed = true
    let refused = Consent(session: session, interaction: .refused)
    #expect(!bench.presence.needsInteraction(stored, consent: refused))
    _ = try bench.presence.authorize(stored, for: .sign, consent: refused)
    try session.evaluate(.biometry, reason: "test")
    #expect(bench.finger.timesAsked == 1)
    // An item that needs no prompt is not refused.
    let free = try bench.prepared(.privateKeyUsage)
    _ = try bench.presence.authorize(free, for: .sign, consent: Consent(interaction: .refused))
    #expect(!bench.presence.needsInteraction(free, consent: Consent(interaction: .refused)))
  }

  @Test("without a prompter the passcode cannot be given, and the error says what to set") func noPrompter() throws {
    let bench = PresenceBench(hasBiometry: false, hasPrompter: false)
    let error = presenceError { try bench.session().evaluate(.userPresence, reason: "test") }
    #expect(error.isNotInteractive && error?.description.contains("LATCHKEY_ASKPASS") == true)
    let session = try bench.session()
    let own = ScriptedPrompter(always: "1234")
    session.options.prompter = own
    try session.evaluate(.userPresence, reason: "test")
    #expect(own.questions.count == 1)
  }

  @Test("the context's own prompter comes before the keychain's") func ownPrompter() throws {
    let bench = PresenceBench(hasBiometry: false)
    let session = try bench.session()
    session.options.prompter = ScriptedPrompter([.fails(.userCancel)])
    #expect(presenceError { try session.evaluate(.userPresence, reason: "test") } == .userCancel)
    #expect(bench.user.questions.isEmpty)
  }

  @Test("a context of another keychain is refused") func foreign() throws {
    let (one, two) = (PresenceBench(), PresenceBench())
    let stored = try two.prepared(.biometryAny)
    let session = try one.session()
    try session.evaluate(.biometry, reason: "test")
    let consent = Consent(session: session)
    #expect(storeError { try two.presence.authorize(stored, for: .sign, consent: consent) }.isInvalidParameter)
    #expect(storeError { try two.prepared(.biometryAny, consent: consent) }.isInvalidParameter)
    #expect(two.presence.needsInteraction(stored, consent: consent))
    #expect(two.finger.timesAsked == 0)
  }
}

@Suite("Presence: the passcode") struct PresencePasscodeTests {
  @Test("is asked for three times in a call, with how many tries are left") func threeTries() throws {
    let bench = PresenceBench(hasBiometry: false, user: ScriptedPrompter(otherwise: .types("hunter2")))
    #expect(
      storeError { try bench.presence.authorize(try bench.prepared(.devicePasscode), for: .sign, consent: Consent()) }
        == .wrongPasscode(attemptsBeforeDelay: 2))
    #expect(bench.keychain.tried == ["hunter2", "hunter2", "hunter2"])
    let complaints = bench.user.questions.map(\.complaint)
    #expect(complaints.count == 3 && complaints[0] == nil)
    #expect(complaints[1]?.contains("4 more") == true && complaints[2]?.contains("3 more") == true)
    for question in bench.user.questions {
      #expect(!"\(question)".contains("hunter2") && !question.text.contains("1234"), "no secret is in a question")
    }
    // To a context's caller it is a failed authentication.
    let error = presenceError { try bench.session().evaluate(.userPresence, reason: "test") }
    #expect(error.isRefusal && error?.description.contains("hunter2") == false)
  }

  @Test("is accepted at the second try") func secondTry() throws {
    let bench = PresenceBench(
      hasBiometry: false, user: ScriptedPrompter([.types("12345"), .types("1234"), .types("never")]))
    let stored = try bench.prepared(.devicePasscode)
    let authorization = try bench.presence.authorize(stored, for: .sign, consent: Consent())
    #expect(authorization.presenceKey?.rawRepresentation == bench.keychain.key.rawRepresentation)
    #expect(bench.user.questions.count == 2)
  }

  @Test("is not asked for again once the next try must wait, nor while it must") func delay() throws {
    let bench = PresenceBench(hasBiometry: false, user: ScriptedPrompter(always: "wrong"))
    let stored = try bench.prepared(.devicePasscode)
    _ = storeError { try bench.presence.authorize(stored, for: .sign, consent: Consent()) }
    let asked = bench.user.questions.count
    #expect(
      storeError { try bench.presence.authorize(stored, for: .sign, consent: Consent()) }
        == .wrongPasscode(attemptsBeforeDelay: 0))
    #expect(bench.user.questions.count == asked + 2)
    #expect(
      storeError { try bench.presence.authorize(stored, for: .sign, consent: Consent()) }.isPasscodeDelayed)
    let error = presenceError { try bench.session().evaluate(.userPresence, reason: "test") }
    #expect(error.isRefusal && error?.description.contains("60 seconds") == true)
    #expect(bench.user.questions.count == asked + 2, "nobody types what would not be tried")
  }

  @Test("that is empty is no attempt") func empty() throws {
    let bench = PresenceBench(
      hasBiometry: false, user: ScriptedPrompter([.types(""), .types("1234")], otherwise: .types("")))
    try bench.session().evaluate(.userPresence, reason: "test")
    #expect(bench.keychain.tried == ["1234"] && bench.user.questions.last?.complaint != nil)
    #expect(presenceError { try bench.session().evaluate(.userPresence, reason: "test") }.isRefusal)
    #expect(bench.keychain.tried.count == 1 && bench.user.questions.count == 5)
  }

  @Test("that was not given because the user canceled is no attempt") func cancelled() throws {
    let bench = PresenceBench(hasBiometry: false, user: ScriptedPrompter([.fails(.userCancel)]))
    #expect(presenceError { try bench.session().evaluate(.userPresence, reason: "test") } == .userCancel)
    #expect(bench.keychain.tried.isEmpty)
  }

  @Test("counts for its context alone, and without one for its call alone") func remembered() throws {
    let bench = PresenceBench(hasBiometry: false)
    let stored = try bench.prepared(.devicePasscode)
    for _ in 1...2 { _ = try bench.presence.authorize(stored, for: .sign, consent: Consent()) }
    #expect(bench.user.questions.count == 2)
    let session = try bench.session()
    for _ in 1...3 {
      #expect(
        try bench.presence.authorize(stored, for: .sign, consent: Consent(session: session)).presenceKey != nil)
    }
    try session.evaluate(.userPresence, reason: "test")
    #expect(bench.user.questions.count == 3)
    let other = try bench.session()
    #expect(bench.presence.needsInteraction(stored, consent: Consent(session: other)))
    // What another context was given by biometry is not the passcode.
    #expect(
      try bench.presence.authorize(try bench.prepared([]), for: .sign, consent: Consent(session: session)).presenceKey
        == nil)
  }

  @Test("binds items made without biometry, permanently") func bound() throws {
    let before = PresenceBench(hasBiometry: false)
    let stored = try before.prepared(.userPresence)
    #expect(stored.isBoundToPasscode)
    let now = PresenceBench()
    let authorization = try now.presence.authorize(stored, for: .sign, consent: Consent())
    #expect(authorization.presenceKey != nil && now.finger.timesAsked == 0)
    let session = try now.session()
    try session.evaluate(.biometry, reason: "test")
    #expect(now.presence.needsInteraction(stored, consent: Consent(session: session)), "a finger opens nothing here")
  }

  @Test("in a file unlocks the keychain and proves no presence") func file() throws {
    let keychain = try TemporaryKeychain(passcode: "12345678", isUnlocked: false)
    try keychain.unlock()
    let presence = keychain.database.presenceAuthority
    let stored = try presence.prepare(control(.devicePasscode), consent: Consent()).stored
    #expect(presence.needsInteraction(stored, consent: Consent(session: presence.makeSession())))
    #expect(presenceError { try presence.authorize(stored, for: .useItem, consent: Consent()) }.isNotInteractive)
  }

  @Test("of a keychain itself: wrong ones are counted there, the right one gives its presence key") func keychain()
    throws
  {
    let user = ScriptedPrompter([.types("wrong"), .types("12345678")])
    let keychain = try TemporaryKeychain(passcode: "12345678", prompter: user)
    let presence = keychain.database.presenceAuthority
    let prepared = try presence.prepare(control(.userPresence), consent: Consent())
    let authorization = try presence.authorize(prepared.stored, for: .useItem, consent: Consent())
    #expect(
      authorization.presenceKey?.publicKey.rawRepresentation == prepared.presencePublicKey?.rawRepresentation
        && authorization.presenceKey != nil)
    #expect(user.questions.last?.complaint?.contains("4 more") == true)
    // The same one again would count once.
    let wrong = ScriptedPrompter((0..<5).map { .types("wrong \($0)") })
    let session = try #require(keychain.database.presence).makeSession()
    session.options.prompter = wrong
    for _ in 1...2 { _ = presenceError { try session.evaluate(.userPresence, reason: "test") } }
    #expect(presenceError { try session.evaluate(.userPresence, reason: "test") }?.description.contains("wait") == true)
    #expect(storeError { try keychain.unlock() }.isPasscodeDelayed, "they count for the keychain, too")
  }
}

@Suite("Presence: biometry") struct PresenceBiometryTests {
  @Test("five failures in a row lock it out until the passcode was right") func lockout() throws {
    let bench = PresenceBench(finger: ScriptedAuthenticator(otherwise: .refused))
    for _ in 1...5 {
      #expect(presenceError { try bench.session().evaluate(.biometry, reason: "test") }.isRefusal)
    }
    #expect(presenceError { try bench.session().evaluate(.biometry, reason: "test") }.isLockout)
    #expect(presenceError { try bench.session().check(.biometry) }.isLockout)
    #expect(bench.finger.timesAsked == 5)
    let stored = try bench.prepared(.biometryAny)
    #expect(presenceError { try bench.presence.authorize(stored, for: .sign, consent: Consent()) }.isLockout)
    // A wrong passcode does not end it, the right one does.
    let session = try bench.session()
    session.options.prompter = ScriptedPrompter([.types("wrong"), .fails(.userCancel)])
    #expect(presenceError { try session.evaluate(.userPresence, reason: "test") } == .userCancel)
    #expect(presenceError { try bench.session().check(.biometry) }.isLockout)
    try bench.session().evaluate(.userPresence, reason: "test")
    try bench.session().check(.biometry)
    #expect(bench.finger.timesAsked == 5)
  }

  @Test("four failures and a success begin the count anew; what is no failure counts as none") func count() throws {
    let bench = PresenceBench(
      finger: ScriptedAuthenticator(
        [.refused, .refused, .refused, .refused, .recognized, .refused, .refused, .refused, .refused]
          + [.fails(.userCancel), .fails(.userFallback), .fails(.systemCancel)], otherwise: .recognized))
    for _ in 1...12 { _ = presenceError { try bench.session().evaluate(.biometry, reason: "test") } }
    try bench.session().evaluate(.biometry, reason: "test")
    #expect(bench.finger.timesAsked == 13)
  }

  @Test("locked out, where both are wanted: the passcode comes first and lets biometry count again") func both() throws
  {
    let bench = PresenceBench(finger: ScriptedAuthenticator([.refused, .refused, .refused, .refused, .refused]))
    for _ in 1...5 { _ = presenceError { try bench.session().evaluate(.biometry, reason: "test") } }
    let stored = try bench.prepared([.biometryAny, .devicePasscode])
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent())
    #expect(bench.finger.timesAsked == 6 && bench.user.questions.count == 1)
  }

  @Test("the first that is available is asked, and no other") func order() throws {
    let (one, two) = (ScriptedAuthenticator(name: "one", [.refused]), ScriptedAuthenticator(name: "two"))
    let presence = KeychainPresence(
      PresenceConfiguration(biometry: [one, two]), keychain: PasscodeDouble())
    #expect(presence.biometryNames == ["one", "two"])
    #expect(presenceError { try presence.makeSession().evaluate(.biometry, reason: "test") }.isRefusal)
    #expect(two.timesAsked == 0, "whom one refuses another is not asked about")
    one.unavailability = .biometryNotAvailable("unplugged")
    try presence.makeSession().evaluate(.biometry, reason: "test")
    #expect(one.timesAsked == 1 && two.timesAsked == 1)
    two.unavailability = .biometryNotAvailable("unplugged, too")
    #expect(
      presenceError { try presence.makeSession().evaluate(.biometry, reason: "test") }
        == .biometryNotAvailable("unplugged"))
  }

  @Test("once given counts for another context's policies for a while, and never for its access controls") func reuse()
    throws
  {
    let bench = PresenceBench()
    try bench.session().evaluate(.biometry, reason: "test")
    let session = try bench.session()
    session.options.biometryReuseDuration = 30
    bench.time.advance(30)
    try session.evaluate(.biometry, reason: "test")
    try session.evaluate(.userPresence, reason: "test")
    try session.evaluate(.biometryOrCompanion, reason: "test")
    #expect(bench.finger.timesAsked == 1)
    let stored = try bench.prepared(.biometryAny)
    #expect(bench.presence.needsInteraction(stored, consent: Consent(session: session)))
    try session.evaluate(control(.biometryAny), for: .sign, reason: "test")
    #expect(bench.finger.timesAsked == 2)

    let late = try bench.session()
    late.options.biometryReuseDuration = 30
    bench.time.advance(31)
    try late.evaluate(.biometry, reason: "test")
    #expect(bench.finger.timesAsked == 3)
    // 300 seconds at most, and nothing for what is no duration.
    bench.time.advance(301)
    for duration in [Double.infinity, 1e9, -1, .nan, 0] {
      let before = bench.finger.timesAsked
      let session = try bench.session()
      session.options.biometryReuseDuration = duration
      try session.evaluate(.biometry, reason: "test")
      #expect(bench.finger.timesAsked == before + 1, "\(duration)")
      bench.time.advance(301)
    }
  }

  @Test("of a moment ago counts no more after a lock, a passcode never does") func reuseEnds() throws {
    let bench = PresenceBench(finger: ScriptedAuthenticator([.recognized, .fails(.userFallback)], otherwise: .refused))
    try bench.session().evaluate(.biometry, reason: "test")
    bench.presence.lock()
    let session = try bench.session()
    session.options.biometryReuseDuration = 300
    try session.evaluate(.userPresence, reason: "test")
    #expect(bench.user.questions.count == 1)
    let other = try bench.session()
    other.options.biometryReuseDuration = 300
    #expect(presenceError { try other.evaluate(.userPresence, reason: "test") }.isRefusal)
  }

  @Test("of the current set is lost when the enrollment changes, before any prompt") func currentSet() throws {
    let bench = PresenceBench()
    let stored = try bench.prepared(.biometryCurrentSet)
    #expect(stored.enrollment?.count == 32)
    let session = try bench.session()
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent(session: session))
    bench.finger.enrolled = Array("another finger".utf8)
    // Not even what was consented to before opens it.
    for consent in [Consent(), Consent(session: session), Consent(interaction: .refused)] {
      #expect(storeError { try bench.presence.authorize(stored, for: .sign, consent: consent) }.isInvalidated)
    }
    #expect(try bench.presence.isLost(stored))
    bench.finger.enrolled = nil
    #expect(storeError { try bench.presence.authorize(stored, for: .sign, consent: Consent()) }.isInvalidated)
    #expect(bench.finger.timesAsked == 1)
    // A reader that is unplugged is no change.
    bench.finger.unavailability = .biometryNotAvailable("unplugged")
    #expect(
      presenceError { try bench.presence.authorize(stored, for: .sign, consent: Consent()) }.isNotAvailable)
    bench.finger.unavailability = nil
    bench.finger.enrolled = Array("a finger".utf8)
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent())
    #expect(try !bench.presence.isLost(stored))
  }

  @Test("of the current set, or the passcode: the passcode still opens it after a change") func currentSetOrPasscode()
    throws
  {
    let bench = PresenceBench()
    let stored = try bench.prepared([.biometryCurrentSet, .or, .devicePasscode])
    bench.finger.enrolled = Array("another finger".utf8)
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent())
    #expect(bench.finger.timesAsked == 0 && bench.user.questions.count == 1)
    let session = try bench.session()
    try session.evaluate(.biometry, reason: "test")
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent(session: session))
    #expect(bench.user.questions.count == 2, "the new finger given in this context does not open it")
  }

  @Test("enrolled while the user is asked does not count") func enrolledMeanwhile() throws {
    let bench = PresenceBench()
    let stored = try bench.prepared(.biometryCurrentSet)
    bench.finger.block()
    let call = Call { try bench.presence.authorize(stored, for: .sign, consent: Consent()) }
    bench.finger.waitUntilAsked()
    bench.finger.enrolled = Array("another finger".utf8)
    bench.finger.unblock()
    #expect(storeError { try call.value() }.isInvalidated)
  }

  @Test("nothing is made for the current set while nothing is enrolled") func currentSetWithoutAny() throws {
    let bench = PresenceBench(finger: ScriptedAuthenticator(enrolled: nil))
    #expect(presenceError { try bench.prepared(.biometryCurrentSet) }.isNotEnrolled)
    // With the passcode as another way it is bound to that, and biometry enrolled later does not count.
    let stored = try bench.prepared([.biometryCurrentSet, .or, .devicePasscode])
    #expect(stored.isBoundToPasscode && stored.enrollment == nil)
    bench.finger.enrolled = [1]
    _ = try bench.presence.authorize(stored, for: .sign, consent: Consent())
    #expect(bench.finger.timesAsked == 0)
  }

  @Test("Its enrollment changes with each sensor's, its name and its place, and reveals nothing") func enrollment()
    throws
  {
    func digest(_ sensors: [(String, [UInt8]?)]) throws -> [UInt8] {
      try Biometry(sensors.map { ScriptedAuthenticator(name: $0.0, enrolled: $0.1) }, now: { 0 }).enrollment()
    }
    let all = try [
      digest([("a", [1])]), digest([("a", [2])]), digest([("b", [1])]), digest([("a", [])]), digest([("a", [1, 2])]),
      digest([("a", [1]), ("b", nil)]), digest([("a", [1]), ("b", [])]), digest([("b", []), ("a", [1])]),
      digest([("ab", [1])]), digest([("a", [1]), ("b", [2])]), digest([("a", [2]), ("b", [1])]),
    ]
    #expect(Set(all).count == all.count && all.allSatisfy { $0.count == 32 })
    #expect(presenceError { try digest([("a", nil), ("b", nil)]) }.isNotEnrolled)
    #expect(presenceError { try digest([]) }.isNotAvailable)
  }

  @Test("The context returns the enrollment after a policy with biometry was evaluated") func domainState() throws {
    let bench = PresenceBench()
    for policy in [PresencePolicy.biometry, .userPresence, .biometryOrCompanion] {
      let session = try bench.session()
      #expect(session.domainState == nil)
      try session.check(policy)
      #expect(session.domainState == (try bench.presence.enrollment()))
    }
    let session = try bench.session()
    _ = presenceError { try session.check(.companion) }
    #expect(session.domainState == nil)
    try session.evaluate(.biometry, reason: "test")
    let before = session.domainState
    bench.finger.enrolled = [9]
    try session.evaluate(.biometry, reason: "test")
    #expect(before != nil && session.domainState != before)
  }
}
