#if PostgreSQL
  internal import CLatchkeyPostgreSQL
  internal import Foundation
  public import LatchkeyEnrollmentStore

  /// Where the database is, and who asks: a `postgres://` URL as libpq reads it, its password apart from the rest, so that no
  /// log and no error shows it.
  ///
  /// Whatever libpq understands passes through: several hosts, Unix sockets (`postgres:///latchkey?host=/run/postgresql`),
  /// `sslmode`, `sslrootcert`, `passfile`, `service`; also its environment (PGPASSFILE, PGSSLMODE, …).
  public struct PostgresAddress: Sendable, CustomStringConvertible, CustomReflectable {
    /// libpq's keywords and values, without the password.
    let options: [String: String]
    private let password: String?

    /// An address from a URL.
    ///
    /// - Parameters:
    ///   - url: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`, all parts optional, with % escapes.
    ///   - passwordFile: a file whose first line is the password; it comes before one in the URL.
    /// - Throws: `EnrollmentStoreError.misuse`, which quotes nothing of the URL.
    public init(url: String, passwordFile: String? = nil) throws(EnrollmentStoreError) {
      guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
        throw .misuse("the address of a PostgreSQL database begins with postgres://")
      }
      var complaint: UnsafeMutablePointer<CChar>?
      guard let parsed = PQconninfoParse(url, &complaint) else {
        // Its words quote the part that it does not understand, and that may be the password.
        PQfreemem(complaint)
        throw .misuse(
          "the address of the database is not one: write postgres://USER@HOST:PORT/DATABASE, with % escapes for others "
            + "than letters and digits, and options after ? as libpq names them")
      }
      defer { PQconninfoFree(parsed) }
      var options: [String: String] = [:]
      var next = parsed
      while let keyword = next.pointee.keyword {
        if let value = next.pointee.val { options[String(cString: keyword)] = String(cString: value) }
        next += 1
      }
      var password = options.removeValue(forKey: "password")
      if let passwordFile { password = try Self.firstLine(of: passwordFile) }
      self.options = options
      self.password = password
    }

    /// A password's file: its first line, at most 4 KiB.
    private static func firstLine(of path: String) throws(EnrollmentStoreError) -> String {
      guard let handle = FileHandle(forReadingAtPath: path) else {
        throw .misuse("cannot read the password's file \(path)")
      }
      defer { try? handle.close() }
      let data = (try? handle.read(upToCount: 4_096)) ?? Data()
      let line = data.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      guard !line.isEmpty, let text = String(bytes: line, encoding: .utf8) else {
        throw .misuse("\(path) must hold the password in its first line, as UTF-8")
      }
      return text
    }

    /// Keywords and values to connect with: the address's own before the house's.
    func keywords(_ timeouts: PostgresTimeouts) -> [(String, String)] {
      var all = [
        "connect_timeout": "\(max(2, timeouts.connect.components.seconds))",
        "tcp_user_timeout": "\(timeouts.unacknowledged.milliseconds)",
        "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
        "fallback_application_name": "latchkey",
        // Of several hosts, the one that writes: so that a promoted standby is found.
        "target_session_attrs": "read-write",
      ].merging(options) { $1 }
      all["client_encoding"] = "UTF8"
      all["password"] = password
      return all.map { ($0.key, $0.value) }
    }

    /// A text of libpq's or the server's, without the password should it stand there.
    func scrub(_ text: String) -> String {
      guard let password, !password.isEmpty else { return text }
      return text.replacingOccurrences(of: password, with: "•••")
    }

    /// Host, port and database; no user, no password.
    public var description: String {
      let host = options["host"] ?? options["hostaddr"] ?? "local"
      return "postgres://\(host)\(options["port"].map { ":" + $0 } ?? "")/\(options["dbname"] ?? "")"
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
  }
#endif
