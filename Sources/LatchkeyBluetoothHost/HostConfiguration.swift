/// The configuration of a host, fixed at its creation.
public struct HostConfiguration: Sendable {
  /// The device name in the GAP service (Core 6.0 Vol 3 Part C 12.1), UTF-8, at most 248 bytes.
  public var name: String
  /// The appearance in the GAP service (Core 6.0 Vol 3 Part C 12.2).
  public var appearance: UInt16
  /// The host's own address, a static random one. Public addresses are not used: some controllers deliver data by the
  /// random address whichever one the link was made with.
  public var ownAddress: BluetoothAddress
  /// The ATT_MTU that the host offers, 23...517.
  public var preferredMTU: Int
  /// The least size of a key that suffices for attributes which need encryption, in bytes: 7...16 (Core 6.0 Vol 3 Part C
  /// 10.3.1). 16 refuses keys that a peer made shorter.
  public var leastKeySize: Int

  /// Which controllers are asked to hold data back while clients are busy.
  public var flowControl: HostFlowControl

  /// Whether a controller's extended advertising is used, where it has that: a set for each client, long advertisements,
  /// physical layers beyond LE 1M (Core 6.0 Vol 6 Part B 4.4.2).
  public var usesExtendedAdvertising: Bool

  /// Whether a controller's resolving list is used, where it has one: it recognizes bonded peers by their private addresses,
  /// and a connection to them waits without a scan (Core 6.0 Vol 6 Part B 6). Without it, the host resolves addresses.
  public var usesControllerPrivacy: Bool

  /// The terms of pairing; nil for a host that does not pair. Input and output are those of the apps' agents.
  package var pairing: PairingPolicy?
  /// What the host distributes to those that it pairs with; nil if it has no IRK.
  package var identity: PairingIdentity?
  /// Whether the host has private addresses on the air, a new one every 15 minutes, made with the IRK of `identity`. Off
  /// unless it is asked for: devices that are not paired, and people with tools, know a host by its address.
  package var usesPrivateAddresses = false

  /// A configuration. The name is truncated to 248 bytes when it is served; the MTU and the size of a key are clamped to
  /// their ranges.
  public init(
    name: String = "Latchkey", appearance: UInt16 = 0, ownAddress: BluetoothAddress, preferredMTU: Int = 517,
    leastKeySize: Int = 7, flowControl: HostFlowControl = .whereKnownGood, usesExtendedAdvertising: Bool = true,
    usesControllerPrivacy: Bool = true
  ) {
    self.name = name
    self.appearance = appearance
    self.ownAddress = ownAddress
    self.flowControl = flowControl
    self.usesExtendedAdvertising = usesExtendedAdvertising
    self.usesControllerPrivacy = usesControllerPrivacy
    self.preferredMTU = min(max(preferredMTU, 23), 517)
    self.leastKeySize = min(max(leastKeySize, 7), 16)
  }
}

/// Which controllers a host asks to hold data back while its clients are busy, of those that offer it (Core 6.0 Vol 4 Part E
/// 4.2). Without it, values beyond a client's capacity are dropped.
public enum HostFlowControl: Sendable, Hashable {
  /// None.
  case never
  /// Those that are known to do it well. Few hosts use this, so others may implement it badly.
  case whereKnownGood
  /// All.
  case always
}
