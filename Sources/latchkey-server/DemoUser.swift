import EnrollmentServer
import EnrollmentStore
import Foundation

/// The user of a server that was told nothing: `demo`, with two accounts and a random password in a file of the state folder.
struct DemoUser: Sendable {
  let name: String
  let passwordFile: String

  /// Makes the user if there is none.
  static func make(
    in store: any EnrollmentStore, folder: StateFolder, isWanted: Bool
  ) async throws -> DemoUser? {
    guard isWanted else { return nil }
    let file = "demo-password"
    let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")
    let known = try folder.read(file).map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines) }
    let password = known ?? String((0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
    // The file first: a user whose password nobody knows is of no use.
    if known == nil { try folder.write(file, password + "\n") }
    let isNew = try await Operator(store).addDemo(password: password)
    if known == nil, !isNew { try await Operator(store).setPassword(password, of: "demo") }
    return DemoUser(name: "demo", passwordFile: folder.path(file))
  }
}
