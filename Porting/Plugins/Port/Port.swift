import Foundation
import PackagePlugin

/// `swift package port`: runs `latchkey-port` on the package's folder, with the arguments of the command.
@main struct Port: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "latchkey-port").url
    process.arguments = [context.package.directoryURL.path] + arguments
    try process.run()
    process.waitUntilExit()
    switch process.terminationStatus {
    case 0: break
    case 65: Diagnostics.error("some files were left alone")
    default: Diagnostics.error("nothing was ported")
    }
  }
}
