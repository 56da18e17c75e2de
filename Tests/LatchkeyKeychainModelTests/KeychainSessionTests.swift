import LatchkeyKeychainModel
import Testing

@Suite("KeychainSession") struct KeychainSessionTests {
  private let session = KeychainSession(store: EmptyStore(), entitlements: Entitlements(accessGroups: ["T.app"]))

  @Test("Outside of a test's replacement there is none") func withoutReplacement() {
    #expect(KeychainSession.replacement == nil)
    KeychainSession.$replacement.withValue(session) {}
    #expect(KeychainSession.replacement == nil)
  }

  @Test("The session in force is the replacement, with its store and its groups") func replacement() throws {
    try KeychainSession.$replacement.withValue(session) {
      let current = try KeychainSession.current()
      #expect(current.store === session.store)
      #expect(current.entitlements == session.entitlements)
    }
  }

  @Test("The inner of two replacements counts, and the outer again after it, also when the inner one throws")
  func nested() throws {
    let inner = KeychainSession(store: EmptyStore(), entitlements: .none)
    try KeychainSession.$replacement.withValue(session) { () throws in
      var found: KeychainSession?
      let error = failure { () throws in
        try KeychainSession.$replacement.withValue(inner) { () throws in
          found = try KeychainSession.current()
          throw StoreError.itemNotFound
        }
      }
      #expect(error as? StoreError == .itemNotFound)
      #expect(found?.store === inner.store)
      let after = try KeychainSession.current()
      #expect(after.store === session.store)
    }
  }

  @Test("A child task has its parent's replacement, and a detached task has none") func tasks() async {
    let session = session
    await KeychainSession.$replacement.withValue(session) {
      async let child = KeychainSession.replacement
      #expect(await child?.store === session.store)
      #expect(await Task.detached { KeychainSession.replacement == nil }.value)
    }
  }
}
