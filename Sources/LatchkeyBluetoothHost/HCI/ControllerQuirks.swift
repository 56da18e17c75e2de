/// What controllers in the field do beside, or other than, what they report. The manufacturer in the controller's version
/// tells them apart (Core 6.0 Vol 4 Part E 7.4.1): over HCI, a host sees nothing else of a chip.
package struct ControllerQuirks: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Reports LE Coded, and neither scans nor connects while that is in use.
  package static let codedPHYIsBroken = ControllerQuirks(rawValue: 1 << 0)
  /// Reports extended advertising, and refuses its commands for scanning or for connections.
  package static let extendedAdvertisingIsBroken = ControllerQuirks(rawValue: 1 << 1)
  /// Is known to hold data back as the host asks for it (Core 6.0 Vol 4 Part E 4.2). Few hosts use that: Linux does not.
  package static let holdsDataBack = ControllerQuirks(rawValue: 1 << 2)

  /// A line of the table.
  struct Entry {
    /// The company identifier (Assigned Numbers 7).
    let manufacturer: UInt16
    let quirks: ControllerQuirks
    /// Where it is known from.
    let source: StaticString
  }

  /// All that is known, by manufacturer.
  static let table = [
    // Intel.
    Entry(
      manufacturer: 0x0002, quirks: .codedPHYIsBroken,
      source: "Linux, drivers/bluetooth/btintel.c: HCI_QUIRK_BROKEN_LE_CODED"),
    // Broadcom.
    Entry(
      manufacturer: 0x000F, quirks: .codedPHYIsBroken,
      source: "Linux, drivers/bluetooth/hci_bcm4377.c: HCI_QUIRK_BROKEN_LE_CODED"),
    // Actions Semiconductor: ATS2851, in cheap dongles.
    Entry(
      manufacturer: 0x03E0, quirks: .extendedAdvertisingIsBroken,
      source: "Linux, drivers/bluetooth/btusb.c, BTUSB_ACTIONS_SEMI: HCI_QUIRK_BROKEN_EXT_SCAN, _EXT_CREATE_CONN"),
    // The Linux Foundation: the Zephyr project's controller.
    Entry(
      manufacturer: 0x05F1, quirks: .holdsDataBack,
      source: "Zephyr, subsys/bluetooth/host: CONFIG_BT_HCI_ACL_FLOW_CONTROL, which its own host uses"),
    // Not assigned: controllers of software.
    Entry(
      manufacturer: 0xFFFF, quirks: .holdsDataBack,
      source: "`make interop`: this project's virtual controllers, and Bumble's"),
  ]

  /// The quirks of a manufacturer's controllers; none where nothing is known.
  package init(manufacturer: UInt16?) {
    self = Self.table.first { $0.manufacturer == manufacturer }?.quirks ?? []
  }
}
