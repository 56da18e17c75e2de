/// A keychain and the entitlements of its caller. Every call of the façades uses one.
public struct KeychainSession: Sendable {
  /// The keychain.
  public let store: any ItemStore
  /// The program's access groups.
  public let entitlements: Entitlements

  /// Creates a session on `store` for a program with these entitlements.
  public init(store: any ItemStore, entitlements: Entitlements) {
    self.store = store
    self.entitlements = entitlements
  }

  /// The current session: the replacement of a test, or else the process's own.
  ///
  /// - Throws: the error of opening the process's keychain; a later call tries again.
  public static func current() throws(StoreError) -> KeychainSession {
    if let replacement { return replacement }
    return try processSession()
  }

  /// Replaces the process's session in this task and its children, which isolates tests from each other.
  @TaskLocal package static var replacement: KeychainSession?
}

/// The process's own session. The store's module defines it, and the linker resolves it by name, so that users of this
/// module import no database (ARCHITECTURE.md, "Security").
@_silgen_name("latchkey_process_keychain_session")
package func processSession() throws(StoreError) -> KeychainSession
