import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning

/// `latchkey provision --legacy`: the app's end of the legacy protocol, frame by frame.
struct LegacyProvisioning: Sendable {
  let command: ProvisionCommand
  let managerOptions: [String: any Sendable]

  private var output: EventOptions { command.output }

  func run() async throws {
    let payload = try payload()
    var options = LegacyProvisioningOptions()
    options.allowsPlainService = command.plain
    options.searchTimeout = .seconds(command.search.duration)
    options.statusTimeout = .seconds(command.statusTimeout ?? 3)
    let provisioner = LegacyUnauthenticatedProvisioner(options: options, managerOptions: managerOptions)
    let attempt = provisioner.attempt(target, text: payload)
    let steps = Task {
      for await step in attempt.progress { ProvisioningReport(output).emit(step) }
    }
    let result: Result<LegacyUnauthenticatedResult, LegacyProvisioningError>
    do throws(LegacyProvisioningError) {
      result = .success(try await attempt.result())
    } catch {
      result = .failure(error)
    }
    await steps.value
    try ProvisioningReport(output).emit(result, target: command.name ?? command.identifier ?? "")
  }

  private var target: LegacyProvisioningTarget {
    command.identifier.flatMap(UUID.init(uuidString:)).map { .identifier($0) } ?? .name(command.name ?? "")
  }

  private func payload() throws(CommandFailure) -> String {
    if let text = command.text { return try SecretArgument.readText(text, option: "--text") }
    let password = try SecretArgument.read(command.password, option: "--password", prompt: "Password: ")
    do {
      return try LegacyWiFiCredentials(ssid: command.ssid ?? "", password: password).json
    } catch {
      throw CommandFailure(.badData, error.explanation)
    }
  }
}
