import Crypto
import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Synchronization
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

@Suite("Items with constraints") struct GuardedItemTests {
  private let secret = Array("secret".utf8)

  // MARK: Adding

  @Test("Adding, reading attributes and deleting show no prompt") func nobodyIsAsked() throws {
    let bench = try GuardedBench(hasBiometry: true)
    for flags in [AccessControl.Flags.userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode] {
      let added = try bench.add("\(flags.rawValue)", flags)
      #expect(added.data == nil && added.accessControl.flags == flags)
      let found = try #require(try bench.find("\(flags.rawValue)", wantsData: false))
      #expect(found.accessControl.flags == flags && found.data == nil)
    }
    #expect(try bench.store.verify().isClean)
    #expect(try bench.store.delete(.all(), as: me) == 4)
    #expect(bench.timesAsked == 0)
  }

  @Test("An item whose constraint cannot be met here is not added") func unmet() throws {
    let bench = try GuardedBench(passcode: false)
    let companion = failure { () throws(StoreError) in try bench.add("a", .companion) }
    if case .presence(.companionNotAvailable)? = companion {} else { Issue.record("\(String(describing: companion))") }
    for flags in [AccessControl.Flags.biometryAny, .biometryCurrentSet] {
      guard case .unavailable(let text)? = failure({ () throws(StoreError) in try bench.add("a", flags) }) else {
        Issue.record("\(flags.rawValue) taken")
        continue
      }
      #expect(!text.isEmpty)
    }
    for flags in [AccessControl.Flags.userPresence, .devicePasscode] {
      #expect(failure { () throws(StoreError) in try bench.add("a", flags) } == .passcodeNotSet)
    }
    guard
      case .presence(.credentialMissing)? = failure({ () throws(StoreError) in
        try bench.add("a", .applicationPassword)
      })
    else {
      Issue.record("added without a password")
      return
    }
    #expect(failure { () throws(StoreError) in try bench.find("a") } == .itemNotFound)
  }

  // MARK: Reading

  @Test("Data is read after consent, with one prompt for each control") func reading() throws {
    let bench = try GuardedBench(hasBiometry: true)
    for index in 0..<3 { try bench.add("passcode \(index)", .devicePasscode) }
    for index in 0..<3 { try bench.add("finger \(index)", .biometryAny) }
    try bench.store.add(.password("plain"), as: me)
    let found = try bench.store.find(.all(), as: me)
    #expect(found.count == 7 && found.allSatisfy { $0.data == secret })
    #expect(bench.finger.timesAsked == 1 && bench.user.questions.count == 1)
    _ = try bench.store.find(.all(), as: me)
    #expect(bench.finger.timesAsked == 2, "consent counts for one call")
  }

  @Test("A session caches consent") func remembered() throws {
    let bench = try GuardedBench()
    try bench.add("a", .userPresence)
    let consent = Consent(session: bench.store.presence?.makeSession())
    for _ in 0..<3 { #expect(try bench.find("a", consent: consent)?.data == secret) }
    #expect(bench.user.questions.count == 1)
    consent.session?.invalidate()
    #expect(failure { () throws(StoreError) in try bench.find("a", consent: consent) } == .presence(.invalidContext))
  }

  @Test("a wrong passcode, a canceled prompt and a strange finger open nothing") func refused() throws {
    let wrong = try GuardedBench(types: "wrong horse")
    try wrong.add("a", .devicePasscode)
    #expect(failure { () throws(StoreError) in try wrong.find("a") } != nil)
    #expect(try wrong.store.status().failedAttempts > 0, "it counts as any attempt does")
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryAny)
    bench.finger.append(.refused, .fails(.userCancel))
    #expect(failure { () throws(StoreError) in try bench.find("a") }?.isRefusal == true)
    #expect(failure { () throws(StoreError) in try bench.find("a") } == .presence(.userCancel))
    #expect(try bench.find("a")?.data == secret)
  }

  @Test("No prompt is shown if the caller refuses or skips it") func interaction() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryAny)
    try bench.add("b", .devicePasscode)
    try bench.store.add(.password("plain"), as: me)
    let refused = Consent(interaction: .refused)
    #expect(failure { () throws(StoreError) in try bench.find("a", consent: refused) }?.isNotInteractive == true)
    #expect(
      failure { () throws(StoreError) in try bench.update("a", ItemChanges(), consent: refused) }?
        .isNotInteractive == true)
    #expect(try bench.find("a", consent: refused, wantsData: false) != nil)
    let skipped = Consent(interaction: .skipped)
    #expect(failure { () throws(StoreError) in try bench.find("a", consent: skipped) } == .itemNotFound)
    #expect(
      failure { () throws(StoreError) in try bench.update("a", ItemChanges(), consent: skipped) } == .itemNotFound)
    var query = ItemQuery.all()
    query.consent = skipped
    #expect(try bench.store.find(query, as: me).map { $0.attributes[.account] } == [.text("plain")])
    query.limit = 1
    #expect(try bench.store.find(query, as: me).map { $0.attributes[.account] } == [.text("plain")])
    query.wantsData = false
    #expect(try bench.store.find(query, as: me).map { $0.attributes[.account] } == [.text("a")])
    #expect(bench.timesAsked == 0)
  }

  @Test("A pending prompt does not block other calls") func outsideOfTransactions() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryAny)
    bench.finger.block()
    let call = Call { try bench.find("a")?.data }
    bench.finger.waitUntilAsked()
    try bench.store.add(.password("meanwhile"), as: me)
    #expect(try bench.store.find(.password("meanwhile"), as: me).count == 1)
    // Another process is not held up, either.
    try bench.reopened().add(.password("elsewhere"), as: me)
    bench.finger.unblock()
    #expect(try call.value() == secret)
  }

  @Test("A keychain locked during a prompt stays locked") func lockedMeanwhile() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryAny)
    bench.finger.block()
    let call = Call { try bench.find("a")?.data }
    bench.finger.waitUntilAsked()
    bench.store.lock()
    bench.finger.unblock()
    #expect(throws: StoreError.self) { try call.value() }
  }

  // MARK: Bound

  @Test("An item that the passcode binds opens in no process without it, whatever the process's code") func bound()
    throws
  {
    let bench = try GuardedBench()
    let item = try bench.add("a", .devicePasscode)
    let row = try #require(try bench.row(item))
    let control = try row.control
    #expect(control.isBoundToPasscode)
    let parts = bench.store.parts
    for authorization in [
      Authorization.none, Authorization(presenceKey: Curve25519.KeyAgreement.PrivateKey(), applicationPassword: nil),
    ] {
      #expect(
        failure { () throws(StoreError) in
          try parts.sealer.openData(row, under: control, with: authorization, by: parts.constraints)
        } != nil)
    }
    let keys = try parts.ring.classKeys(of: row)
    #expect(failure { () throws(StoreError) in try parts.sealer.openData(row, keys: keys) }?.isDamaged == true)
  }

  @Test("an application password is wanted besides, and the right one") func applicationPassword() throws {
    let bench = try GuardedBench()
    let right = try bench.session("right")
    try bench.add("a", .applicationPassword, consent: Consent(session: right))
    try bench.add("b", [.applicationPassword, .devicePasscode], consent: Consent(session: right))
    #expect(try bench.find("a", consent: Consent(session: right))?.data == secret)
    #expect(bench.timesAsked == 0)
    #expect(try bench.find("b", consent: Consent(session: right))?.data == secret)
    #expect(bench.timesAsked == 1)
    for text in ["wrong", "right ", "Right"] {
      let wrong = Consent(session: try bench.session(text))
      #expect(failure { () throws(StoreError) in try bench.find("a", consent: wrong) }?.isRefusal == true)
      #expect(failure { () throws(StoreError) in try bench.find("b", consent: wrong) }?.isRefusal == true)
      #expect(
        failure { () throws(StoreError) in try bench.update("a", ItemChanges(data: [1]), consent: wrong) }?
          .isRefusal == true)
    }
    let reopened = try bench.reopened()
    var query = ItemQuery.password("a")
    query.consent = Consent(session: try bench.session("right", in: reopened))
    #expect(try reopened.find(query, as: me).first?.data == secret)
  }

  @Test("Removing the passcode deletes the items that it binds, and nothing else") func removal() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("bound", .devicePasscode)
    try bench.add("finger", .biometryAny)
    try bench.add("either", [.biometryAny, .devicePasscode, .or])
    try bench.store.add(.password("plain"), as: me)
    try bench.keep(bench.makeKey([.devicePasscode, .privateKeyUsage]), "bound key")
    let free = try bench.keep(bench.makeKey(), "free key")
    try bench.store.removePasscode(current: Array(GuardedBench.passcode.utf8))
    let left = try bench.store.find(ItemQuery(.genericPassword, limit: nil), as: me)
    #expect(left.map { $0.attributes[.account] } == [.text("finger"), .text("either"), .text("plain")])
    #expect(try bench.store.find(ItemQuery(.key, limit: nil), as: me).map(\.reference) == [free.reference])
    #expect(try bench.store.verify().isClean)
    #expect(try bench.find("finger")?.data == secret)
  }

  @Test("A change of passcode preserves the items that it binds") func changed() throws {
    let bench = try GuardedBench()
    try bench.add("a", .userPresence)
    try bench.store.setPasscode(Array("another horse".utf8), current: Array(GuardedBench.passcode.utf8))
    #expect(failure { () throws(StoreError) in try bench.find("a") } != nil, "the old one is typed")
    bench.user.append(.types("another horse"))
    #expect(try bench.find("a")?.data == secret)
  }

  @Test("other fingers than those of its time close an item of the current set for good") func enrollment() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("set", .biometryCurrentSet)
    try bench.add("any", .biometryAny)
    #expect(try bench.find("set")?.data == secret)
    bench.finger.enrolled = Array("another finger".utf8)
    guard case .invalidated? = failure({ () throws(StoreError) in try bench.find("set") }) else {
      Issue.record("it opened")
      return
    }
    #expect(try bench.find("any")?.data == secret)
    #expect(try bench.find("set", wantsData: false) != nil, "it can still be looked at and deleted")
  }

  // MARK: Changing

  @Test("every change of a constrained item needs consent, and keeps its constraints") func updates() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryCurrentSet)
    #expect(try bench.update("a", ItemChanges(attributes: [.label: .text("label")])) == 1)
    #expect(try bench.update("a", ItemChanges(data: Array("newer".utf8))) == 1)
    #expect(bench.finger.timesAsked == 2)
    bench.finger.append(.refused, .refused, .refused)
    let control = AccessControl(protection: .whenUnlockedThisDeviceOnly)
    for changes in [
      ItemChanges(attributes: [.label: .text("x")]), ItemChanges(data: [1]), ItemChanges(accessControl: control),
    ] {
      #expect(failure { () throws(StoreError) in try bench.update("a", changes) }?.isRefusal == true)
    }
    let found = try #require(try bench.find("a"))
    #expect(found.data == Array("newer".utf8) && found.attributes[.label] == .text("label"))
    #expect(found.accessControl.flags == .biometryCurrentSet)
    bench.finger.enrolled = [1]
    guard
      case .invalidated? = failure({ () throws(StoreError) in try bench.update("a", ItemChanges(accessControl: control))
      })
    else {
      Issue.record("other fingers have changed it")
      return
    }
  }

  @Test("Constraints are added without consent, and replaced and removed with it") func controls() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.store.add(.password("a"), as: me)
    func control(_ flags: AccessControl.Flags) -> ItemChanges {
      ItemChanges(accessControl: AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags))
    }
    #expect(try bench.update("a", control(.biometryAny)) == 1)
    #expect(bench.timesAsked == 0)
    #expect(try bench.update("a", control(.devicePasscode)) == 1)
    #expect(bench.finger.timesAsked == 1 && bench.user.questions.isEmpty)
    #expect(try bench.find("a")?.data == secret)
    #expect(bench.user.questions.count == 1)
    let session = try bench.session("password")
    #expect(failure { () throws(StoreError) in try bench.update("a", control(.applicationPassword)) } != nil)
    #expect(try bench.update("a", control(.applicationPassword), consent: Consent(session: session)) == 1)
    #expect(try bench.find("a", consent: Consent(session: session))?.data == secret)
    #expect(try bench.update("a", control([]), consent: Consent(session: session)) == 1)
    let before = bench.timesAsked
    #expect(try bench.find("a")?.data == secret)
    #expect(bench.timesAsked == before)
    #expect(try bench.store.verify().isClean)
  }

  @Test("an item that gets constraints while another call would change it is not changed without consent")
  func race() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryAny)
    bench.finger.block()
    let call = Call { try bench.update("a", ItemChanges(data: [7])) }
    bench.finger.waitUntilAsked()
    // Another process changes the item meanwhile: what was consented to is not what stands there now.
    let other = try bench.reopened()
    bench.finger.unblock()
    var query = ItemQuery.password("a")
    query.consent = Consent()
    #expect(
      try other.update(
        query,
        with: ItemChanges(
          accessControl: AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .devicePasscode)), as: me) == 1)
    #expect(try call.value() == 1)
    let found = try #require(try bench.find("a"))
    #expect(found.data == [7])
  }

  @Test("An item without data is read without a prompt; adding data requires consent") func withoutData() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryAny, data: nil)
    #expect(try bench.find("a") != nil)
    #expect(bench.timesAsked == 0)
    #expect(try bench.update("a", ItemChanges(data: [1])) == 1)
    #expect(bench.timesAsked == 1)
    #expect(try bench.find("a")?.data == [1])
  }

  @Test("many threads read and change what is guarded, and each result is whole") func threads() throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", .biometryAny, data: "0")
    let faults = Mutex<[String]>([])
    inThreads(4) { index in
      for step in 0..<10 {
        do {
          if index % 2 == 0 {
            _ = try bench.update("a", ItemChanges(data: Array("\(index)-\(step)".utf8)))
          } else if try bench.find("a")?.data == nil {
            faults.withLock { $0.append("no data") }
          }
        } catch {
          faults.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(faults.withLock { $0 } == [])
    #expect(try bench.store.verify().isClean)
  }
}

extension GuardedBench {
  /// The row of an item as it stands in the file.
  func row(_ item: StoredItem) throws(StoreError) -> ItemRow? {
    try store.reading { (connection) throws(StoreError) in
      let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item WHERE uuid = ?")
      defer { statement.reset() }
      statement.bind(item.reference.uuid, 1)
      return try statement.step() ? try ItemTable.row(statement) : nil
    }
  }
}
