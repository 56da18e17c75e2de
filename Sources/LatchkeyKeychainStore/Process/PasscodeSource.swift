import Glibc
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// Where the passcode comes from that unlocks a process's keychain without anybody typing it.
enum PasscodeSource: Sendable {
  /// The systemd credential of this name.
  static let credentialName = "latchkey.passcode"

  /// The passcode: from the credential if the service has it, else from the file; nil without either.
  ///
  /// One line's end after the passcode is not part of it.
  ///
  /// - Throws: `.unsafeLocation` if others can read the file; `.configuration` if it is not there or holds no passcode.
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

  /// Where the passcode would be read from; nil if from nowhere.
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
