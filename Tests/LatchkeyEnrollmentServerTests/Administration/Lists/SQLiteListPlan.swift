import LatchkeyEnrollmentStore
import LatchkeySQLite

/// What SQLite says about a statement.
enum SQLiteListPlan {
  /// Results of other parts of a statement, which are read from end to end.
  private static let results: Set<String> = ["page", "written", "CONSTANT"]

  static func faults(of statement: ListStatement, on connection: SQLiteConnection) throws -> [String] {
    let plan = try connection.statement("EXPLAIN QUERY PLAN " + statement.text)
    defer { plan.reset() }
    var faults: [String] = []
    while try plan.step() {
      guard let line = plan.text(3) else { continue }
      let words = line.split(separator: " ")
      let isScan = words.first == "SCAN" && words.count > 1 && !results.contains(String(words[1]))
      if isScan || line.contains("TEMP B-TREE") || line.contains("AUTOMATIC") || line.contains("MATERIALIZE") {
        faults.append(line)
      }
    }
    return faults
  }

  /// The operations of the virtual machine in one run, which are some for each row that is read.
  static func cost(of statement: ListStatement, on connection: SQLiteConnection) throws -> Int {
    let run = try connection.statement(statement.text)
    for (index, argument) in zip(Int32(1)..., statement.arguments) {
      switch argument {
      case .null: try run.bind(nil, index)
      case .integer(let number): try run.bind(number, index)
      case .text(let text): try run.bind(text, index)
      case .bytes(let bytes): try run.bind(bytes, index)
      }
    }
    _ = run.takeWork()
    try run.run()
    return run.takeWork()
  }
}
