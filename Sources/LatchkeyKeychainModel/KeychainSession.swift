/// A keychain and who asks it: what every call of the façades goes to.
public struct KeychainSession: Sendable {
  /// The keychain.
  public let store: any ItemStore
  /// The program's access groups.
  public let entitlements: Entitlements

  /// A session of a program with these entitlements on `store`.
  public init(store: any ItemStore, entitlements: Entitlements) {
    self.store = store
    self.entitlements = entitlements
  }

  /// The session in force: the one that a test put in its place, or else the process's own.
  ///
  /// - Throws: what opening the process's keychain throws; a later call tries again.
  public static func current() throws(StoreError) -> KeychainSession {
    if let replacement { return replacement }
    return try processSession()
  }

  /// Stands in for the process's session in this task and its children: how tests keep to themselves.
  @TaskLocal package static var replacement: KeychainSession?
}

/// The process's own session. The store's module defines it; this one only knows its name, so that what is built on items
/// imports no database (ARCHITECTURE.md, "Security").
@_silgen_name("latchkey_process_keychain_session")
package func processSession() throws(StoreError) -> KeychainSession
