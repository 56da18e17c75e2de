import Testing

@testable import LatchkeyProvisioningProtocol

/// How often an app waits for the device before it can send its first request. What it takes in time over a radio is what
/// `Benchmarks/run opening` prints.
@Suite struct RoundTripTests {
  /// The answers that the app waited for.
  private func trips(_ values: [SecureRig.Value]) -> Int {
    zip(values, values.dropFirst()).count { $0.isFromApp && !$1.isFromApp }
  }

  /// Those of Espressif's protocol: each is a write and a read.
  private func espressif(_ change: (inout ProtocommDeviceConfiguration) -> Void) -> Int {
    var configuration = ProtocommAppConfiguration(code: ProtocommBench.example.secretCode)
    configuration.allowsSecurity1 = true
    var pair = ProtocommPair(configuration, change)
    pair.begin()
    #expect(pair.events.count == 1 && pair.events.allSatisfy { $0.failure == nil })
    return pair.trips
  }

  @Test(
    "The secure protocol takes a third of the round trips of Espressif's", arguments: SecureSuite.allCases, [20, 244])
  func secure(_ suite: SecureSuite, limit: Int) throws {
    var rig = try SecureRig([suite])
    rig.limit = limit
    try rig.connect()
    #expect(rig.assurance() == suite.assurance)
    #expect(trips(rig.values) == 1)
    #expect(3 * trips(rig.values) <= espressif { $0.security1 = .never })
  }

  @Test("An app that comes back waits once, too", arguments: SecureSuite.allCases)
  func resumed(_ suite: SecureSuite) throws {
    var rig = try SecureRig([suite])
    try rig.connect()
    _ = rig.request(.status)
    let resumption = try #require(rig.app()?.resumption)
    rig.disconnect()
    rig.values = []
    try rig.connect(2, code: nil, resumption: resumption)
    #expect(rig.assurance(2) != nil)
    #expect(trips(rig.values) == 1)
  }

  @Test("Espressif's protocol takes three, by Security 2 and by Security 1")
  func espressif() {
    #expect(espressif { $0.security1 = .never } == 3)
    #expect(
      espressif {
        $0.security1 = .always
        $0.security2 = .never
      } == 3)
  }
}
