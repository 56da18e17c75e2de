/// The capabilities of a controller, read at start-up.
package struct ControllerCapabilities: Sendable, Equatable {
  /// Nil if the controller did not report it.
  package var version: HCIReadLocalVersionInformation.ReturnParameters?
  /// The public address; nil if the controller has none or did not report it.
  package var publicAddress: BluetoothAddress?
  /// A hint: see `HCISupportedCommands`.
  package var commands = HCISupportedCommands()
  /// Empty if the controller did not report them.
  package var features: LEFeatures = []
  /// Bytes of data in one ACL packet to the controller.
  package var aclPacketLength = 0
  /// ACL packets that the controller holds.
  package var aclPacketCount = 0
  /// Whether the controller holds data back until the host has returned buffers by HCI Host Number Of Completed
  /// Packets; it may fill `ControllerInitialization.hostPacketCount` of them.
  package var usesHostFlowControl = false

  /// The capacity of the filter accept list; 0 if there is none, or a command for its use is missing.
  package var filterAcceptListSize = 0
  /// Whether the controller can scan while it initiates a connection. Some controllers report so wrongly.
  package var scansWhileInitiating = true

  package init() {}
}
