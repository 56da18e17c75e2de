#if PostgreSQL
  import Foundation
  import LatchkeyByteCoding
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore
  import LatchkeyPostgresTestSupport

  /// What PostgreSQL says about a statement that it has planned for any arguments, on a session of the store.
  final class PostgresListPlan {
    /// A node of a plan.
    private struct Node: Decodable {
      let type: String
      let table: String?
      let condition: String?
      let rows: Double?
      let removed: Double?
      let loops: Double?
      let below: [Node]?

      enum CodingKeys: String, CodingKey {
        case type = "Node Type"
        case table = "Relation Name"
        case condition = "Index Cond"
        case rows = "Actual Rows"
        case removed = "Rows Removed by Filter"
        case loops = "Actual Loops"
        case below = "Plans"
      }

      var all: [Node] { [self] + (below ?? []).flatMap(\.all) }
    }

    private struct Plan: Decodable {
      let plan: Node
      enum CodingKeys: String, CodingKey { case plan = "Plan" }
    }

    private struct NoPlan: Error {}

    private let session: PostgresSession
    private var names: [ListStatement: String] = [:]

    init(_ database: TestDatabase) throws {
      session = try database.session()
      try session.define("SET plan_cache_mode = force_generic_plan")
      // EXPLAIN of a text that is made here.
      try session.define(
        """
        CREATE FUNCTION explained(statement TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$
        DECLARE answer JSON;
        BEGIN
          EXECUTE statement INTO answer;
          RETURN answer::TEXT;
        END $$
        """)
    }

    func faults(of statement: ListStatement) throws -> [String] {
      try explain(statement, "FORMAT JSON").all.compactMap { node in
        switch node.type {
        case "Limit", "Subquery Scan", "Result", "Recursive Union", "CTE Scan", "WorkTable Scan", "Append": nil
        // The smallest key of all is the first in the index, and has no condition but that there is one.
        case "Index Scan", "Index Only Scan": node.condition == nil ? "all of the index of \(node.table ?? "?")" : nil
        default: "\(node.type) \(node.table ?? "")"
        }
      }
    }

    /// The rows that one run reads.
    func cost(of statement: ListStatement) throws -> Int {
      Int(
        try explain(statement, "ANALYZE, TIMING OFF, FORMAT JSON").all.filter { $0.table != nil }.reduce(0) {
          $0 + ($1.rows ?? 0) * ($1.loops ?? 1) + ($1.removed ?? 0) * ($1.loops ?? 1)
        })
    }

    private func explain(_ statement: ListStatement, _ options: String) throws -> Node {
      let name = try names[statement] ?? prepare(statement)
      names[statement] = name
      let values = statement.arguments.map(Self.literal).joined(separator: ", ")
      let call = statement.arguments.isEmpty ? name : "\(name)(\(values))"
      let rows = try session.rows("SELECT explained($1)", [.text("EXPLAIN (\(options)) EXECUTE \(call)")])
      guard case .text(let text)? = rows.first?.first,
        let plan = try JSONDecoder().decode([Plan].self, from: Data(text.utf8)).first
      else { throw NoPlan() }
      return plan.plan
    }

    private func prepare(_ statement: ListStatement) throws -> String {
      let name = "list\(names.count)"
      let types = statement.arguments.map { argument in
        switch argument {
        case .null, .text: "text"
        case .integer: "bigint"
        case .bytes: "bytea"
        }
      }
      let parameters = types.isEmpty ? "" : " (\(types.joined(separator: ", ")))"
      try session.define("PREPARE \(name)\(parameters) AS \(statement.text)")
      return name
    }

    private static func literal(_ value: SQLValue) -> String {
      switch value {
      case .null: "NULL"
      case .integer(let number): "\(number)"
      case .text(let text): "'\(text.replacing("'", with: "''"))'"
      case .bytes(let bytes): "'\\x\(Hexadecimal.encode(bytes))'"
      }
    }
  }
#endif
