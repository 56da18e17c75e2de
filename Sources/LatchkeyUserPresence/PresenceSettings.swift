package import LatchkeyKeychainModel

/// A comma-separated list of the authenticators that count as biometry, beside the passcode: the value of `LATCHKEY_PRESENCE`,
/// or a line of the machine's list (``MachineAuthenticators``).
package struct PresenceSettings: Hashable, Sendable {
  /// An entry of the list that counts as biometry.
  package enum Source: Hashable, Sendable {
    /// The system's fingerprint service (net.reactivated.Fprint).
    case fprintd
    /// The PAM service of this name.
    case pam(service: String)
    /// The program at this path.
    case program(path: String)
  }

  /// The name of the environment variable.
  package static let variable = "LATCHKEY_PRESENCE"

  /// The entries in order.
  package let biometry: [Source]

  /// The limit of entries.
  private static let maximumCount = AuthenticatorList.maximumCount
  private static let possible = "a comma list of passcode, fprintd, pam:SERVICE and program:PATH"

  /// Parses the list in `text`; nil is `passcode`. Naming the passcode has no effect: it never counts as biometry, and every
  /// constraint that accepts it can prompt for it.
  ///
  /// - Parameters:
  ///   - place: the origin of the list, for errors.
  ///   - workingDirectory: the base of relative paths; nil leaves them as they are.
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
  /// The defect of an entry.
  package struct Fault: Error {
    package let text: String
  }

  /// Parses an entry.
  package init(_ name: String) throws(Fault) {
    if name == "fprintd" {
      self = .fprintd
    } else if let service = Self.rest(of: name, after: "pam:") {
      // The name is that of a file in /etc/pam.d.
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

  /// The entry's name in `LATCHKEY_PRESENCE`.
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
  /// The authenticator that the entry selects.
  package var authenticator: any Authenticator {
    switch self {
    case .fprintd: FprintdAuthenticator()
    case .pam(let service): PAMAuthenticator(service: service)
    case .program(let path): ProgramAuthenticator(path: path)
    }
  }
}
