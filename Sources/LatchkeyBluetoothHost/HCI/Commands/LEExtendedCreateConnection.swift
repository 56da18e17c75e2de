package import LatchkeyByteCoding

/// Connects to an advertiser, whenever it is heard on one of some physical layers. Connection Complete follows, in its
/// enhanced form where the event mask has that (Core 6.0 Vol 4 Part E 7.8.66, version 1).
package struct HCILEExtendedCreateConnection: HCICommand {
  package static let opcode = HCIOpcode.leExtendedCreateConnection

  /// How to initiate on one physical layer, and the link there.
  package struct Initiation: Sendable, Hashable {
    /// Units of 0.625 ms, 0x0004...0xFFFF; means nothing for LE 2M, on which nobody scans.
    package var scanInterval: UInt16
    /// Units of 0.625 ms, at most the interval.
    package var scanWindow: UInt16
    package var parameters: ConnectionParameters
    package var eventLength: ConnectionEventLength

    package init(
      scanInterval: UInt16 = 0x0010, scanWindow: UInt16 = 0x0010,
      parameters: ConnectionParameters = ConnectionParameters(),
      eventLength: ConnectionEventLength = ConnectionEventLength()
    ) {
      self.scanInterval = scanInterval
      self.scanWindow = scanWindow
      self.parameters = parameters
      self.eventLength = eventLength
    }
  }

  /// Whether to connect to any device of the filter accept list instead of `peer`.
  package var usesFilterAcceptList: Bool
  package var ownAddressKind: OwnAddressKind
  package var peer: BluetoothAddress
  package var phys: LEPHYs
  /// One for each of `phys`, in the order of their bits.
  package var initiations: [Initiation]

  /// The same initiation on each of `phys`.
  package init(
    usesFilterAcceptList: Bool = false, ownAddressKind: OwnAddressKind, peer: BluetoothAddress,
    phys: LEPHYs = .le1M, initiation: Initiation = Initiation()
  ) {
    self.usesFilterAcceptList = usesFilterAcceptList
    self.ownAddressKind = ownAddressKind
    self.peer = peer
    self.phys = phys
    initiations = phys.all.map { _ in initiation }
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    usesFilterAcceptList = try reader.flag("Initiator_Filter_Policy")
    ownAddressKind = try reader.ownAddressKind()
    peer = try reader.typedAddress("Peer_Address_Type")
    phys = LEPHYs(rawValue: try reader.uint8("Initiating_PHYs"))
    guard !phys.isEmpty, phys.isSubset(of: [.le1M, .le2M, .leCoded]) else {
      throw .invalidValue(field: "Initiating_PHYs")
    }
    initiations = []
    for _ in phys.all {
      let interval = try reader.uint16("Scan_Interval")
      let window = try reader.uint16("Scan_Window")
      let parameters = try ConnectionParameters(from: &reader)
      let eventLength = try ConnectionEventLength(from: &reader)
      initiations.append(
        Initiation(scanInterval: interval, scanWindow: window, parameters: parameters, eventLength: eventLength))
    }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.flag(usesFilterAcceptList)
    writer.uint8(ownAddressKind.rawValue)
    writer.typedAddress(peer)
    writer.uint8(phys.rawValue)
    for initiation in initiations {
      writer.uint16(initiation.scanInterval)
      writer.uint16(initiation.scanWindow)
      initiation.parameters.encode(into: &writer)
      initiation.eventLength.encode(into: &writer)
    }
  }
}
