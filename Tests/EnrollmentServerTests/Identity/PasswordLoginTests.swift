import EnrollmentProtocol
import EnrollmentStore
import Testing

@testable import EnrollmentServer

@Suite("Logins with a password")
struct PasswordLoginTests {
  private func login(
    _ bench: CeremonyBench, _ user: String = "demo", _ password: String = "correct horse"
  ) async throws -> SessionToken {
    try await PasswordLoginCeremony(services: bench.services).login(user: user, password: Secret(password: password))
  }

  @Test("the right password opens a session of 15 minutes, kept by its hash")
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
    let bench = try CeremonyBench { $0.limits.passwordFailures = 1 }
    try await bench.user()
    try await bench.user("mute", password: nil)
    try await bench.user("locked")
    _ = try? await login(bench, "locked", "wrong")
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

  @Test("five wrong passwords in a row lock, the right one does not count then, and afterwards it does")
  func lock() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    for count in 1...5 {
      await expect(.notAuthenticated) { try await login(bench, "demo", "wrong") }
      let user = try #require(try await bench.record())
      #expect(user.failures == count)
      #expect((user.lockedUntil != nil) == (count == 5))
    }
    let end = try #require(try await bench.record()?.lockedUntil)
    #expect((bench.now + 50...bench.now + 60).contains(end))
    await expect(.notAuthenticated) { try await login(bench) }
    // Neither does a wrong one: nobody can make the lock longer.
    await expect(.notAuthenticated) { try await login(bench, "demo", "wrong") }
    #expect(try await bench.record()?.failures == 5)
    bench.clock.advance(by: 61)
    _ = try await login(bench)
    let user = try #require(try await bench.record())
    #expect(user.failures == 0 && user.lockedUntil == nil)
  }

  @Test("four wrong ones and a right one begin anew")
  func reset() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    for _ in 1...2 {
      for _ in 1...4 { await expect(.notAuthenticated) { try await login(bench, "demo", "wrong") } }
      _ = try await login(bench)
    }
  }

  @Test("each further lock is twice as long, up to a day")
  func doubling() {
    let attempt = PasswordAttempt(checked: nil, isRight: false, now: 0, limits: ServerLimits())
    #expect((5...9).map(attempt.lockDuration) == [60, 120, 240, 480, 960])
    #expect(attempt.lockDuration(after: 15) == 61_440)
    #expect(attempt.lockDuration(after: 16) == 86_400)
    #expect(attempt.lockDuration(after: .max) == 86_400)
  }

  @Test("guesses at the same time are counted one by one: the right one after the lock is refused")
  func guessesAtOnce() async throws {
    let bench = try CeremonyBench { $0.limits.passwordsAtOnce = 4 }
    let user = try await bench.user()
    // All of these were checked before the first was counted.
    let (limits, now) = (bench.services.limits, bench.now)
    for index in 0..<20 {
      let attempt = PasswordAttempt(checked: user, isRight: index == 19, now: now, limits: limits)
      #expect(try await bench.store.write { try attempt.judge(in: $0) } == false)
    }
    #expect(try await bench.record()?.failures == 5)
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
    #expect(try await bench.store.write { try attempt.judge(in: $0) } == false)
  }

  @Test("what was refused, and why, stands in the audit chain, without the password")
  func audit() async throws {
    let bench = try CeremonyBench { $0.limits.passwordFailures = 1 }
    try await bench.user()
    _ = try? await login(bench, "demo", "hunter2")
    _ = try? await login(bench, "demo", "hunter2")
    _ = try? await login(bench, "hunter2", "hunter2")
    let events = try await bench.store.events
    #expect(events.map(\.event) == ["login.refused", "login.refused", "login.refused"])
    #expect(events.map { $0.fields["reason"] } == ["wrong password", "locked", "unknown user"])
    #expect(!"\(events)".contains("hunter2"))
  }

  @Test("more than wait in line are told to come again, and it is no failure of theirs")
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
