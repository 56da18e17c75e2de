import LatchkeyLedger
import LatchkeySealedMessages

@testable import LatchkeyEnrollmentServer

/// The services of a server with the sample bank.
func bank(isLegacy: Bool = false) throws -> [any DeviceService] {
  let keys = try LegacyEnvelopeKeys(
    encryption: String(repeating: "a", count: 32), authentication: String(repeating: "b", count: 32))
  return [try LedgerService(legacy: isLegacy ? LegacyEnrollmentService(keys: keys) : nil)]
}

/// All examples of bodies, the bank's, too.
var allExamples: [String: JSONLiteral] {
  get throws {
    try bank().reduce(into: OpenAPIExamples.all) { $0.merge($1.documentation.examples) { own, _ in own } }
  }
}
