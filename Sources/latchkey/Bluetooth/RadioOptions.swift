import ArgumentParser
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports

/// What the controllers of `latchkey radio`, and the air between them, are like.
struct RadioOptions: ParsableArguments {
  /// What a controller may be without.
  enum Feature: String, CaseIterable, ExpressibleByArgument {
    case dataLength = "data-length"
    case parameterRequests = "parameter-requests"
    case featuresExchange = "features-exchange"
    case privacy
    case extendedAdvertising = "extended-advertising"
    case phy2M = "2m"
    case phyCoded = "coded"
    case scanningWhileInitiating = "scanning-while-initiating"

    /// The feature's bit; nil for what is none.
    var bit: ControllerConfiguration.Features? {
      switch self {
      case .dataLength: .dataPacketLengthExtension
      case .parameterRequests: .connectionParametersRequest
      case .featuresExchange: .peripheralInitiatedFeaturesExchange
      case .privacy: .privacy
      case .extendedAdvertising: .extendedAdvertising
      case .phy2M: .phy2M
      case .phyCoded: .phyCoded
      case .scanningWhileInitiating: nil
      }
    }
  }

  @Option(help: ArgumentHelp("How many links each controller holds at once, 1 to 3839.", valueName: "count"))
  var links = 16

  @Option(help: ArgumentHelp("How many packets each controller accepts from its host, 1 to 255.", valueName: "count"))
  var buffers = ACLBuffers.standard.count

  @Option(help: ArgumentHelp("The longest packet it accepts, 27 to 65535 bytes.", valueName: "bytes"))
  var bufferLength = ACLBuffers.standard.length

  @Option(
    help: ArgumentHelp(
      "What the controllers cannot do: \(Feature.allCases.map(\.rawValue).joined(separator: ", ")); may be repeated.",
      valueName: "feature"))
  var without: [Feature] = []

  @Option(help: ArgumentHelp("How probably a transmission is lost, 0 to 1.", valueName: "probability"))
  var loss = 0.0

  @Flag(
    help: """
      Let data wait for the connection events of its link, which are the connection interval apart, six PDUs each way in one, as \
      on the air; otherwise it crosses at once.
      """)
  var connectionEvents = false

  func validate() throws {
    guard 1...0x0EFF ~= links else { throw ValidationError("--links \(links) is not 1 to 3839") }
    guard 1...0xFF ~= buffers else { throw ValidationError("--buffers \(buffers) is not 1 to 255") }
    guard 27...0xFFFF ~= bufferLength else {
      throw ValidationError("--buffer-length \(bufferLength) is not 27 to 65535")
    }
    guard 0...1 ~= loss else { throw ValidationError("--loss \(loss) is not 0 to 1") }
  }

  /// The radio.
  func makeRadio() -> VirtualRadio {
    let features = without.compactMap(\.bit).reduce(ControllerConfiguration.Features.all) { $0.subtracting($1) }
    return VirtualRadio(
      configuration: RadioConfiguration(
        timing: AirTiming(pdusPerConnectionEvent: connectionEvents ? AirTiming.paced.pdusPerConnectionEvent : nil),
        loss: loss),
      controllers: ControllerConfiguration(
        buffers: ACLBuffers(length: bufferLength, count: buffers), features: features, maximumLinks: links,
        scansWhileInitiating: !without.contains(.scanningWhileInitiating)),
      scheduler: NIOScheduler())
  }
}
