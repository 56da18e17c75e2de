import LatchkeySQLite
import Testing

struct BusyWaitTests {
  private static func isBusy(_ error: SQLiteError) -> Bool { error.kind == .busy }
  private static let busy = SQLiteError(code: 5, message: "busy")

  @Test("An attempt is repeated while another process is in the way") func repeats() throws {
    var attempts = 0
    let result = try BusyWait(seconds: 60).run(isBusy: Self.isBusy) { () throws(SQLiteError) in
      attempts += 1
      if attempts < 4 { throw Self.busy }
      return attempts
    }
    #expect(result == 4)
  }

  @Test("A wait of any length begins", arguments: [Double.infinity, 1e300, 1e18, .greatestFiniteMagnitude])
  func longest(_ seconds: Double) throws {
    var attempts = 0
    try BusyWait(seconds: seconds).run(isBusy: Self.isBusy) { () throws(SQLiteError) in
      attempts += 1
      if attempts < 3 { throw Self.busy }
    }
    #expect(attempts == 3)
  }

  @Test("Another failure ends the wait at once") func otherFailure() {
    var attempts = 0
    #expect(throws: SQLiteError(code: 11, message: "")) {
      try BusyWait(seconds: 60).run(isBusy: Self.isBusy) { () throws(SQLiteError) in
        attempts += 1
        throw SQLiteError(code: 11, message: "")
      }
    }
    #expect(attempts == 1)
  }

  @Test("The wait is bounded, and one attempt is made in any case", arguments: [0, -1, 0.01, .nan, -.infinity, -1e300])
  func ends(
    _ seconds: Double
  ) {
    var attempts = 0
    #expect(throws: Self.busy) {
      try BusyWait(seconds: seconds).run(isBusy: Self.isBusy) { () throws(SQLiteError) in
        attempts += 1
        throw Self.busy
      }
    }
    #expect(attempts >= 1)
  }
}
