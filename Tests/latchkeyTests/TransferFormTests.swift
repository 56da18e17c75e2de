import LatchkeyTestSupport
import Foundation
import Testing

@testable import latchkey

/// The form of a transfer, as a user fills it in at a terminal.
@Suite(.timeLimit(.minutes(10))) struct TransferFormTests {
  private static let prompts = [
    "From (position, number or name): ", "To (position, number or name): ", "Amount: ", "Date (empty for today): ",
    "Notes (may be empty): ",
  ]

  private func enrolled() async throws -> EnrollmentStage {
    let stage = try await EnrollmentStage(hasPasscode: false)
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)")
    return stage
  }

  private func start(_ stage: EnrollmentStage, _ arguments: String...) throws -> TerminalSession {
    try TerminalSession(["transfer"] + arguments, folder: stage.folder, environment: stage.environment)
  }

  /// The balances of the two accounts, as `accounts` lists them.
  private func balances(_ stage: EnrollmentStage) throws -> [String] {
    try stage.play("accounts")
    return stage.lines.suffix(2).compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
  }

  @Test("Each field is asked for, again with the reason where it does not fit, and the new balances are shown")
  func wholeForm() async throws {
    let stage = try await enrolled()
    let session = try start(stage)
    try session.answer(Self.prompts[0], with: "3")
    #expect(
      session.screen.contains("1  123123456456  1000.00 EUR  Checking\r\n2  654654123123  5000.00 EUR  Savings\r\n"))
    try session.answer(Self.prompts[0], with: " checking ")
    #expect(session.screen.contains("there is no such account: type a position of the list"))
    try session.answer(Self.prompts[1], with: "1")
    try session.answer(Self.prompts[1], with: "12345678901")
    #expect(session.screen.contains("this account gives: name another one"))
    try session.answer(Self.prompts[1], with: "654654123123")
    try session.answer(Self.prompts[2], with: "12.5")
    try session.answer(Self.prompts[2], with: "0.00")
    #expect(session.screen.contains("an amount is above zero and has two decimals: 23.23, 5.00\r\nAmount: "))
    try session.answer(Self.prompts[2], with: "12.50")
    try session.answer(Self.prompts[3], with: "30.11.2026")
    try session.answer(Self.prompts[3], with: EnrollmentStage.day(1))
    #expect(session.screen.contains("a date is a day or a time in UTC"))
    try session.answer(Self.prompts[4], with: String(repeating: "x", count: 141))
    try session.answer(Self.prompts[4], with: String(repeating: "x", count: 1025))
    #expect(session.screen.contains("notes have at most 140 characters, none of them a control"))
    try session.answer(Self.prompts[4], with: "Grüße 日")
    #expect(session.end() == 0)
    #expect(session.isAsBefore)
    #expect(session.screen.contains("an answer has at most 1024 bytes: try again"))
    #expect(session.screen.contains("Notes (may be empty): Grüße 日\r\n"))
    let reported =
      "Transferred 12.50 EUR from 123123456456 to 654654123123, dated \(EnrollmentStage.day(1)); 123123456456 has 987.50 now"
    #expect(session.screen.contains(reported))
    #expect(session.screen.hasSuffix("123123456456  987.50 EUR  Checking\r\n654654123123  5012.50 EUR  Savings\r\n"))
    #expect(try await stage.stop() == 0)
  }

  @Test("Lines that were typed ahead answer the questions in their order, in one piece or half of one")
  func typedAhead() async throws {
    let stage = try await enrolled()
    let whole = try TerminalSession(
      ["transfer"], folder: stage.folder, environment: stage.environment, typedAhead: "1\n2\n1.00\n\nahead of all\n")
    #expect(whole.end() == 0)
    #expect(whole.isAsBefore)
    for (prompt, answer) in zip(Self.prompts, ["1", "2", "1.00", "", "ahead of all"]) {
      #expect(whole.screen.contains("\(prompt)\(answer)\r\n"), "\(whole.screen)")
    }
    // An answer that does not fit is asked for again, of what was typed ahead; the last line is ended by hand.
    let half = try TerminalSession(
      ["transfer"], folder: stage.folder, environment: stage.environment, typedAhead: "nobody\n1\n2\n1.")
    try half.wait(for: Self.prompts[2] + "1.")
    #expect(half.screen.contains("there is no such account"))
    half.type("50\n\nby hand\n")
    #expect(half.end() == 0)
    #expect(half.screen.contains("Transferred 1.50 EUR from 123123456456 to 654654123123; 123123456456 has 997.50 now"))
    #expect(try balances(stage) == ["997.50", "5002.50"])
    #expect(try await stage.stop() == 0)
  }

  @Test("Values on the command line are not asked for; an empty date and empty notes count as absent")
  func someGiven() async throws {
    let stage = try await enrolled()
    let session = try start(stage, "--to", "654654123123", "--amount", "1.00", "--notes", "rent")
    try session.answer(Self.prompts[0], with: "1")
    try session.answer(Self.prompts[3], with: "")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("Amount: ") && !session.screen.contains("Notes"))
    #expect(
      session.screen.contains("Transferred 1.00 EUR from 123123456456 to 654654123123; 123123456456 has 999.00 now"))
    let other = try start(
      stage, "--from", "123123456456", "--to", "654654123123", "--amount", "1.00", "--date", EnrollmentStage.day(0))
    try other.answer(Self.prompts[4], with: "")
    #expect(other.end() == 0)
    #expect(!other.screen.contains("1  123123456456"))
    #expect(other.screen.contains("dated \(EnrollmentStage.day(0)); 123123456456 has 998.00 now"))
    #expect(try await stage.stop() == 0)
  }

  @Test("Three answers that do not fit end it with 64; nothing is booked")
  func bounded() async throws {
    let stage = try await enrolled()
    let good = ["1", "2", "1.00", "", ""]
    for (field, wrong, option) in [
      (0, "", "--from"), (1, "nobody", "--to"), (2, "-1.00", "--amount"), (3, "later", "--date"),
    ] {
      let session = try start(stage)
      for number in 0..<field { try session.answer(Self.prompts[number], with: good[number]) }
      for _ in 0..<3 { try session.answer(Self.prompts[field], with: wrong) }
      // A fourth question would be canceled.
      let prompt = Self.prompts[field]
      #expect(session.end { shown in shown.components(separatedBy: prompt).count > 4 ? "\u{3}" : nil } == 64)
      #expect(session.screen.contains("latchkey: \(option): "))
      #expect(session.screen.contains("start again"))
      #expect(session.isAsBefore)
    }
    #expect(try balances(stage) == ["1000.00", "5000.00"])
    #expect(try await stage.stop() == 0)
  }

  @Test("^C at any field ends it with 130; nothing is booked, and the terminal is as before")
  func cancelled() async throws {
    let stage = try await enrolled()
    let good = ["1", "2", "1.00", "", ""]
    for (field, prompt) in Self.prompts.enumerated() {
      let session = try start(stage)
      for number in 0..<field { try session.answer(Self.prompts[number], with: good[number]) }
      try session.wait(for: prompt)
      session.type("1\u{3}")
      #expect(session.end() == 130)
      #expect(session.screen.contains("canceled"))
      #expect(session.isAsBefore)
    }
    #expect(try balances(stage) == ["1000.00", "5000.00"])
    #expect(try await stage.stop() == 0)
  }

  @Test("With --json the command does not prompt")
  func json() throws {
    let place = try CommandFolder()
    let session = try TerminalSession(["transfer", "--json"], folder: place.url, environment: place.environment)
    #expect(session.end() == 64)
    #expect(session.screen.contains("give --from, --to, --amount and --currency, or --pending"))
  }

  @Test("The old protocol has the same form, and its date")
  func documented() async throws {
    let keys = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: keys, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: keys) }
    for (name, text) in [
      ("aes", String(repeating: "a", count: 32)), ("mac", String(repeating: "m", count: 32)), ("pin", "4711"),
    ] {
      try Data(text.utf8).write(to: keys.appendingPathComponent(name))
    }
    let options = ["--documented", "--encryption-key", "@\(keys.path)/aes", "--mac-key", "@\(keys.path)/mac"]
    let stage = try await EnrollmentStage(serving: options, hasPasscode: false)
    try stage.play(
      "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --pin @\(keys.path)/pin "
        + options.joined(separator: " "))
    let (tomorrow, past) = (EnrollmentStage.day(1), EnrollmentStage.day(-2))
    let session = try start(stage, "--documented")
    try session.answer(Self.prompts[0], with: "1")
    #expect(session.screen.contains("2  654654123123  5000.00  Savings\r\n"))
    try session.answer(Self.prompts[1], with: "Savings")
    try session.answer(Self.prompts[2], with: "23.23")
    try session.answer(Self.prompts[3], with: tomorrow)
    try session.answer(Self.prompts[4], with: "Book advance to savings.")
    #expect(session.end() == 0)
    #expect(
      session.screen.contains(
        "Transferred 23.23 from 123123456456 to 654654123123, dated \(tomorrow), by the old protocol"))
    #expect(session.screen.hasSuffix("123123456456  976.77  Checking\r\n654654123123  5023.23  Savings\r\n"))
    let transfer = "transfer --documented --from 123123456456 --to 654654123123 --amount 0.77"
    try stage.play("\(transfer) --date \(tomorrow)T05:00:00Z --json")
    #expect(
      stage.lines.contains(
        #"{"event":"transferred","from":"123123456456","to":"654654123123","amount":"0.77","date":"\#(tomorrow)T05:00:00Z","isLegacy":true}"#
      ), "\(stage.lines)")
    // The same bounds as the modern transfer's, and the same words.
    let early = try stage.play("\(transfer) --date \(past)", 65)
    #expect(early.contains("Invalid Transfer Date: the transfer date has passed: give today's, in UTC"), "\(early)")
    let late = try stage.play("\(transfer) --date \(EnrollmentStage.day(92))", 65)
    #expect(
      late.contains("Invalid Transfer Date: the transfer date is too far ahead: give one that is at most 90 days"))
    try stage.play("accounts --documented")
    #expect(
      stage.lines.suffix(2) == ["123123456456  976.00  Checking", "654654123123  5024.00  Savings"], "\(stage.lines)")
    #expect(try await stage.stop() == 0)
  }

  @Test("A date is a day or a time in UTC")
  func dates() {
    #expect(TransferDate("1970-01-01")?.seconds == 0)
    #expect(TransferDate("2026-12-01")?.seconds == 1_796_083_200)
    #expect(TransferDate("2026-12-01T14:00:09Z")?.seconds == 1_796_133_609)
    #expect(TransferDate("9999-12-31T23:59:59Z")?.seconds == 253_402_300_799)
    #expect(TransferDate("2026-12-01")?.text == "2026-12-01")
    #expect(TransferDate("2026-12-01T00:00:00Z")?.text == "2026-12-01")
    #expect(TransferDate("2026-12-01T14:00:00Z")?.text == "2026-12-01T14:00:00Z")
    for text in [
      "", "today", "2026", "2026-12", "2026-02-29", "2026-13-01", "2026-12-32", "1969-12-31", "10000-01-01",
      "0000-01-01",
      "2026-12-01T14:00Z", "2026-12-01T14:00:00", "2026-12-01T14:00:00+01:00", "2026-12-01T24:00:00Z",
      "2026-12-01t14:00:00Z",
      "2026-12-01 14:00:00 +0000", "2026-12-01T14:00:60Z", "20261201", "２026-12-01", "2026-12-01Z", "-026-12-01",
    ] {
      #expect(TransferDate(text) == nil, "\(text)")
    }
  }
}
