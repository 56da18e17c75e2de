import ArgumentParser
import LatchkeyEnrollmentStore

/// Why an operator revokes something, as revocation lists and OCSP tell it.
struct RevocationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Why: \(RevocationReason.allCases.map(\.name).joined(separator: ", ")).", valueName: "reason"),
    transform: { text in
      guard let reason = RevocationReason(name: text) else {
        throw ValidationError("--reason is one of \(RevocationReason.allCases.map(\.name).joined(separator: ", "))")
      }
      return reason
    })
  var reason = RevocationReason.cessationOfOperation
}
