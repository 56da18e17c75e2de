import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer

/// What an operator's commands over a store's records have in common: the store, the form of the output, and revoking.
struct OperatorOptions: ParsableArguments {
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: EventOptions

  /// Does something as the operator.
  func operating(_ body: @escaping @Sendable (Operator) async throws -> Void) async throws {
    try await output.operating { try await store.using { try await body(Operator($0)) } }
  }

  /// Revokes what has this name, and says so.
  ///
  /// - Parameter field: what the name is called in JSON.
  func revoking(
    _ field: String, _ name: String, _ body: @escaping @Sendable (Operator) async throws -> Void
  ) async throws {
    try await doing("Revoked \(name)", "revoked", [(field, .text(name))], body)
  }
}

/// A time of the store, seconds since 1970, as lists show it.
enum Moment {
  static func text(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func value(_ seconds: Int64?) -> JSONLine.Value { seconds.map { .text(text($0)) } ?? .null }

  /// When something was revoked, else `state`.
  static func state(revoked: Int64?, else state: String) -> String { revoked.map { "revoked \(text($0))" } ?? state }
}
