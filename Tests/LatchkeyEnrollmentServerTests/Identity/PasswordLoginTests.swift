import LatchkeyServerTestSupport
import LatchkeyByteCoding
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Logins with a password")
struct PasswordLoginTests {
  private func login(
    _ bench: CeremonyBench, _ user: String = "demo", _ password: String = "correct horse"
  ) async throws -> SessionToken {
    try await PasswordLoginCeremony(services: bench.services).login(
      user: user, password: SecretBytes(password: password))
  }

  @Test("The right password opens a session of 15 minutes, stored by its hash")
  func right() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let session = try await login(bench)
    #expect(session.text.utf8.count == 43)
    let (hash, now) = (session.record.hash, bench.now)
    let kept = try await bench.store.read { try $0.token(hash: hash, now: now) }
    #expect(kept?.user == "demo" && kept?.device == nil && kept?.hasRegistered == false)
    #expect(try await bench.store.read { try $0.token(hash: hash, now: now + 901) } == nil)
    #expect(try await login(bench).text != session.text)
    #expect(try await bench.store.events.map(\.event) == ["login.password", "login.password"])
  }

  @Test("no such user, a wrong password, no password at all and a locked user get one answer")
  func oneAnswer() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    try await bench.user("mute", password: nil)
    var locked = try await bench.user("locked")
    locked.lockedUntil = .max
    let record = locked
    try await bench.store.write { try $0.updateUser(record) }
    var answers: Set<Problem> = []
    for (user, password) in [
      ("nobody", "correct horse"), ("demo", "wrong"), ("mute", ""), ("mute", "x"), ("locked", "correct horse"),
      ("", ""), ("demo", ""), (String(repeating: "a", count: 5000), "x"), ("demo", String(repeating: "a", count: 5000)),
    ] {
      do {
        _ = try await login(bench, user, password)
        Issue.record("\(user) \(password) is in")
      } catch let problem as Problem { answers.insert(problem) }
    }
    #expect(answers == [PasswordLoginCeremony.refusal])
  }

  private func origin(_ address: String, _ device: AuthenticatedDevice? = nil) -> LoginOrigin {
    LoginOrigin(device: device, peer: PeerAddress(address))
  }

  private func login(
    _ bench: CeremonyBench, _ password: String, from origin: LoginOrigin
  ) async throws -> SessionToken {
    try await PasswordLoginCeremony(services: bench.services)
      .login(user: "demo", password: SecretBytes(password: password), from: origin)
  }

  @Test(
    "five wrong passwords from one place end its tries, and nobody else's; a user who does not exist is no different")
  func place() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (thief, owner) = (origin("192.0.2.1"), origin("192.0.2.2"))
    for _ in 1...5 { await expect(.notAuthenticated) { try await login(bench, "wrong", from: thief) } }
    await expect(.tooManyRequests) { try await login(bench, "wrong", from: thief) }
    await expect(.tooManyRequests) { try await login(bench, "correct horse", from: thief) }
    #expect(try await bench.record()?.failures == 5)
    _ = try await login(bench, "correct horse", from: owner)
    bench.clock.advance(by: 61)
    await expect(.notAuthenticated) { try await login(bench, "wrong", from: thief) }
    await expect(.tooManyRequests) { try await login(bench, "correct horse", from: thief) }
    bench.clock.advance(by: 61)
    _ = try await login(bench, "correct horse", from: thief)
    // The same device from anywhere is one place.
    let device = try await bench.device()
    for number in 1...5 {
      await expect(.notAuthenticated) { try await login(bench, "wrong", from: origin("198.51.100.\(number)", device)) }
    }
    await expect(.tooManyRequests) { try await login(bench, "correct horse", from: origin("198.51.100.9", device)) }
    for _ in 1...5 { await expect(.notAuthenticated) { try await login(bench, "nobody", "x") } }
    await expect(.tooManyRequests) { try await login(bench, "nobody", "x") }
  }

  @Test("guesses from very many places lock a user for strange places alone, and the operator can end that")
  func ceiling() async throws {
    let bench = try CeremonyBench { $0.limits.passwordFailuresPerDay = 10 }
    try await bench.user()
    let (known, device) = (origin("192.0.2.2"), try await bench.device())
    _ = try await login(bench, "correct horse", from: known)
    for number in 1...12 {
      await expect(.notAuthenticated) { try await login(bench, "wrong", from: origin("203.0.113.\(number)")) }
    }
    await expect(.notAuthenticated) { try await login(bench, "correct horse", from: origin("203.0.113.99")) }
    #expect(try await bench.store.events.last?.fields["reason"] == "locked")
    _ = try await login(bench, "correct horse", from: known)
    _ = try await login(bench, "correct horse", from: origin("203.0.113.98", device))
    try await Operator(bench.store, clock: { [clock = bench.clock] in clock.now }).unlock("demo")
    _ = try await login(bench, "correct horse", from: origin("203.0.113.97"))
    await #expect(throws: OperatorError.self) { try await Operator(bench.store).unlock("nobody") }
  }

  @Test("a place that logged in is known after a restart and at every server, until the password is another")
  func knownAfterRestart() async throws {
    let bench = try CeremonyBench { $0.limits.passwordFailuresPerDay = 10 }
    var user = try await bench.user()
    let known = origin("192.0.2.2")
    _ = try await login(bench, "correct horse", from: known)
    user.lockedUntil = .max
    let locked = user
    try await bench.store.write { try $0.updateUser(locked) }
    let restarted = PasswordLoginCeremony(services: Services(bench.services.configuration))
    func enter(_ password: String, from origin: LoginOrigin) async throws {
      _ = try await restarted.login(user: "demo", password: SecretBytes(password: password), from: origin)
    }
    try await enter("correct horse", from: known)
    await expect(.notAuthenticated) { try await enter("correct horse", from: origin("192.0.2.3")) }
    // No address, and no other user's place, is stored in the clear.
    let places = try await bench.store.read { try $0.isLoginPlace(Array("192.0.2.2".utf8), of: "demo") }
    #expect(!places)
    try await Operator(bench.store).setPassword("another horse", of: "demo")
    let lockedAgain = try await bench.record().map { user in
      var user = user
      user.lockedUntil = .max
      return user
    }
    if let lockedAgain { try await bench.store.write { try $0.updateUser(lockedAgain) } }
    await expect(.notAuthenticated) { try await enter("another horse", from: known) }
  }

  @Test("Counted failures expire over time, and a lock is short however many wrong passwords arrive")
  func decay() async throws {
    let bench = try CeremonyBench { $0.limits.passwordFailuresPerDay = 10 }
    try await bench.user()
    let (limits, user) = (bench.services.limits, try #require(try await bench.record()))
    func attempt(isRight: Bool) async throws -> Bool {
      let attempt = PasswordAttempt(checked: user, isRight: isRight, now: bench.now, limits: limits)
      return try await bench.store.write { try attempt.verify(in: $0) }
    }
    for _ in 0..<1000 { #expect(try await attempt(isRight: false) == false) }
    let end = try #require(try await bench.record()?.lockedUntil)
    #expect(end > bench.now && end <= bench.now + 8640)
    #expect(try await attempt(isRight: true) == false)
    bench.clock.advance(by: 8641)
    #expect(try await attempt(isRight: true))
    // One try is back, and no more.
    #expect(try await attempt(isRight: false) == false)
    #expect(try await attempt(isRight: true) == false)
    bench.clock.advance(by: 2 * 86_400)
    for _ in 0..<10 {
      #expect(try await attempt(isRight: false) == false)
      #expect(try await attempt(isRight: true))
    }
  }

  @Test("ends of locks: a day's share for each wrong password, never far beyond now")
  func lockEnds() {
    let attempt = PasswordAttempt(checked: nil, isRight: false, now: 1_000_000, limits: ServerLimits())
    #expect(attempt.lockEnd(after: nil) == 1_000_000 - 86_400 + 864)
    #expect(attempt.lockEnd(after: 1_000_000) == 1_000_864)
    #expect(attempt.lockEnd(after: .max - 1_000) == 1_000_864)
    #expect(attempt.lockEnd(after: .min) == 1_000_000 - 86_400 + 864)
  }

  @Test("guesses at the same time are counted one by one: the right one after the lock is refused")
  func guessesAtOnce() async throws {
    let bench = try CeremonyBench { $0.limits.passwordFailuresPerDay = 5 }
    let user = try await bench.user()
    // All of these were checked before the first was counted.
    let (limits, now) = (bench.services.limits, bench.now)
    for index in 0..<20 {
      let attempt = PasswordAttempt(checked: user, isRight: index == 19, now: now, limits: limits)
      #expect(try await bench.store.write { try attempt.verify(in: $0) } == false)
    }
    #expect(try await bench.record()?.failures == 6)
  }

  @Test("guesses of one place at the same time are five, not as many as are sent")
  func guessesAtOnceFromOnePlace() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let codes = await withTaskGroup(of: Problem.Code?.self) { group in
      for _ in 0..<40 {
        group.addTask {
          do {
            _ = try await login(bench, "wrong", from: origin("192.0.2.1"))
            return nil
          } catch { return ProblemAnswer.problem(of: error)?.code }
        }
      }
      return await group.reduce(into: [Problem.Code?: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(codes[.notAuthenticated, default: 0] <= 5)
    #expect(codes[.tooManyRequests, default: 0] >= 35)
  }

  @Test("of a flood of refused logins some stand in the audit chain, with how many more there were")
  func floodInAudit() async throws {
    let bench = try CeremonyBench()
    for number in 0..<60 {
      await expect(.notAuthenticated) { try await login(bench, "nobody \(number)", "x") }
    }
    let events = try await bench.store.events
    #expect((30..<60).contains(events.count))
    // A refusal without an audit entry commits a transaction, too, so that its time is that of a known user's.
    #expect(try await bench.store.read { try $0.setting("login.refused") } != nil)
  }

  @Test("a password that was changed since it was checked does not count")
  func changed() async throws {
    let bench = try CeremonyBench()
    let user = try await bench.user()
    var changed = user
    changed.passwordHash = "$another"
    let (record, attempt) = (
      changed, PasswordAttempt(checked: user, isRight: true, now: bench.now, limits: ServerLimits())
    )
    try await bench.store.write { try $0.updateUser(record) }
    #expect(try await bench.store.write { try attempt.verify(in: $0) } == false)
  }

  private func bench(cost: Int) throws -> CeremonyBench { try CeremonyBench { $0.policy.passwordCost = cost } }

  @Test("a hash that cost less is made anew by the right password, and by no other")
  func rehash() async throws {
    let bench = try bench(cost: 12)
    let before = try await bench.user().passwordHash
    #expect(before?.hasPrefix("$scrypt$ln=10,r=8,p=1$") == true)
    await expect(.notAuthenticated) { try await login(bench, "demo", "wrong") }
    #expect(try await bench.record()?.passwordHash == before)
    _ = try await login(bench)
    let after = try #require(try await bench.record()?.passwordHash)
    #expect(after.hasPrefix("$scrypt$ln=12,r=8,p=1$"))
    #expect(try await bench.record()?.failures == 0)
    _ = try await login(bench)
    #expect(try await bench.record()?.passwordHash == after)
    await expect(.notAuthenticated) { try await login(bench, "demo", "wrong") }
    #expect(
      try await bench.store.events.map(\.event) == [
        "login.refused", "login.password", "login.password", "login.refused",
      ])
  }

  @Test("a hash that cost more stays as it is")
  func stronger() async throws {
    let bench = try bench(cost: 10)
    var user = try await bench.user()
    user.passwordHash = try PasswordHash(
      of: SecretBytes(password: "correct horse"), salt: [UInt8](repeating: 1, count: 16), cost: .init(logarithm: 11)
    ).text
    let record = user
    try await bench.store.write { try $0.updateUser(record) }
    _ = try await login(bench)
    #expect(try await bench.record() == record)
  }

  @Test("logins at once, of which one makes the hash anew, are all let in, and a locked user's is left alone")
  func rehashAtOnce() async throws {
    let bench = try bench(cost: 11)
    try await bench.user()
    let held = try await bench.store.read { try $0.user(named: "demo") }
    let (limits, now) = (bench.services.limits, bench.now)
    _ = try await login(bench)
    // As another server finds it that had checked the old hash before.
    let late = PasswordAttempt(checked: held, isRight: true, stronger: "$other", now: now, limits: limits)
    #expect(try await bench.store.read { try late.isOvertaken(in: $0) })
    #expect(try await bench.store.write { try late.verify(in: $0) } == false)
    #expect(try await bench.record()?.passwordHash?.hasPrefix("$scrypt$ln=11,") == true)
    let wrong = PasswordAttempt(checked: held, isRight: false, now: now, limits: limits)
    #expect(try await bench.store.read { try wrong.isOvertaken(in: $0) } == false)

    let other = try self.bench(cost: 11)
    try await other.user()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask { _ = try await login(other, "correct horse", from: origin("192.0.2.\(number)")) }
      }
      try await group.waitForAll()
    }
    #expect(try await other.record()?.passwordHash?.hasPrefix("$scrypt$ln=11,") == true)
    #expect(try await other.record()?.failures == 0)

    let locked = try self.bench(cost: 11)
    var user = try await locked.user()
    user.lockedUntil = .max
    let record = user
    try await locked.store.write { try $0.updateUser(record) }
    await expect(.notAuthenticated) { try await login(locked) }
    #expect(try await locked.record() == record)
  }

  @Test("The audit chain records each refusal and its reason, without the password")
  func audit() async throws {
    let bench = try CeremonyBench { $0.limits.passwordFailuresPerDay = 1 }
    var user = try await bench.user()
    user.lockedUntil = bench.now
    let record = user
    try await bench.store.write { try $0.updateUser(record) }
    _ = try? await login(bench, "hunter2", from: origin("192.0.2.1"))
    _ = try? await login(bench, "hunter2", from: origin("192.0.2.2"))
    _ = try? await login(bench, "hunter2", "hunter2")
    let events = try await bench.store.events
    #expect(events.map(\.event) == ["login.refused", "login.refused", "login.refused"])
    #expect(events.map { $0.fields["reason"] } == ["wrong password", "locked", "unknown user"])
    #expect(!"\(events)".contains("hunter2"))
  }

  @Test("Callers beyond the queue's limit are asked to retry, and no failure is counted")
  func tooMany() async throws {
    let bench = try CeremonyBench { $0.limits.passwordsAtOnce = 1 }
    try await bench.user()
    let outcomes = await withTaskGroup(of: Problem.Code?.self) { group in
      for _ in 0..<60 {
        group.addTask {
          do {
            _ = try await login(bench)
            return nil
          } catch { return ProblemAnswer.problem(of: error)?.code }
        }
      }
      return await group.reduce(into: [Problem.Code?: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(outcomes.keys.allSatisfy { $0 == nil || $0 == .tooManyRequests })
    #expect(try await bench.record()?.failures == 0)
  }
}
