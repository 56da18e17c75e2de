package import LatchkeyKeychainModel

/// A comma list of those who count as biometry, beside the passcode: what `LATCHKEY_PRESENCE` says, and a line of the
/// machine's list (``MachineAuthenticators``).
package struct PresenceSettings: Hashable, Sendable {
  /// One word of the list that counts as biometry.
  package enum Source: Hashable, Sendable {
    /// The fingerprint service of the system (net.reactivated.Fprint).
    case fprintd
    /// The PAM service of this name.
    case pam(service: String)
    /// The program at this path.
    case program(path: String)
  }

  /// The variable that holds such a list.
  package static let variable = "LATCHKEY_PRESENCE"

  /// In the order of the list.
  package let biometry: [Source]

  /// More than anybody has.
  private static let maximumCount = AuthenticatorList.maximumCount
  private static let possible = "a comma list of passcode, fprintd, pam:SERVICE and program:PATH"

  /// The list in `text`; nil is `passcode`. The passcode may be named and left out alike: it never is biometry, and wherever
  /// a constraint takes it, it is asked for.
  ///
  /// - Parameters:
  ///   - place: where the list stands, for errors.
  ///   - workingDirectory: what relative paths begin at; nil leaves them as they are.
  /// - Throws: `.configuration`.
  package init(
    _ text: String?, of place: String = Self.variable, workingDirectory: String? = nil
  ) throws(StoreError) {
    var biometry: [Source] = []
    let words = (text ?? "passcode").split(separator: ",", omittingEmptySubsequences: false)
    guard words.count <= Self.maximumCount else {
      throw Self.error(place, "has more than \(Self.maximumCount) entries")
    }
    for word in words {
      let name = Self.trimmed(word)
      if name == "passcode" { continue }
      var source: Source
      do throws(Source.Fault) { source = try Source(name) } catch { throw Self.error(place, error.text) }
      if case .program(let path) = source, !path.hasPrefix("/"), let workingDirectory {
        source = .program(path: "\(workingDirectory)/\(path)")
      }
      guard !biometry.contains(source) else { throw Self.error(place, "has \"\(name)\" twice") }
      biometry.append(source)
    }
    self.biometry = biometry
  }

  private static func error(_ place: String, _ fault: String) -> StoreError {
    .configuration("\(place) \(fault): it is \(possible)")
  }

  private static func trimmed(_ word: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = word.drop(while: isBlank)
    return String(start.reversed().drop(while: isBlank).reversed())
  }
}

extension PresenceSettings.Source {
  /// What is wrong with a word.
  package struct Fault: Error {
    package let text: String
  }

  /// The source of this name.
  package init(_ name: String) throws(Fault) {
    if name == "fprintd" {
      self = .fprintd
    } else if let service = Self.rest(of: name, after: "pam:") {
      // The name is a file's in /etc/pam.d.
      guard !service.isEmpty, service.utf8.count <= 64, service.utf8.allSatisfy(Self.isOfName), service.first != "."
      else { throw Fault(text: "names no PAM service in \"\(name)\": letters, digits, -, _ and . are possible") }
      self = .pam(service: service)
    } else if let path = Self.rest(of: name, after: "program:") {
      guard !path.isEmpty, !path.utf8.contains(0) else { throw Fault(text: "names no program after \"program:\"") }
      self = .program(path: path)
    } else {
      throw Fault(text: "has an entry \"\(name.prefix(64))\"")
    }
  }

  /// What `LATCHKEY_PRESENCE` calls it.
  package var name: String {
    switch self {
    case .fprintd: "fprintd"
    case .pam(let service): "pam:\(service)"
    case .program(let path): "program:\(path)"
    }
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

extension PresenceSettings.Source {
  /// Who is asked.
  package var authenticator: any Authenticator {
    switch self {
    case .fprintd: FprintdAuthenticator()
    case .pam(let service): PAMAuthenticator(service: service)
    case .program(let path): ProgramAuthenticator(path: path)
    }
  }
}
