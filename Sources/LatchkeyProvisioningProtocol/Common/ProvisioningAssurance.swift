/// What an open session proves, and to whom. It is what a user should be told before a password is sent.
public enum ProvisioningAssurance: Hashable, Sendable, CaseIterable {
  /// Nothing: what is sent can be read by anyone in range, and anyone may be the other side.
  case none
  /// Nobody listens in, but nothing proves who the other side is.
  case encryptedOnly
  /// Each side has proved that it knows the code; an attacker who recorded the exchange can try codes offline (Espressif's Security 1).
  case weakCode
  /// Each side has proved that it knows the code, with one try per exchange.
  case code
  /// As `code`, and a recording stays secret from a quantum computer.
  case codeAndPostQuantum

  /// Whether the other side is known to have the code.
  public var isAuthenticated: Bool { self == .code || self == .codeAndPostQuantum || self == .weakCode }
}
