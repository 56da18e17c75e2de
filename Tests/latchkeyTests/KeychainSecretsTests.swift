import LatchkeyTestSupport
import Foundation
import Testing

/// No secret is printed without a request: in no text, no event and no file.
@Suite(.timeLimit(.minutes(10))) final class KeychainSecretsTests {
  private static let password = "Zq7vXw3kLm9p"
  private static let passcode = "Rt5yUi8oPa2s"
  private static let wrongPasscode = "Gh4jKl6zXc1v"

  private let place: CommandFolder
  private var folder: URL { place.url }
  private var environment: [String: String] { place.environment }
  private var printed: [(command: String, text: String)] = []

  init() throws { place = try CommandFolder() }

  private func run(_ line: String, input: String = "", ends status: Int32) throws {
    let arguments = ["keychain"] + line.split(separator: " ").map(String.init)
    let result = try BuiltCommand.run(arguments, input: Array(input.utf8), folder: folder, environment: environment)
    #expect(result.status == status, "\(line): \(result.errors)")
    printed.append((line, result.output + result.errors))
  }

  @Test("No verb prints a secret unasked, whether it succeeds or fails")
  func secretsStayUnprinted() throws {
    let password = Self.password
    let digits = password.utf8.map { String($0, radix: 16) }.joined()
    for json in ["", " --json"] {
      try run("add-generic-password -a a -s one -w -\(json)", input: password, ends: json.isEmpty ? 0 : 45)
      try run("add-generic-password -a a -s one -w \(password)\(json)", ends: 45)
      try run("add-generic-password -a a -s one -X \(digits)0\(json)", ends: 65)
      try run("add-generic-password -a a -s one -X \(digits) -U\(json)", ends: 0)
      try run("add-generic-password -a a -s one -w\(password) -U\(json)", ends: 0)
      try run("add-generic-password -a a -s one -w \(password) --accessible akpu -U\(json)", ends: 51)
      try run("add-generic-password -a a -s one -w \(password) --access-group other\(json)", ends: 77)
      try run("add-generic-password -a a -s one -w \(password) -k /sys/none.db\(json)", ends: 77)
      try run("add-generic-password -a a -w \(password)\(json)", ends: 64)
      try run("add-internet-password -a a -s one -w - -U\(json)", input: password, ends: 0)
      try run("find-generic-password -s one\(json)", ends: 0)
      try run("find-internet-password -s one\(json)", ends: 0)
      try run("dump\(json)", ends: 0)
      try run("verify\(json)", ends: 0)
      try run("audit\(json)", ends: 0)
      try run("set-passcode --new \(Self.passcode)\(json)", ends: 0)
      try run("status --passcode \(Self.passcode)\(json)", ends: 0)
      try run("status --passcode \(Self.wrongPasscode)\(json)", ends: 51)
      try run("find-generic-password -s one -w\(json)", ends: 36)
      try run("set-passcode --remove --old \(Self.wrongPasscode)\(json)", ends: 51)
      try run("set-passcode --old \(Self.passcode) --new 1234567\(json)", ends: 65)
      try run("set-passcode --remove --old -\(json)", input: Self.passcode, ends: 0)
    }
    for secret in [password, digits, Self.passcode, Self.wrongPasscode] {
      for (command, text) in printed { #expect(!text.contains(secret), "\(command)") }
    }
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let bytes = try Data(contentsOf: file)
      for secret in [password, digits, Self.passcode, Self.wrongPasscode] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file.lastPathComponent)")
      }
    }
  }

  @Test("A secret is printed if an option asks for it", arguments: ["-w", "-g", "-w --json", "-g --json"])
  func secretsArePrintedWhenAskedFor(option: String) throws {
    try run("add-generic-password -a a -s one -w -", input: Self.password, ends: 0)
    try run("find-generic-password -s one \(option)", ends: 0)
    #expect(printed.last?.text.contains(Self.password) == true)
  }
}
