import LatchkeyBluetoothHost

/// The two families of commands of advertising, scanning and initiating. The first command of one excludes the other
/// until a reset (Core 6.0 Vol 4 Part E 3.1.1).
enum AirCommandFamily: Sendable {
  case legacy
  case extended

  /// The family of a command; nil for a command of neither.
  init?(_ opcode: HCIOpcode) {
    if Self.legacyCommands.contains(opcode) {
      self = .legacy
    } else if Self.extendedCommands.contains(opcode) {
      self = .extended
    } else {
      return nil
    }
  }

  static let legacyCommands: Set<HCIOpcode> = [
    .leSetAdvertisingParameters, .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData,
    .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable, .leCreateConnection,
  ]

  static let extendedCommands: Set<HCIOpcode> = [
    .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
    .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
    .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
  ]
}

extension VirtualController {
  /// Whether a command may be executed after the earlier ones; the first decides.
  mutating func admits(_ opcode: HCIOpcode) -> Bool {
    guard let family = AirCommandFamily(opcode) else { return true }
    if state.commandFamily == nil { state.commandFamily = family }
    return state.commandFamily == family
  }
}
