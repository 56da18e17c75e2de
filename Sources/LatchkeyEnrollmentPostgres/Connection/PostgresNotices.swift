#if PostgreSQL
  internal import CLatchkeyPostgreSQL
  internal import Logging

  /// What the server says beside its answers, for the log.
  final class PostgresNotices {
    private let logger: Logger
    private let address: PostgresAddress

    init(_ logger: Logger, address: PostgresAddress) {
      self.logger = logger
      self.address = address
    }

    /// Takes the notices of a connection, which must end before this object does.
    func listen(to handle: OpaquePointer) {
      let receiver: PQnoticeReceiver = { context, result in
        guard let context, let result else { return }
        Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue().take(result)
      }
      PQsetNoticeReceiver(handle, receiver, Unmanaged.passUnretained(self).toOpaque())
    }

    private func take(_ result: OpaquePointer) {
      func field(_ code: Character) -> String {
        PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
      }
      let isWarning = field("V") == "WARNING"
      // "There is already a table of that name" is said to everybody who asks for one if there is none.
      logger.log(
        level: isWarning ? .warning : .debug, "PostgreSQL: \(address.scrub(field("M")))",
        metadata: ["state": "\(field("C"))"])
    }
  }
#endif
