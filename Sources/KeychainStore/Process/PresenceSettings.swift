import KeychainModel

/// What `LATCHKEY_PRESENCE` says: who counts as biometry, beside the passcode.
struct PresenceSettings: Hashable, Sendable {
  /// One word of the list that counts as biometry.
  enum Source: Hashable, Sendable {
    /// The fingerprint service of the system (net.reactivated.Fprint).
    case fprintd
    /// The PAM service of this name.
    case pam(service: String)
    /// The program at this path.
    case program(path: String)
  }

  /// In the order of the list.
  let biometry: [Source]

  /// More than anybody has.
  private static let maximumCount = 16
  private static let possible = "a comma list of passcode, fprintd, pam:SERVICE and program:PATH"

  /// The list in `text`; nil is `passcode`. The passcode may be named and left out alike: it never is biometry, and wherever
  /// a constraint takes it, it is asked for.
  ///
  /// - Parameter workingDirectory: what relative paths begin at; nil leaves them as they are.
  /// - Throws: `.configuration`.
  init(_ text: String?, workingDirectory: String? = nil) throws(StoreError) {
    var biometry: [Source] = []
    let words = (text ?? "passcode").split(separator: ",", omittingEmptySubsequences: false)
    guard words.count <= Self.maximumCount else { throw Self.error("has more than \(Self.maximumCount) entries") }
    for word in words {
      let name = Self.trimmed(word)
      let source: Source
      if name == "passcode" {
        continue
      } else if name == "fprintd" {
        source = .fprintd
      } else if let service = Self.rest(of: name, after: "pam:") {
        // The name is a file's in /etc/pam.d.
        guard !service.isEmpty, service.utf8.count <= 64, service.utf8.allSatisfy(Self.isOfName), service.first != "."
        else { throw Self.error("names no PAM service in \"\(name)\": letters, digits, -, _ and . are possible") }
        source = .pam(service: service)
      } else if let path = Self.rest(of: name, after: "program:") {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw Self.error("names no program after \"program:\"") }
        source = .program(path: path.hasPrefix("/") ? path : workingDirectory.map { "\($0)/\(path)" } ?? path)
      } else {
        throw Self.error("has an entry \"\(name.prefix(64))\"")
      }
      guard !biometry.contains(source) else { throw Self.error("has \"\(name)\" twice") }
      biometry.append(source)
    }
    self.biometry = biometry
  }

  private static func error(_ fault: String) -> StoreError {
    .configuration("\(ProcessSettings.Variable.presence) \(fault): it is \(possible)")
  }

  private static func trimmed(_ word: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = word.drop(while: isBlank)
    return String(start.reversed().drop(while: isBlank).reversed())
  }

  private static func rest(of name: String, after prefix: String) -> String? {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
