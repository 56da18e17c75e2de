import ArgumentParser
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine

/// `latchkey-server ca`: the authority's own certificate.
struct CACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ca", abstract: "Make an authority's certificate.",
    examples: ["latchkey-server ca create --key keychain:authority --out ca.pem"],
    statuses: [.badData, .unavailable, .notPermitted],
    subcommands: [Create.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Make a certificate that an authority's key signs for itself.",
      discussion: """
        For an authority whose key never leaves the enclave:

          latchkey enclave create ca --accessible after-first-unlock-this-device-only
          latchkey-server ca create --key keychain:ca --out ca.pem
          latchkey-server serve --ca ca.pem --ca-key keychain:ca

        Both programs use the keychain of LATCHKEY_KEYCHAIN. The certificate lasts ten years.

        With --json: created (file, subject), done or error.
        """,
      examples: ["latchkey-server ca create --key ca-key.pem --out ca.pem --name 'Our authority'"],
      statuses: [.badData, .unavailable, .notPermitted])

    @Option(
      help: ArgumentHelp("The authority's P-256 key: keychain:LABEL, or a file.", valueName: "key"))
    var key: String
    @Option(help: ArgumentHelp("The file to write, PEM; one that is not there yet.", valueName: "file")) var out: String
    @Option(help: ArgumentHelp("The authority's name.", valueName: "name")) var name = "Latchkey authority"
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let key = try AuthorityKeyArgument.key(key, option: "--key")
        let authority: CertificateAuthority
        do {
          authority = try CertificateAuthority(name: name, key: key, now: Date(), serial: SerialNumber.random())
        } catch {
          throw CommandFailure(.badData, "\(error)")
        }
        do {
          try Data(ServerFile.pem(authority.chain[0]).utf8)
            .write(to: URL(fileURLWithPath: out), options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
          throw CommandFailure(
            .badData, code: "exists", "\(out) is there already: choose another file, or move it away")
        } catch {
          throw CommandFailure(.inputOutput, "\(out) cannot be written")
        }
        output.emit("Wrote \(out): clients believe it", "created", ["file": .text(out), "subject": .text(name)])
      }
    }
  }
}
