import CLatchkeySQLite
@testable import LatchkeySQLite

/// Calls a test before each statement of a connection runs (sqlite.org/c3ref/trace_v2.html), so that another connection can
/// change the database between two statements.
final class StatementTrace {
  private let connection: SQLiteConnection
  private let body: (String) -> Void

  /// - Parameter body: receives the statement's text, on the connection's thread.
  init(_ connection: SQLiteConnection, _ body: @escaping (String) -> Void) {
    self.connection = connection
    self.body = body
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, _, text in
        guard let context, let text else { return 0 }
        let trace = Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
        trace.body(String(cString: text.assumingMemoryBound(to: CChar.self)))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Calls no longer.
  func end() { sqlite3_trace_v2(connection.handle, 0, nil, nil) }

  deinit { end() }
}
