import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer

/// `latchkey-server crl`: the revocation list, for those who cannot ask the server.
struct CRLCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crl", abstract: "Write the revocation list (RFC 5280), DER.",
    discussion: "Signed by the server's authority, which must be there. With --json: written (file), done or error.",
    examples: ["latchkey-server crl revoked.crl"],
    statuses: .store)

  @Argument(help: "The file to write.") var file: String
  @OptionGroup var store: StoreOptions
  @OptionGroup var authority: AuthorityOptions
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.operating {
      let authority = try authority.existing(store.existingFolder())
      try await store.using { store in
        let list = try await Operator(store).revocationList(by: authority)
        // A device or a pipe is written to; a file is replaced, so that its readers see a whole list.
        let type = (try? FileManager.default.attributesOfItem(atPath: file))?[.type] as? FileAttributeType
        let isReplaced = type == nil || type == .typeRegular
        do { try Data(list).write(to: URL(fileURLWithPath: file), options: isReplaced ? .atomic : []) } catch {
          throw CommandFailure(.inputOutput, "\(file) cannot be written")
        }
      }
      output.emit("Wrote \(file)", "written", ["file": .text(file)])
    }
  }
}
