import Foundation
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyLedger

/// The user of a server without options: `demo`, with a random password in a file of the state folder, and two accounts if there is a bank.
struct DemoUser: Sendable {
  let name: String
  let passwordFile: String

  private static let file = "demo-password"
  private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")

  /// Makes the user if there is none.
  static func make(
    in store: any EnrollmentStore, folder: StateFolder, isWanted: Bool, services: [any DeviceService]
  ) async throws -> DemoUser? {
    guard isWanted else { return nil }
    // Servers that start at once have one password: that of the file.
    let (password, isMade) = try folder.exclusively {
      if let known = try folder.read(file) {
        return (String(decoding: known, as: UTF8.self).trimmingCharacters(in: .newlines), false)
      }
      // The file first: a user whose password is not in the file cannot log in.
      let new = String((0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
      try folder.write(file, new + "\n")
      return (new, true)
    }
    do {
      try await Operator(store).addUser("demo", password: password)
    } catch OperatorError.exists {
      if isMade { try await Operator(store).setPassword(password, of: "demo") }
    }
    if services.contains(where: { $0 is LedgerService }) {
      for service in services { try await service.makeTables(in: store) }
      try await Operator(store).openDemoAccounts()
    }
    return DemoUser(name: "demo", passwordFile: folder.path(file))
  }
}
