import Foundation
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// The user of a server without options: `demo`, with two accounts and a random password in a file of the state folder.
struct DemoUser: Sendable {
  let name: String
  let passwordFile: String

  private static let file = "demo-password"
  private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")

  /// Makes the user if there is none.
  static func make(
    in store: any EnrollmentStore, folder: StateFolder, isWanted: Bool
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
    let isNew = try await Operator(store).addDemo(password: password)
    if isMade, !isNew { try await Operator(store).setPassword(password, of: "demo") }
    return DemoUser(name: "demo", passwordFile: folder.path(file))
  }
}
