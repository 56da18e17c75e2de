import Glibc
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// The source of the passcode that unlocks a process's keychain without a prompt.
enum PasscodeSource: Sendable {
  /// The name of the systemd credential.
  static let credentialName = "latchkey.passcode"

  /// Reads the passcode: from the credential if the service has it, else from the file; nil without either.
  ///
  /// One trailing line break is not part of the passcode.
  ///
  /// - Throws: `.unsafeLocation` if others can read the file; `.configuration` if it is missing or holds no passcode.
  static func passcode(_ settings: ProcessSettings) throws(StoreError) -> [UInt8]? {
    let credential = SystemdCredential(name: credentialName, directory: settings.credentialsDirectory)
    let limit = PasscodeRule.maximumBytes + 3
    if var bytes = try credential.read(maximum: limit) {
      return try trimmed(&bytes, what: "the credential \(credentialName)")
    }
    guard let path = settings.passcodeFile else { return nil }
    let what = "\(ProcessSettings.Variable.passcodeFile) (\(path))"
    guard var bytes = try OwnedFile(path: path, what: "passcode file").read(maximum: limit) else {
      throw .configuration("\(what) is not there: write the passcode into it, or do not set the variable")
    }
    return try trimmed(&bytes, what: what)
  }

  /// The path from which the passcode would be read; nil if there is none.
  static func file(_ settings: ProcessSettings) -> String? {
    if let directory = settings.credentialsDirectory, access("\(directory)/\(credentialName)", F_OK) == 0 {
      return "\(directory)/\(credentialName)"
    }
    return settings.passcodeFile
  }

  private static func trimmed(_ bytes: inout [UInt8], what: String) throws(StoreError) -> [UInt8] {
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    guard !bytes.isEmpty, bytes.count <= PasscodeRule.maximumBytes else {
      let count = bytes.count
      bytes.wipe()
      throw .configuration("\(what) holds \(count == 0 ? "no passcode" : "more than a passcode"): write one line")
    }
    return bytes
  }
}
