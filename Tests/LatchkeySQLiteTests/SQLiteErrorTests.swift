import LatchkeySQLite
import Testing

struct SQLiteErrorTests {
  @Test(
    "Result codes have the kind that callers act on",
    arguments: [
      (5, 0, .busy), (261, 0, .busy), (6, 0, .busy), (13, 0, .full), (10, 28, .full), (10, 122, .full),
      (778, 27, .full), (14, 122, .full),
      (4874, 0, .full),
      (10, 5, .other), (8, 0, .readOnly), (8, 28, .full), (14, 0, .readOnly), (14, 28, .full), (3, 0, .readOnly),
      (23, 0, .readOnly), (26, 0, .notADatabase), (11, 0, .corrupt), (267, 0, .corrupt), (19, 0, .constraint),
      (2067, 0, .constraint), (18, 0, .doesNotFit), (20, 0, .doesNotFit), (25, 0, .doesNotFit), (1, 0, .statement),
      (21, 0, .other), (-1, 0, .other), (.max, 0, .other),
    ] as [(Int32, Int32, SQLiteError.Kind)])
  func kinds(_ code: Int32, _ systemError: Int32, _ kind: SQLiteError.Kind) {
    #expect(SQLiteError(code: code, systemError: systemError, message: "m").kind == kind)
  }

  @Test("The operator learns what to do where there is something to do") func advice() {
    #expect(SQLiteError(code: 13, message: "").advice == "make room")
    #expect(SQLiteError(code: 8, message: "").advice == "look at its owner and mode")
    #expect(SQLiteError(code: 11, message: "").advice == "restore a copy of it")
    #expect(SQLiteError(code: 19, message: "").advice == nil)
  }

  @Test("The disk's failures are known as such") func inputOutput() {
    #expect(SQLiteError(code: 522, message: "").isInputOutput)
    #expect(!SQLiteError(code: 11, message: "").isInputOutput)
  }
}
