/// The security of a link as it is now (Core 6.0 Vol 3 Part C 10.2.1). The controller's events alone change it.
package struct LinkSecurity: Sendable, Equatable {
  /// The sizes of a key, in bytes (Vol 3 Part H 2.3.4).
  package static let keySizes = 7...16

  /// Whether the link is encrypted.
  package var isEncrypted = false
  /// Whether the key is authenticated: its pairing was protected from a third party in the middle.
  package var isAuthenticated = false
  /// Whether the key is one of LE Secure Connections.
  package var usesSecureConnections = false
  /// The size of the key in bytes; 0 on a link in clear.
  package var keySize: UInt8 = 0

  /// A link in clear.
  package init() {}

  /// A link that is encrypted with a key. A controller may report a size; the smaller one counts.
  init(_ key: LongTermKey, reportedSize: UInt8?) {
    isEncrypted = true
    isAuthenticated = key.isAuthenticated
    usesSecureConnections = key.isSecureConnections
    let size = UInt8(clamping: key.size)
    keySize = min(size, reportedSize ?? size)
  }

  /// The error for an access that needs encryption; nil if this link has what it needs (Vol 3 Part C 10.3.1).
  ///
  /// - Parameters:
  ///   - needsAuthentication: whether the access needs an authenticated key, too.
  ///   - hasKey: whether this host has a key with which the peer can encrypt the link.
  ///   - leastKeySize: the least size of a key that suffices, in bytes.
  @inline(never)
  func refusal(needsAuthentication: Bool, hasKey: Bool, leastKeySize: UInt8) -> ATTErrorCode? {
    guard isEncrypted else { return hasKey ? .insufficientEncryption : .insufficientAuthentication }
    guard keySize >= leastKeySize else { return .encryptionKeySizeTooShort }
    return needsAuthentication && !isAuthenticated ? .insufficientAuthentication : nil
  }
}

/// The keys of one link, and the procedure of encryption that is under way.
struct LinkKeys: Sendable {
  /// How long a controller may take before another procedure may begin: its own limit is 40 s (Core 6.0 Vol 6 Part B
  /// 5.2).
  static let procedureTimeout = Duration.seconds(45)

  private var keys: [LongTermKey] = []
  /// The key that the controller was given last; it becomes the link's by an event of the controller.
  private(set) var offered: LongTermKey?
  /// Until when a procedure that this host began counts as under way.
  private(set) var encryptsUntil: Duration?
  /// Whether the answer to a Long Term Key Request is on its way to the controller.
  var isAnswering = false

  var isEmpty: Bool { keys.isEmpty }

  /// Whether a procedure that this host began is under way.
  func isEncrypting(now: Duration) -> Bool { encryptsUntil.map { now < $0 } ?? false }

  /// Adds a key; it replaces one of the same numbers.
  mutating func set(_ key: LongTermKey) {
    keys.removeAll { $0.encryptedDiversifier == key.encryptedDiversifier && $0.randomNumber == key.randomNumber }
    keys.append(key)
  }

  /// Removes all keys.
  mutating func removeAll() { keys = [] }

  /// The key of these numbers.
  func key(_ encryptedDiversifier: UInt16, _ randomNumber: UInt64) -> LongTermKey? {
    keys.first { $0.encryptedDiversifier == encryptedDiversifier && $0.randomNumber == randomNumber }
  }

  /// Begins a procedure of this host.
  mutating func begin(_ key: LongTermKey, now: Duration) {
    offered = key
    encryptsUntil = now + Self.procedureTimeout
  }

  /// Records the key with which the peer's procedure is answered.
  mutating func offer(_ key: LongTermKey?) { offered = key }

  /// Ends the procedure and returns the key that was given for it.
  mutating func end() -> LongTermKey? {
    defer { (offered, encryptsUntil) = (nil, nil) }
    return offered
  }
}
