public import LatchkeyBluetoothHost

/// Faults of one controller, as real ones have them. Set them at any time with `Radio.setFaults(_:on:now:)`.
public struct ControllerFaults: Sendable {
  /// The delivery of Number Of Completed Packets.
  public enum Credits: Sendable, Hashable {
    /// On time.
    case prompt
    /// Late by this duration.
    case late(Duration)
    /// Only when `Radio.releaseCredits(of:now:)` is called, or the fault is removed.
    case withheld
    /// Every n-th packet is never reported; only the end of its link returns its buffer.
    case everyLost(Int)
  }

  /// The loss of a link.
  public struct LinkLoss: Sendable, Hashable {
    /// How many more ACL packets the controller passes, counted in both directions over all links.
    public var packets: Int
    /// The reason that both hosts receive.
    public var reason: HCIStatus
    /// Whether both hosts are informed at once; else the link falls silent until the supervision timeout.
    public var isImmediate: Bool

    /// Loses the link of the packet that follows the next `packets`, in place of that packet. It happens once.
    public init(afterPackets packets: Int, reason: HCIStatus = .connectionTimeout, isImmediate: Bool = true) {
      self.packets = packets
      self.reason = reason
      self.isImmediate = isImmediate
    }
  }

  /// Opcodes that are not answered and have no effect.
  public var silentCommands: Set<UInt16>
  /// Opcodes that are answered with this status and have no other effect.
  public var refusedCommands: [UInt16: HCIStatus]
  /// How long each answer reduces Num_HCI_Command_Packets to 0; a Command Complete of opcode 0 then raises it to 1.
  public var commandCreditDelay: Duration?
  /// The delivery of Number Of Completed Packets.
  public var credits: Credits
  /// Buffers that replace the configuration's from now on.
  public var buffers: ACLBuffers?
  /// Whether the first data of a link is delivered before the event of its connection.
  public var sendsDataBeforeConnectionEvent: Bool
  /// Whether a new link gets the lowest free handle, which may be that of the link just ended; else handles rotate.
  public var reusesHandles: Bool
  /// When to lose a link.
  public var linkLoss: LinkLoss?
  /// How many of the controller's next connection requests are lost: its host receives a connection, and then its
  /// failure to be established (0x3E).
  public var lostConnectionRequests: Int

  /// Whether the controller refuses to initiate while it scans and to scan while it initiates, whatever its LE states
  /// contain.
  public var refusesScanningWhileInitiating: Bool

  /// No faults.
  public init() {
    silentCommands = []
    refusedCommands = [:]
    credits = .prompt
    sendsDataBeforeConnectionEvent = false
    reusesHandles = false
    lostConnectionRequests = 0
    refusesScanningWhileInitiating = false
  }

  /// Whether ACL packets can use the fast path.
  var spareData: Bool { credits == .prompt && linkLoss == nil && !sendsDataBeforeConnectionEvent }

  /// Whether a fault affects any command.
  var concernCommands: Bool { !silentCommands.isEmpty || !refusedCommands.isEmpty }
}
