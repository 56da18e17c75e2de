public import LatchkeyBluetoothHost

/// How one controller misbehaves, as real ones do. Set it at any time with `Radio.setFaults(_:on:now:)`.
public struct ControllerFaults: Sendable {
  /// What becomes of Number Of Completed Packets.
  public enum Credits: Sendable, Hashable {
    /// It comes as it should.
    case prompt
    /// It comes this much later.
    case late(Duration)
    /// It comes when `Radio.releaseCredits(of:now:)` is called, or the fault is taken away.
    case withheld
    /// Every n-th packet is never reported; only the end of its link gives its buffer back.
    case everyLost(Int)
  }

  /// How a link is lost.
  public struct LinkLoss: Sendable, Hashable {
    /// How many ACL packets the controller still passes, both directions counted, of all links together.
    public var packets: Int
    /// What both hosts are told.
    public var reason: HCIStatus
    /// Whether both hosts are told at once; else the link falls silent and they are told at the supervision timeout.
    public var isImmediate: Bool

    /// The link over which the packet after the next `packets` would pass is lost instead. It happens once.
    public init(afterPackets packets: Int, reason: HCIStatus = .connectionTimeout, isImmediate: Bool = true) {
      self.packets = packets
      self.reason = reason
      self.isImmediate = isImmediate
    }
  }

  /// Opcodes that get no answer and do nothing.
  public var silentCommands: Set<UInt16>
  /// Opcodes that are answered with this status and do nothing else.
  public var refusedCommands: [UInt16: HCIStatus]
  /// How long each answer takes Num_HCI_Command_Packets to 0; a Command Complete of opcode 0 then raises it to 1.
  public var commandCreditDelay: Duration?
  /// What becomes of Number Of Completed Packets.
  public var credits: Credits
  /// Buffers other than the configuration's, announced and held to from now on.
  public var buffers: ACLBuffers?
  /// Whether the first data of a link comes before the event that tells of the link.
  public var sendsDataBeforeConnectionEvent: Bool
  /// Whether a new link gets the lowest free handle, which may be that of the link just ended; else they go round.
  public var reusesHandles: Bool
  /// When to lose a link.
  public var linkLoss: LinkLoss?
  /// How many of the controller's next connection requests get lost: its host is told of a link, and then that the
  /// link failed to be established (0x3E).
  public var lostConnectionRequests: Int

  /// Whether the controller refuses to initiate while it scans and to scan while it initiates, whatever its LE states say.
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

  /// Whether ACL packets can take the short way.
  var spareData: Bool { credits == .prompt && linkLoss == nil && !sendsDataBeforeConnectionEvent }

  /// Whether any command is treated otherwise than it should be.
  var concernCommands: Bool { !silentCommands.isEmpty || !refusedCommands.isEmpty }
}
