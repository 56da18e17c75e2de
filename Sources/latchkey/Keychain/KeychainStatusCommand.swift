import ArgumentParser
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain status`: a keychain's location, protection and lock.
struct KeychainStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print where the keychain is, what protects it, and whether it is locked.",
    discussion: """
      With --passcode the passcode is tried: a wrong one ends with 51.

      With --json: status (path, format, identifier, rootKey: keyFile, systemdCredential or tpm, rootKeyPlace, warning: what that \
      protects against and what not, hasPasscode, lockState, failedAttempts, delay in seconds until the next attempt, the \
      number of items by class, commits, damage: null or what was altered from outside), done or error.
      """,
    examples: ["latchkey keychain status", "latchkey keychain status --json"],
    statuses: .keychain)

  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let status = try place.open(.inspecting).database.status()
      let key = rootKey(status)
      let counts = ItemClass.stored.map { ($0, status.items[$0] ?? 0) }
      try output.emit(
        [
          "keychain: \(SecurityToolText.buffer(status.path.utf8))",
          "format: \(status.format)",
          "identifier: \(identifier(status))",
          "root key: \(Self.words[key.kind] ?? key.kind) \(SecurityToolText.buffer(key.place.utf8))",
          "passcode: \(status.hasPasscode ? "set" : "not set")",
          "lock: \(lock(status))",
          "items: \(counts.map { "\($0.1) \($0.0.rawValue)" }.joined(separator: ", "))",
          "commits: \(status.counter)",
        ] + (status.damage.map { ["altered from outside: \($0)"] } ?? []) + [status.rootKey.warning], "status",
        [
          ("path", .text(status.path)), ("format", .integer(status.format)), ("identifier", .text(identifier(status))),
          ("rootKey", .text(key.kind)), ("rootKeyPlace", .text(key.place)), ("warning", .text(status.rootKey.warning)),
          ("hasPasscode", .boolean(status.hasPasscode)), ("lockState", .text(status.lockState.rawValue)),
          ("failedAttempts", .integer(status.failedAttempts)), ("delay", .number(status.delayLeft)),
        ] + counts.map { (key: $0.0.rawValue, value: .integer($0.1)) } + [
          ("commits", .integer(Int(status.counter))), ("damage", status.damage.map { .text($0) } ?? .null),
        ])
    }
  }

  private func identifier(_ status: KeychainStatus) -> String {
    let digits = Hexadecimal.encode(status.storeUUID).uppercased()
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { part in
      String(digits.dropFirst(part.lowerBound).prefix(part.count))
    }.joined(separator: "-")
  }

  private static let words = ["keyFile": "file", "systemdCredential": "systemd credential", "tpm": "sealed in a TPM"]

  private func rootKey(_ status: KeychainStatus) -> (kind: String, place: String) {
    switch status.rootKey {
    case .keyFile(let path?): ("keyFile", path)
    case .keyFile(nil):
      (
        "keyFile",
        URL(fileURLWithPath: status.path).deletingLastPathComponent().appendingPathComponent("keychain.key").path
      )
    case .systemdCredential(let name): ("systemdCredential", name)
    #if TPM
      case .tpm(let path, _, _):
        ("tpm", path ?? URL(fileURLWithPath: status.path).deletingPathExtension().appendingPathExtension("tpm").path)
    #endif
    }
  }

  private func lock(_ status: KeychainStatus) -> String {
    let state =
      switch status.lockState {
      case .unlocked: "unlocked"
      case .locked: "locked"
      case .beforeFirstUnlock: "locked, not unlocked yet by this process"
      }
    guard status.failedAttempts > 0 else { return state }
    let wait = status.delayLeft > 0 ? "; the next attempt in \(Int(status.delayLeft.rounded(.up))) seconds" : ""
    return "\(state); wrong passcodes: \(status.failedAttempts)\(wait)"
  }
}
