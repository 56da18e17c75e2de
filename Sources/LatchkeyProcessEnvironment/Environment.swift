import Glibc

/// This process's environment, as far as it is to be believed. Everything in this package that reads a variable reads it
/// here.
///
/// In a process that was given more than its caller has (a set-uid or set-gid program, one with capabilities of its file, a
/// domain transition: `AT_SECURE`, getauxval(3)) the caller has written the environment and is not who the process acts
/// for. No variable counts there, as if none were set: not `LATCHKEY_*`, nor `HOME`, `PATH`, `TMPDIR`, `XDG_*`, `DBUS_*`
/// or `CREDENTIALS_DIRECTORY`.
package enum Environment {
  /// Whether the environment is another's word, and ignored.
  package static let isIgnored: Bool = {
    // The C library has it, the importer does not show it.
    typealias AuxiliaryValue = @convention(c) (UInt) -> UInt
    guard let symbol = dlsym(nil, "getauxval") else { return true }
    return unsafeBitCast(symbol, to: AuxiliaryValue.self)(secureMode) != 0
  }()

  /// The variable of this name; nil if it is not set, or ignored.
  package static subscript(name: String) -> String? {
    guard !isIgnored else { return nil }
    return getenv(name).map { String(cString: $0) }
  }

  /// All variables; none where they are ignored.
  package static var variables: [String: String] { isIgnored ? [:] : all }

  /// What programs get that this one starts: its own environment, or, where that is ignored, a search path alone.
  package static var forPrograms: [String: String] { isIgnored ? ["PATH": systemPath] : all }

  /// The folders of `PATH`.
  package static var programFolders: [String] {
    (isIgnored ? systemPath : self["PATH"] ?? "").split(separator: ":").map(String.init)
  }

  private static var all: [String: String] {
    var variables: [String: String] = [:]
    // Null after clearenv(3).
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let entry = next?.pointee {
      let text = String(cString: entry)
      if let equals = text.dropFirst().firstIndex(of: "=") {
        // Of two with one name the first counts, as it does for getenv(3).
        let name = String(text[..<equals])
        if variables[name] == nil { variables[name] = String(text[text.index(after: equals)...]) }
      }
      next = next?.advanced(by: 1)
    }
    return variables
  }

  /// `AT_SECURE` of linux/auxvec.h.
  private static let secureMode: UInt = 23
  private static let systemPath = "/usr/sbin:/usr/bin:/sbin:/bin"
}
