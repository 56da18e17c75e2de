/// A protocol that provisions devices, from the strongest to the weakest.
public enum ProvisioningProtocol: String, Sendable, CaseIterable, Comparable {
  /// Latchkey's own: a code proves both sides to each other, and recordings stay secret from quantum computers.
  case secure
  /// Espressif's Unified Provisioning.
  case espressif
  /// Improv over Bluetooth LE: in the clear, from anyone; a button at the device is all that guards it.
  case improv
  /// The documented protocol of services F100 and F200: encrypted, to anyone who answers.
  case legacy

  /// Whether `a` is the weaker one.
  public static func < (a: Self, b: Self) -> Bool { a.strength < b.strength }

  private var strength: Int {
    switch self {
    case .secure: 3
    case .espressif: 2
    case .legacy: 1
    case .improv: 0
    }
  }

  /// The protocol's name for people.
  public var name: String {
    switch self {
    case .secure: "the secure protocol"
    case .espressif: "Espressif Unified Provisioning"
    case .improv: "Improv"
    case .legacy: "the legacy protocol"
    }
  }
}
