import ArgumentParser
import CoreBluetooth
import LatchkeyCommandLine

/// `latchkey ble bonds`: the devices that this host is paired with.
struct BLEBondsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bonds",
    abstract: "List the devices that are paired, or remove one.",
    discussion: """
      The pairings are those in the file of LATCHKEY_STATE, and those alone: a program that keeps its own in the keychain (KeychainBonds) \
      lists and removes them itself. Each has the address and identifier of the device, this host's own address, and whether \
      the pairing is protected from a third party in the middle. A program that runs meanwhile has its pairings until it ends.

      With --json: pairing (address, identifier, local, authenticated), removed (address, count), done or error.
      """,
    examples: ["latchkey ble bonds", "latchkey ble bonds --remove C0:FF:EE:00:00:01"],
    statuses: [.unavailable], aliases: ["pairings"])

  @Option(help: ArgumentHelp("Remove the pairings with this device.", valueName: "address or identifier"))
  var remove: PairedDevice?
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.run {
      do {
        if let remove {
          let removed = try StoredPairings.remove(remove)
          guard let first = removed.first else {
            throw CommandFailure(
              .unavailable, code: "notPaired",
              "there is no pairing with that device: `latchkey ble bonds` lists them")
          }
          return output.emit(
            "removed \(removed.count)", "removed",
            ["address": .text(first.address), "count": .integer(removed.count)])
        }
        for pairing in try StoredPairings.all() {
          output.emit(
            "\(pairing.address)  \(pairing.identifier)  own address \(pairing.local)"
              + (pairing.isAuthenticated ? "" : "  unprotected"), "pairing",
            [
              "address": .text(pairing.address), "identifier": .text(pairing.identifier.uuidString),
              "local": .text(pairing.local), "authenticated": .boolean(pairing.isAuthenticated),
            ])
        }
      } catch let failure as CommandFailure {
        throw failure
      } catch {
        throw CommandFailure(.inputOutput, "\(error)")
      }
    }
  }
}

extension PairedDevice: ExpressibleByArgument {
  /// Reads an address or an identifier.
  package init?(argument: String) { self.init(argument) }
}
