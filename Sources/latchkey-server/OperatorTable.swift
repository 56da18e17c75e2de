import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeySystem

/// A list for eyes: columns under their names, padded, with text that a terminal does not act on. Rows come in pages, so that a list of
/// any length is printed as it is read; a column may become wider in a later page, never narrower.
struct OperatorTable {
  private let names: [String]
  private var widths: [Int]
  private var hasHead = false

  init(_ names: [String]) {
    self.names = names
    widths = names.map(\.count)
  }

  /// The lines of these rows; behind the head, the first time.
  mutating func lines(_ rows: [[String]]) -> [String] {
    let cells = rows.map { $0.map { PrintableText.escaped($0) } }
    for row in cells { for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) } }
    defer { hasHead = true }
    return ((hasHead ? [] : [names]) + cells).map(line)
  }

  private func line(_ row: [String]) -> String {
    var line = ""
    for (column, cell) in row.enumerated() {
      line += cell
      if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
    }
    return line
  }
}

extension OperatorOptions {
  /// Prints a list, page by page.
  ///
  /// - Parameters:
  ///   - columns: the names over the columns.
  ///   - event: the event of one record.
  ///   - read: reads the page of a cursor.
  func list<Record: Sendable>(
    _ columns: [String], _ event: String,
    read: @escaping @Sendable (Operator, _ cursor: String?) async throws -> RecordPage<Record>,
    row: @escaping @Sendable (Record) -> [String],
    fields: @escaping @Sendable (Record) -> [(key: String, value: JSONLine.Value)]
  ) async throws {
    try await operating { engine in
      var table = OperatorTable(columns)
      var cursor: String?
      repeat {
        try Task.checkCancellation()
        let page = try await read(engine, cursor)
        if output.json {
          for record in page.records { output.emit(nil, event, fields: fields(record)) }
        } else if !page.records.isEmpty {
          for line in table.lines(page.records.map(row)) { output.emit(line, event) }
        }
        // A reader that has gone, such as `head`, wants no more pages.
        try StandardStreams.requireWhole()
        cursor = page.next
      } while cursor != nil
    }
  }

  /// Does something, and says so.
  func doing(
    _ line: String, _ event: String, _ fields: [(key: String, value: JSONLine.Value)],
    _ body: @escaping @Sendable (Operator) async throws -> Void
  ) async throws {
    try await output.operating {
      try await store.using { try await body(Operator($0)) }
      output.emit(PrintableText.escaped(line), event, fields: fields)
    }
  }
}
