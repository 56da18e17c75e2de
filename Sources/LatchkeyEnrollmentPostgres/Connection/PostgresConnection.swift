#if PostgreSQL
  internal import CLatchkeyPostgreSQL
  internal import Glibc
  internal import LatchkeyByteCoding
  internal import LatchkeyEnrollmentStore
  internal import Logging

  /// A connection of libpq's in pipeline mode: commands go out together, their results come back in order, and no wait is
  /// without an end. For one thread at a time.
  final class PostgresConnection {
    /// What is asked of the server.
    enum Command {
      /// A statement without parameters and rows: BEGIN, SAVEPOINT, COMMIT, …
      case control(String)
      /// Gives a statement a name, with the types of its parameters.
      case prepare(name: String, statement: StaticString, types: [UInt32])
      /// Runs a statement that has a name.
      case execute(name: String, arguments: [SQLValue])
    }

    /// What the server says to a command.
    struct Reply {
      var rows: [[SQLValue]] = []
      /// How many rows a statement changed, or gave.
      var count = 0
      /// "COMMIT", "ROLLBACK", "INSERT 0 1", …
      var tag = ""
    }

    private var handle: OpaquePointer?
    private let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private let notices: PostgresNotices

    /// Connects.
    init(_ address: PostgresAddress, timeouts: PostgresTimeouts, logger: Logger) throws(PostgresError) {
      self.address = address
      self.timeouts = timeouts
      notices = PostgresNotices(logger, address: address)
      let keywords = address.keywords(timeouts)
      handle = withCStrings(keywords.map(\.0)) { names in
        withCStrings(keywords.map(\.1)) { values in PQconnectdbParams(names, values, 0) }
      }
      guard let handle else { throw .unreachable("libpq has no memory left") }
      guard PQstatus(handle) == CONNECTION_OK else {
        let text = message(of: handle)
        close()
        throw .unreachable(text)
      }
      notices.listen(to: handle)
    }

    deinit { close() }

    /// Whether the connection is there, as far as we know.
    var isOpen: Bool { handle != nil }

    /// A setting that the server has reported: `server_encoding`, `server_version`, …
    func parameter(_ name: String) -> String? {
      handle.flatMap { PQparameterStatus($0, name) }.map { String(cString: $0) }
    }

    /// Whether what is sent can be read on its way.
    var isReadableByOthers: Bool {
      guard let handle, PQsslInUse(handle) == 0 else { return false }
      return PQhost(handle).map { !String(cString: $0).hasPrefix("/") } ?? false
    }

    /// The process that serves us, for the operator and for tests.
    var serverProcess: Int32 { handle.map { PQbackendPID($0) } ?? 0 }

    /// The socket, for tests that cut it.
    var socket: Int32 { handle.map { PQsocket($0) } ?? -1 }

    /// Whether the server has ended the connection while it was idle. Reads what has arrived, sends nothing.
    func hasEnded() -> Bool {
      guard let handle else { return true }
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 0) > 0 else { return false }
      // A notice, or the server's good-bye.
      return PQconsumeInput(handle) == 0 || PQstatus(handle) != CONNECTION_OK || closedByPeer(descriptor.fd)
    }

    private func closedByPeer(_ socket: Int32) -> Bool {
      var byte: UInt8 = 0
      return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Says good-bye; later calls throw.
    func close() {
      if let handle { PQfinish(handle) }
      handle = nil
    }

    /// Turns pipeline mode on, after which texts of several statements are refused.
    func startPipeline() throws(PostgresError) {
      guard let handle, PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
        throw .unreachable("libpq cannot go into pipeline mode")
      }
    }

    /// Runs a text of several statements, before the pipeline is started.
    func run(_ text: String) throws(PostgresError) {
      guard let handle else { throw .lost("the connection was closed") }
      guard PQsendQuery(handle, text) == 1 else { throw lost() }
      let deadline = ContinuousClock.now + patience
      var failure: PostgresError?
      while let result = try nextResult(until: deadline) {
        defer { PQclear(result) }
        failure = failure ?? refusal(in: result)
      }
      if let failure { throw failure }
    }

    /// Sends commands in one go, and gives their replies. The first that fails ends it: later ones are not run.
    func run(_ commands: [Command]) throws(PostgresError) -> [Reply] {
      guard let handle else { throw .lost("the connection was closed") }
      for command in commands {
        guard send(command, to: handle) else { throw lost() }
      }
      guard PQpipelineSync(handle) == 1 else { throw lost() }
      let deadline = ContinuousClock.now + patience
      var replies: [Reply] = []
      var failure: PostgresError?
      for _ in commands {
        while let result = try nextResult(until: deadline) {
          defer { PQclear(result) }
          if let refusal = refusal(in: result) {
            failure = failure ?? refusal
          } else if failure == nil {
            do throws(PostgresError) { replies.append(try Reply(result)) } catch { failure = error }
          }
        }
      }
      // What the server says last may be that it ends: then nothing more comes, and its words are the reason.
      if let failure, !failure.leavesConnection {
        close()
        throw failure
      }
      guard let end = try nextResult(until: deadline) else { throw failure ?? lost() }
      defer { PQclear(end) }
      guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else {
        let words = refusal(in: end)
        throw failure ?? words ?? lost()
      }
      if let failure { throw failure }
      return replies
    }

    private func send(_ command: Command, to handle: OpaquePointer) -> Bool {
      switch command {
      case .control(let text):
        return PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 1) == 1
      case .prepare(let name, let statement, let types):
        return statement.withUTF8Buffer { text in
          // A static string ends with a zero byte, but the buffer leaves it out.
          withCStrings([String(decoding: text, as: UTF8.self)]) { texts in
            PQsendPrepare(handle, name, texts?[0], Int32(clamping: types.count), types) == 1
          }
        }
      case .execute(let name, let arguments):
        return PostgresParameters(arguments).with { values, lengths, formats in
          PQsendQueryPrepared(handle, name, Int32(clamping: arguments.count), values, lengths, formats, 1) == 1
        }
      }
    }

    /// How long we wait for the server, which gives up earlier by itself if it is well.
    private var patience: Duration { timeouts.statement * 5 / 4 }

    /// The next result; nil at the end of a command's.
    private func nextResult(until deadline: ContinuousClock.Instant) throws(PostgresError) -> OpaquePointer? {
      guard let handle else { throw .lost("the connection was closed") }
      var unsent = PQflush(handle)
      while unsent != 0 || PQisBusy(handle) == 1 {
        guard unsent >= 0 else { throw lost() }
        let left = deadline - .now
        guard left > .zero else {
          close()
          throw .late("no answer within \(patience)")
        }
        let events = Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0)
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let ready = poll(&descriptor, 1, Int32(clamping: left.milliseconds))
        guard ready >= 0 || errno == EINTR else { throw lost() }
        if ready > 0, descriptor.revents & ~Int16(POLLOUT) != 0, PQconsumeInput(handle) == 0 { throw lost() }
        unsent = PQflush(handle)
      }
      return PQgetResult(handle)
    }

    /// What a result says went wrong; nil if nothing did, or if only an earlier command of the pipeline failed.
    private func refusal(in result: OpaquePointer) -> PostgresError? {
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC: return nil
      case PGRES_PIPELINE_ABORTED: return .lost("an earlier command failed")
      default: break
      }
      func field(_ code: Character) -> String? {
        PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
      }
      let text = address.scrub(field("M") ?? String(cString: PQresultErrorMessage(result)))
      guard let state = field("C") else { return .lost(oneLine(text)) }
      let isLast = ["FATAL", "PANIC"].contains(field("V") ?? "") || state.hasPrefix("08") || state.hasPrefix("57P")
      return isLast ? .lost("\(text) (\(state))") : .refused(state: state, message: text)
    }

    /// The connection is gone: gives it up, and says what libpq knows.
    private func lost() -> PostgresError {
      let text = handle.map { message(of: $0) } ?? ""
      close()
      return .lost(text.isEmpty ? "the connection ended" : text)
    }

    private func message(of handle: OpaquePointer) -> String {
      oneLine(address.scrub(PQerrorMessage(handle).map { String(cString: $0) } ?? ""))
    }

    private func oneLine(_ text: String) -> String {
      text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: " ")
    }
  }

  extension PostgresConnection.Reply {
    /// A result's rows, by the types of their columns.
    init(_ result: OpaquePointer) throws(PostgresError) {
      tag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
      count = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
      let columns = PQnfields(result)
      let types = (0..<columns).map { PQftype(result, $0) }
      for row in 0..<PQntuples(result) {
        var values: [SQLValue] = []
        values.reserveCapacity(Int(columns))
        for column in 0..<columns {
          guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
            values.append(.null)
            continue
          }
          let bytes = UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column)))
          values.append(try SQLValue(bytes, type: types[Int(column)]))
        }
        rows.append(values)
      }
    }
  }

  /// Runs `body` with the texts as an array of C strings, a null pointer behind the last.
  private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    // Passwords go through here.
    defer {
      for copy in copies {
        guard let copy else { continue }
        UnsafeMutableRawBufferPointer(start: copy, count: strlen(copy)).wipe()
        free(copy)
      }
    }
    let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
#endif
