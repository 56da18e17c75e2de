import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Scripts: which command comes, what the controller answers, and how it ends.
@Suite struct ControllerInitializationTests {
  private static let own = BluetoothAddress(0xC0FF_EE00_0001, kind: .random)

  /// A controller by its replies; a command that has none is answered with Unknown Command.
  private struct Controller {
    var replies: [HCIOpcode: HCIReply] = [:]

    /// Answers everything that the start-up asks, without data length or host flow control.
    static var plain: Controller {
      var controller = Controller()
      for opcode in [HCIOpcode.reset, .setEventMask, .leSetEventMask, .leSetRandomAddress] {
        controller.replies[opcode] = .complete(ByteReader([0x00]))
      }
      controller.returns(HCIReadLocalVersionInformation.self, version)
      controller.returns(HCIReadLocalSupportedCommands.self, .init(commands: HCISupportedCommands([.reset])))
      controller.returns(HCIReadBDADDR.self, .init(address: BluetoothAddress(0x0011_2233_4455, kind: .public)))
      controller.returns(HCILEReadLocalSupportedFeatures.self, .init(features: []))
      controller.returns(HCILEReadBufferSize.self, .init(aclPacketLength: 27, aclPacketCount: 1))
      return controller
    }

    mutating func returns<Command: HCISynchronousCommand>(
      _ command: Command.Type, _ parameters: Command.ReturnParameters
    ) {
      guard case .commandComplete(_, _, let reader) = HCIEvent.complete(command, parameters) else { return }
      replies[Command.opcode] = .complete(reader)
    }
  }

  private static let version = HCIReadLocalVersionInformation.ReturnParameters(
    hciVersion: 0x0E, hciSubversion: 1, lmpVersion: 0x0E, companyIdentifier: 0x05F1, lmpSubversion: 2)

  private enum End: Equatable {
    case ready(ControllerCapabilities)
    case failed(ControllerInitialization.Failure)
  }

  private func run(
    _ controller: Controller, ownAddress: BluetoothAddress = own, flowControl: HostFlowControl = .whereKnownGood,
    usesExtendedAdvertising: Bool = true, usesControllerPrivacy: Bool = true
  ) -> (opcodes: [HCIOpcode], packets: [HCIOpcode: [UInt8]], end: End) {
    var initialization = ControllerInitialization(
      ownAddress: ownAddress, flowControl: flowControl, usesExtendedAdvertising: usesExtendedAdvertising,
      usesControllerPrivacy: usesControllerPrivacy)
    var opcodes: [HCIOpcode] = []
    var packets: [HCIOpcode: [UInt8]] = [:]
    var progress = initialization.start()
    while true {
      switch progress {
      case .send(let command):
        let opcode = type(of: command).opcode
        opcodes.append(opcode)
        packets[opcode] = command.packet
        progress = initialization.handle(controller.replies[opcode] ?? .status(.unknownCommand))
      case .ready(let capabilities): return (opcodes, packets, .ready(capabilities))
      case .failed(let failure): return (opcodes, packets, .failed(failure))
      }
    }
  }

  private func capabilities(_ end: End) throws -> ControllerCapabilities {
    guard case .ready(let capabilities) = end else {
      Issue.record("\(end)")
      throw ControllerInitialization.Failure.noBuffers
    }
    return capabilities
  }

  @Test("A plain controller gets the minimal commands") func plainController() throws {
    let (opcodes, packets, end) = run(.plain)
    #expect(
      opcodes == [
        .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .readBDADDR,
        .leReadLocalSupportedFeatures, .setEventMask, .leSetEventMask, .leReadBufferSize, .leSetRandomAddress,
      ])
    #expect(packets[.setEventMask] == [0x01, 0x01, 0x0C, 0x08, 0x90, 0x88, 0x00, 0x02, 0x00, 0x80, 0x00, 0x20])
    #expect(packets[.leSetEventMask] == [0x01, 0x01, 0x20, 0x08, 0x0F, 0, 0, 0, 0, 0, 0, 0])
    #expect(packets[.leSetRandomAddress] == [0x01, 0x05, 0x20, 0x06, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0])
    let capabilities = try capabilities(end)
    #expect(capabilities.version == Self.version)
    #expect(capabilities.publicAddress == BluetoothAddress(0x0011_2233_4455, kind: .public))
    #expect(capabilities.commands.contains(.reset))
    #expect(!capabilities.commands.contains(.leSetDataLength))
    #expect(capabilities.aclPacketLength == 27)
    #expect(capabilities.aclPacketCount == 1)
    #expect(!capabilities.usesHostFlowControl)
  }

  /// A controller that can do all, of a manufacturer.
  private func controller(of manufacturer: UInt16) -> Controller {
    var controller = Self.full
    var version = Self.version
    version.companyIdentifier = manufacturer
    controller.returns(HCIReadLocalVersionInformation.self, version)
    controller.returns(
      HCILEReadLocalSupportedFeatures.self,
      .init(features: [.encryption, .phy2M, .phyCoded, .extendedAdvertising, .dataPacketLengthExtension]))
    return controller
  }

  @Test("Only controllers that are known to do it well are asked to hold data back, unless the switch says otherwise")
  func flowControlWhereKnownGood() throws {
    for (manufacturer, isKnown) in [(0x05F1, true), (0xFFFF, true), (0x0002, false), (0x0059, false)]
      as [(UInt16, Bool)]
    {
      for (wanted, isAsked) in [(HostFlowControl.never, false), (.whereKnownGood, isKnown), (.always, true)] {
        let (opcodes, _, end) = run(controller(of: manufacturer), flowControl: wanted)
        #expect(opcodes.contains(.setControllerToHostFlowControl) == isAsked)
        #expect(opcodes.contains(.hostBufferSize) == isAsked)
        #expect(try capabilities(end).usesHostFlowControl == isAsked)
      }
    }
    var nameless = Self.full
    nameless.replies[.readLocalVersionInformation] = .status(.unknownCommand)
    #expect(!run(nameless).opcodes.contains(.hostBufferSize))
  }

  @Test(
    "What a manufacturer's controllers only claim to have is not used", arguments: [0x0002, 0x000F, 0x03E0, 0x0059])
  func quirks(manufacturer: UInt16) throws {
    let features = try capabilities(run(controller(of: manufacturer)).end).features
    #expect(features.contains(.phyCoded) == (manufacturer == 0x03E0 || manufacturer == 0x0059))
    #expect(features.contains(.extendedAdvertising) == (manufacturer != 0x03E0))
    #expect(features.contains(.phy2M) && features.contains(.encryption))
    // The bits of the events that it could not have are not set either (7.8.1: 12 and 17).
    let mask = try #require(run(controller(of: manufacturer)).packets[.leSetEventMask])
    #expect(mask[5] & 0x10 != 0 || manufacturer == 0x03E0)
    #expect(mask[5] & 0x10 == 0 || manufacturer != 0x03E0)
  }

  @Test("A public own address is not set") func aPublicOwnAddressIsNotSet() {
    #expect(!run(.plain, ownAddress: BluetoothAddress(1, kind: .public)).opcodes.contains(.leSetRandomAddress))
  }

  /// Whatever may be lacking: refused by Status, refused by Complete, malformed, or not answered at all.
  @Test("Failures of optional commands are never fatal") func optionalCommandsAreNeverFatal() throws {
    let optional: [HCIOpcode] = [
      .readLocalVersionInformation, .readLocalSupportedCommands, .readBDADDR, .leReadLocalSupportedFeatures,
      .leSetEventMask, .leReadBufferSizeV2, .leReadMaximumDataLength, .leWriteSuggestedDefaultDataLength,
      .hostBufferSize, .setControllerToHostFlowControl,
    ]
    let bad: [HCIReply] = [
      .status(.unknownCommand), .complete(ByteReader([0x01])), .complete(ByteReader([0x00, 0x01])),
      .complete(ByteReader([])), .timedOut,
    ]
    for reply in bad {
      for opcode in optional {
        var controller = Self.full
        controller.replies[opcode] = reply
        let capabilities = try capabilities(run(controller).end)
        #expect(
          capabilities.aclPacketLength == 251 || opcode == .leReadBufferSizeV2 || opcode == .readLocalSupportedCommands)
        #expect(capabilities.aclPacketCount > 0)
      }
    }
    // All of them at once.
    for reply in bad {
      var controller = Self.full
      for opcode in optional { controller.replies[opcode] = reply }
      let capabilities = try capabilities(run(controller).end)
      #expect(capabilities.aclPacketLength == 27)
      #expect(capabilities.version == nil)
      #expect(capabilities.publicAddress == nil)
      #expect(capabilities.features == [])
      #expect(!capabilities.usesHostFlowControl)
    }
  }

  @Test("Failures without which no link is possible are fatal") func whatALinkCannotBeWithoutIsFatal() {
    for opcode in [HCIOpcode.reset, .setEventMask, .leReadBufferSize, .leSetRandomAddress] {
      var controller = Controller.plain
      controller.replies[opcode] = .timedOut
      #expect(run(controller).end == .failed(.unanswered(opcode)))
      #expect(run(controller).opcodes.last == opcode)
      controller.replies[opcode] = .status(.unknownCommand)
      #expect(run(controller).end == .failed(.refused(opcode, .unknownCommand)))
      controller.replies[opcode] = .complete(ByteReader([0x0C]))
      #expect(run(controller).end == .failed(.refused(opcode, .commandDisallowed)))
      controller.replies[opcode] = .complete(ByteReader([]))
      #expect(run(controller).end == .failed(.unanswered(opcode)))
    }
  }

  @Test("Without LE buffers those of BR/EDR are used") func buffersOfBREDR() throws {
    var controller = Controller.plain
    controller.returns(HCILEReadBufferSize.self, .init(aclPacketLength: 0, aclPacketCount: 0))
    #expect(run(controller).end == .failed(.noBuffers))
    controller.returns(
      HCIReadBufferSize.self,
      .init(aclPacketLength: 1021, synchronousPacketLength: 0, aclPacketCount: 300, synchronousPacketCount: 0))
    let capabilities = try capabilities(run(controller).end)
    #expect(capabilities.aclPacketLength == 1021)
    #expect(capabilities.aclPacketCount == 300)
    controller.returns(
      HCIReadBufferSize.self,
      .init(aclPacketLength: 1021, synchronousPacketLength: 0, aclPacketCount: 0, synchronousPacketCount: 0))
    #expect(run(controller).end == .failed(.noBuffers))
    controller.replies[.readBufferSize] = .timedOut
    #expect(run(controller).end == .failed(.noBuffers))
  }

  @Test("Malformed buffer sizes count as none") func malformedBuffersAreNone() {
    var controller = Controller.plain
    controller.replies[.leReadBufferSize] = .complete(ByteReader([0x00, 0x1B, 0x00]))
    #expect(run(controller).end == .failed(.noBuffers))
  }

  /// Version 2 of the buffer size, longer packets, every LE event, and flow control towards the host.
  private static var full: Controller {
    var controller = Controller.plain
    controller.returns(
      HCIReadLocalSupportedCommands.self,
      .init(
        commands: HCISupportedCommands([
          .leReadBufferSizeV2, .setControllerToHostFlowControl, .hostBufferSize, .hostNumberOfCompletedPackets,
        ])))
    controller.returns(
      HCILEReadLocalSupportedFeatures.self,
      .init(features: [
        .connectionParametersRequest, .dataPacketLengthExtension, .privacy, .extendedScanningFilterPolicies, .phy2M,
        .extendedAdvertising,
      ]))
    controller.returns(
      HCILEReadBufferSizeV2.self,
      .init(aclPacketLength: 251, aclPacketCount: 12, isoPacketLength: 0, isoPacketCount: 0))
    controller.returns(
      HCILEReadMaximumDataLength.self,
      .init(
        maximumTransmitOctets: 251, maximumTransmitTime: 2120, maximumReceiveOctets: 251, maximumReceiveTime: 2120))
    for opcode in [
      HCIOpcode.leWriteSuggestedDefaultDataLength, .hostBufferSize, .setControllerToHostFlowControl,
    ] {
      controller.replies[opcode] = .complete(ByteReader([0x00]))
    }
    return controller
  }

  @Test("A full controller gets all commands") func fullController() throws {
    let (opcodes, packets, end) = run(Self.full)
    #expect(
      opcodes == [
        .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .readBDADDR,
        .leReadLocalSupportedFeatures, .setEventMask, .leSetEventMask, .leReadBufferSizeV2, .leSetRandomAddress,
        .leReadMaximumDataLength, .leWriteSuggestedDefaultDataLength, .hostBufferSize,
        .setControllerToHostFlowControl,
      ])
    #expect(packets[.leSetEventMask] == [0x01, 0x01, 0x20, 0x08, 0x6F, 0x1E, 0, 0, 0, 0, 0, 0])
    #expect(packets[.leWriteSuggestedDefaultDataLength] == [0x01, 0x24, 0x20, 0x04, 0xFB, 0x00, 0x48, 0x08])
    #expect(packets[.hostBufferSize] == [0x01, 0x33, 0x0C, 0x07, 0x00, 0x04, 0x00, 0x40, 0x00, 0x00, 0x00])
    #expect(packets[.setControllerToHostFlowControl] == [0x01, 0x31, 0x0C, 0x01, 0x01])
    let capabilities = try capabilities(end)
    #expect(capabilities.aclPacketLength == 251)
    #expect(capabilities.aclPacketCount == 12)
    #expect(capabilities.usesHostFlowControl)
  }

  @Test("A controller that encrypts may ask for keys, and report their sizes if it can") func encryptingController() {
    var controller = Controller.plain
    controller.returns(HCILEReadLocalSupportedFeatures.self, .init(features: .encryption))
    #expect(run(controller).packets[.leSetEventMask] == [0x01, 0x01, 0x20, 0x08, 0x1F, 0, 0, 0, 0, 0, 0, 0])
    #expect(!run(controller).opcodes.contains(.setEventMaskPage2))
    let commands = HCISupportedCommands([.setEventMaskPage2])
    controller.returns(HCIReadLocalSupportedCommands.self, .init(commands: commands))
    #expect(run(controller).packets[.setEventMaskPage2] == [0x01, 0x63, 0x0C, 0x08, 0, 0, 0, 2, 0, 0, 0, 0])
    // Core 5.2 has no version 2 of Encryption Change.
    var version = Self.version
    version.hciVersion = 0x0B
    controller.returns(HCIReadLocalVersionInformation.self, version)
    #expect(!run(controller).opcodes.contains(.setEventMaskPage2))
  }

  @Test("Flow control needs all three commands") func flowControlNeedsAllThreeCommands() throws {
    let all: [HCIOpcode] = [.setControllerToHostFlowControl, .hostBufferSize, .hostNumberOfCompletedPackets]
    for missing in all {
      var controller = Self.full
      controller.returns(
        HCIReadLocalSupportedCommands.self, .init(commands: HCISupportedCommands(all.filter { $0 != missing })))
      controller.replies[.leReadBufferSizeV2] = nil
      let (opcodes, _, end) = run(controller)
      #expect(!opcodes.contains(.hostBufferSize))
      #expect(!(try capabilities(end)).usesHostFlowControl)
    }
  }

  /// Zero buffers in version 2 are those of BR/EDR at once: version 1 would report the same.
  @Test("Version 2 without LE buffers falls back to BR/EDR") func versionTwoWithoutBuffersOfItsOwn() throws {
    var controller = Self.full
    controller.returns(
      HCILEReadBufferSizeV2.self,
      .init(aclPacketLength: 0, aclPacketCount: 0, isoPacketLength: 0, isoPacketCount: 0))
    controller.returns(
      HCIReadBufferSize.self,
      .init(aclPacketLength: 310, synchronousPacketLength: 64, aclPacketCount: 10, synchronousPacketCount: 8))
    let (opcodes, _, end) = run(controller)
    #expect(!opcodes.contains(.leReadBufferSize))
    #expect(try capabilities(end).aclPacketLength == 310)
  }

  /// The return parameters of a software controller in the field, byte by byte: 27-byte packets beside a data length
  /// extension, no public address, flow control that it says it has.
  @Test("A real controller's replies lead to readiness") func aControllerInTheField() throws {
    var controller = Controller.plain
    let replies: [HCIOpcode: String] = [
      .readLocalVersionInformation: "00 09 0000 09 FFFF 0000",
      .readLocalSupportedCommands:
        "00 2000800300C000000000E4000000A822000000000000040000F7FFFF7F00000030F0F9FF01008004002000"
        + String(repeating: "00", count: 21),
      .readBDADDR: "00 000000000000",
      .leReadLocalSupportedFeatures: "00 FF79010000000000",
      .leReadBufferSizeV2: "00 1B00 40 C003 40",
      .leReadMaximumDataLength: "00 1B00 1027 1B00 1027",
      .leWriteSuggestedDefaultDataLength: "00", .hostBufferSize: "00", .setControllerToHostFlowControl: "00",
    ]
    for (opcode, bytes) in replies {
      controller.replies[opcode] = .complete(ByteReader(try Hexadecimal.decode(bytes)))
    }
    let (_, packets, end) = run(controller)
    #expect(packets[.leSetEventMask] == [0x01, 0x01, 0x20, 0x08, 0x7F, 0x1E, 0, 0, 0, 0, 0, 0])
    #expect(packets[.leWriteSuggestedDefaultDataLength] == [0x01, 0x24, 0x20, 0x04, 0x1B, 0x00, 0x10, 0x27])
    let capabilities = try capabilities(end)
    #expect(capabilities.version?.hciVersion == 0x09)
    #expect(capabilities.publicAddress == nil)
    #expect(capabilities.aclPacketLength == 27)
    #expect(capabilities.aclPacketCount == 64)
    #expect(capabilities.features.contains([.extendedAdvertising, .privacy, .phy2M, .phyCoded]))
    #expect(capabilities.usesHostFlowControl)
    // A hint only: this controller never answers either.
    #expect(capabilities.commands.contains(.readRSSI))
    #expect(capabilities.commands.contains(.leSetDataLength))
  }

  private static let advertisingCommands: [HCIOpcode] = [
    .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
    .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
    .leExtendedCreateConnection,
  ]

  /// A controller with extended advertising, some of its commands, and six sets of 1 650 bytes.
  private static func advertising(_ commands: [HCIOpcode] = advertisingCommands) -> Controller {
    var controller = Controller.plain
    controller.returns(HCIReadLocalSupportedCommands.self, .init(commands: HCISupportedCommands(commands)))
    controller.returns(HCILEReadLocalSupportedFeatures.self, .init(features: .extendedAdvertising))
    controller.returns(HCILEReadNumberOfSupportedAdvertisingSets.self, .init(count: 6))
    controller.returns(HCILEReadMaximumAdvertisingDataLength.self, .init(length: 1650))
    return controller
  }

  @Test("Extended advertising is used with all of its commands, or not at all") func extendedAdvertising() throws {
    let (opcodes, packets, end) = run(Self.advertising())
    #expect(opcodes.suffix(2) == [.leReadNumberOfSupportedAdvertisingSets, .leReadMaximumAdvertisingDataLength])
    #expect(packets[.leSetEventMask] == [0x01, 0x01, 0x20, 0x08, 0x0F, 0x12, 0x02, 0, 0, 0, 0, 0])
    let extended = try #require(try capabilities(end).extendedAdvertising)
    #expect(extended.setCount == 6 && extended.dataCapacity == 1650)
    for missing in Self.advertisingCommands {
      let (opcodes, packets, end) = run(Self.advertising(Self.advertisingCommands.filter { $0 != missing }))
      #expect(opcodes.last == .leSetRandomAddress)
      #expect(packets[.leSetEventMask] == [0x01, 0x01, 0x20, 0x08, 0x0F, 0x10, 0, 0, 0, 0, 0, 0])
      #expect(try capabilities(end).extendedAdvertising == nil)
    }
    #expect(try capabilities(run(Self.advertising(), usesExtendedAdvertising: false).end).extendedAdvertising == nil)
    var controller = Self.advertising()
    controller.returns(HCILEReadLocalSupportedFeatures.self, .init(features: []))
    #expect(try capabilities(run(controller).end).extendedAdvertising == nil)
  }

  @Test("A controller that does not say how many sets it has, or how long, has one of 31 bytes") func unknownSets()
    throws
  {
    for reply in [HCIReply.status(.unknownCommand), .complete(ByteReader([0x00])), .timedOut] {
      var controller = Self.advertising()
      controller.replies[.leReadNumberOfSupportedAdvertisingSets] = reply
      controller.replies[.leReadMaximumAdvertisingDataLength] = reply
      let extended = try #require(try capabilities(run(controller).end).extendedAdvertising)
      #expect(extended.setCount == 1 && extended.dataCapacity == 31)
    }
  }

  private static let privacyCommands: [HCIOpcode] = [
    .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leReadResolvingListSize,
    .leSetAddressResolutionEnable, .leSetPrivacyMode,
  ]

  /// A controller with privacy, some of its commands, and a list of eight.
  private static func resolving(_ commands: [HCIOpcode] = privacyCommands) -> Controller {
    var controller = Controller.plain
    controller.returns(HCIReadLocalSupportedCommands.self, .init(commands: HCISupportedCommands(commands)))
    controller.returns(HCILEReadLocalSupportedFeatures.self, .init(features: .privacy))
    controller.returns(HCILEReadResolvingListSize.self, .init(size: 8))
    controller.replies[.leSetPrivacyMode] = .complete(ByteReader([0x02]))
    return controller
  }

  @Test("A resolving list is used with all of its commands, or not at all") func resolvingList() throws {
    let (opcodes, packets, end) = run(Self.resolving())
    #expect(opcodes.suffix(2) == [.leReadResolvingListSize, .leSetPrivacyMode])
    #expect(packets[.leSetPrivacyMode] == [0x01, 0x4E, 0x20, 0x08, 0x01, 0x01, 0, 0, 0xEE, 0xFF, 0xC0, 0x01])
    // Enhanced Connection Complete.
    #expect(packets[.leSetEventMask] == [0x01, 0x01, 0x20, 0x08, 0x0F, 0x02, 0, 0, 0, 0, 0, 0])
    #expect(try capabilities(end).resolvingListSize == 8)
    for missing in Self.privacyCommands {
      let (opcodes, _, end) = run(Self.resolving(Self.privacyCommands.filter { $0 != missing }))
      #expect(opcodes.last == .leSetRandomAddress)
      #expect(try capabilities(end).resolvingListSize == 0)
    }
    #expect(run(Self.resolving(), usesControllerPrivacy: false).opcodes.last == .leSetRandomAddress)
    var controller = Self.resolving()
    controller.returns(HCILEReadLocalSupportedFeatures.self, .init(features: []))
    #expect(run(controller).opcodes.last == .leSetRandomAddress)
  }

  @Test("A resolving list that takes the privacy mode of a device that is not there is none") func acceptedAndUnused()
    throws
  {
    for reply in [
      HCIReply.status(.unknownCommand), .complete(ByteReader([0x00])), .complete(ByteReader([0x01])),
      .complete(ByteReader([0x12])), .complete(ByteReader([])), .timedOut,
    ] {
      var controller = Self.resolving()
      controller.replies[.leSetPrivacyMode] = reply
      #expect(try capabilities(run(controller).end).resolvingListSize == 0)
    }
    for reply in [
      HCIReply.status(.unknownCommand), .complete(ByteReader([0x00])), .complete(ByteReader([0x00, 0x00])), .timedOut,
    ] {
      var controller = Self.resolving()
      controller.replies[.leReadResolvingListSize] = reply
      #expect(run(controller).opcodes.last == .leReadResolvingListSize)
    }
  }

  @Test("A public address of zeros counts as none") func aZeroPublicAddressIsNone() throws {
    var controller = Controller.plain
    controller.returns(HCIReadBDADDR.self, .init(address: BluetoothAddress(0, kind: .public)))
    #expect(try capabilities(run(controller).end).publicAddress == nil)
  }

  @Test("Restarting clears what was learned") func startingAgainForgetsWhatWasLearned() {
    var initialization = ControllerInitialization(ownAddress: Self.own)
    _ = initialization.start()
    _ = initialization.handle(.complete(ByteReader([0x00])))
    guard case .send(let command) = initialization.start() else {
      Issue.record("no command")
      return
    }
    #expect(type(of: command).opcode == .reset)
    guard case .send(let next) = initialization.handle(.complete(ByteReader([0x00]))) else {
      Issue.record("no command")
      return
    }
    #expect(type(of: next).opcode == .readLocalVersionInformation)
  }
}
