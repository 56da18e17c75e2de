import Foundation
import Testing

/// What the examples' apps ask for at a terminal: passwords are not shown, and the terminal is as it was afterwards.
@Suite struct ExamplePromptTests {
  private let folder: CommandFolder

  init() throws { folder = try CommandFolder() }

  private func session(_ program: String, _ arguments: [String]) throws -> TerminalSession {
    let place = BuiltCommand.program.deletingLastPathComponent().appendingPathComponent(program)
    // There is no radio, so that the app of the first document ends once it has what it asks for.
    let environment = folder.environment.merging(["LATCHKEY_HCI": "unix-client:\(folder.url.path)/none"]) { $1 }
    return try TerminalSession(arguments, program: place, folder: folder.url, environment: environment)
  }

  @Test func theProvisioningAppHidesThePassword() throws {
    let session = try session("provisioning-app", ["Lamp"])
    try session.answer("network:", with: "a network")
    try session.answer("password:", with: "not to be seen")
    #expect(session.end() == 1)
    #expect(session.screen.contains("a network") && session.screen.contains("failed: Bluetooth is off"))
    #expect(!session.screen.contains("not to be seen"))
    #expect(session.isAsBefore)
  }

  @Test func aPasswordOfTheTransferAppIsNotShownAndInterruptedByControlC() throws {
    let certificate = folder.url.appendingPathComponent("ca.pem")
    try Data(Self.certificate.utf8).write(to: certificate)
    let session = try session("sealed-transfer", ["https://localhost:1", certificate.path, "demo"])
    try session.answer("password:", with: "not to be seen")
    try session.wait(for: "PIN:")
    session.type("12\u{3}")
    #expect(session.end() == 130)
    #expect(!session.screen.contains("not to be seen"))
    #expect(session.isAsBefore)
  }

  @Test(
    "what is wrong with the arguments is told with 64, a file without a certificate with 66",
    arguments: [
      ([], 64), (["http://localhost", "ca.pem", "demo"], 64), (["https://localhost/path", "ca.pem", "demo"], 64),
      (["https://localhost", "nothing.pem", "demo"], 66),
    ] as [([String], Int32)])
  func arguments(arguments: [String], status: Int32) throws {
    let program = BuiltCommand.program.deletingLastPathComponent().appendingPathComponent("sealed-transfer")
    let result = try BuiltCommand.run(
      arguments, input: [], program: program, folder: folder.url, environment: folder.environment)
    #expect(result.status == status)
    #expect(result.errors.hasPrefix("sealed-transfer: ") && result.output == "")
  }

  /// Of no authority that anyone has the key of.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBeTCCAR+gAwIBAgIUNizhVo4O/uVW3ZDhY7DqatsuERswCgYIKoZIzj0EAwIw
    ETEPMA0GA1UEAwwGTm9ib2R5MCAXDTI2MTEyMzA2MDg0OFoYDzIxMjYxMDMwMDYw
    ODQ4WjARMQ8wDQYDVQQDDAZOb2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
    AARvV38pvvHstCpvmXE04521iU4nTJR2A/5iw3gK0gp0VXnEPDLKgFjoB8uVudh9
    iqFlY6spSeRlx0NCGg8UG6lwo1MwUTAdBgNVHQ4EFgQU3BmpVT/vCyUH0zyz8WUj
    XEzXL1MwHwYDVR0jBBgwFoAU3BmpVT/vCyUH0zyz8WUjXEzXL1MwDwYDVR0TAQH/
    BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEArbILY5RUecP3hJ6ydqds+wk1YsNX
    zUDw9LA5fOYlK0UCIDUZY1okCW2XDKdQtyiS4S6yh60eXBwzDOA4zf1QNIdf
    -----END CERTIFICATE-----
    """
}
