/// What the start-up learned of a controller.
package struct ControllerCapabilities: Sendable, Equatable {
  /// Nil if the controller did not tell.
  package var version: HCIReadLocalVersionInformation.ReturnParameters?
  /// The public address; nil if the controller has none or did not tell.
  package var publicAddress: BluetoothAddress?
  /// A hint: see `HCISupportedCommands`.
  package var commands = HCISupportedCommands()
  /// Empty if the controller did not tell.
  package var features: LEFeatures = []
  /// Bytes of data in one ACL packet to the controller.
  package var aclPacketLength = 0
  /// ACL packets that the controller holds.
  package var aclPacketCount = 0
  /// Whether the controller holds data back until the host has given buffers back by HCI Host Number Of Completed
  /// Packets; it may fill `ControllerInitialization.hostPacketCount` of them.
  package var usesHostFlowControl = false

  /// How many devices the filter accept list holds; 0 if there is none, or not all that it takes to use it.
  package var filterAcceptListSize = 0
  /// Whether the controller can scan while it initiates a connection. It may turn out that it says so and cannot.
  package var scansWhileInitiating = true

  package init() {}
}
