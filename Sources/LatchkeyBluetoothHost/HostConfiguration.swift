/// What a host is told at its birth.
public struct HostConfiguration: Sendable {
  /// The device name that the GAP service answers (Core 6.0 Vol 3 Part C 12.1), UTF-8, at most 248 bytes.
  public var name: String
  /// The appearance that the GAP service answers (Core 6.0 Vol 3 Part C 12.2).
  public var appearance: UInt16
  /// The host's own address, a static random one. Public addresses are not used: some controllers deliver data by the
  /// random address whatever the link was made with.
  public var ownAddress: BluetoothAddress
  /// The ATT_MTU that the host offers, 23...517.
  public var preferredMTU: Int

  /// Whether a controller that offers it is asked to hold data back while clients are busy (Core 6.0 Vol 4 Part E 4.2).
  /// Few hosts ask, so a controller may do it badly: without it, values that are too many for a client are dropped.
  public var asksForFlowControl: Bool

  /// A configuration; the name is cut to 248 bytes when it is served, the MTU is brought into its range.
  public init(
    name: String = "Latchkey", appearance: UInt16 = 0, ownAddress: BluetoothAddress, preferredMTU: Int = 517,
    asksForFlowControl: Bool = true
  ) {
    self.name = name
    self.appearance = appearance
    self.ownAddress = ownAddress
    self.asksForFlowControl = asksForFlowControl
    self.preferredMTU = min(max(preferredMTU, 23), 517)
  }
}
