public import Foundation

/// Which device to provision. Neither form proves anything: anyone who advertises a name has it.
public enum LegacyProvisioningTarget: Hashable, Sendable {
  /// The first device found that advertises this name.
  case name(String)
  /// The device with this identifier, as `CBPeripheral.identifier` gave it on this host.
  case identifier(UUID)
}
