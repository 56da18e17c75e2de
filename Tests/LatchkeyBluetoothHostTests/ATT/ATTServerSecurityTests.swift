import Testing

@testable import LatchkeyBluetoothHost

/// Attributes that need encryption, over PDUs. Handle 0017 of the bench may be accessed on an encrypted link only.
@Suite("A server of protected attributes") struct ATTServerSecurityTests {
  /// A bench with a service more: 0020, 0022 notifies and indicates on an encrypted link only, 0023 its configuration.
  private func bench() throws -> ATTServerBench {
    var bench = try ATTServerBench()
    var definition = GATTCharacteristicDefinition(
      uuid: 0xFFF7, properties: [.notify, .indicate], permissions: .readable)
    definition.needsEncryptionToSubscribe = true
    _ = try bench.database.add(
      GATTServiceDefinition(uuid: 0xFFF0, characteristics: [definition]), owner: ClientID(3))
    return bench
  }

  private func encrypted(size: UInt8 = 16) -> LinkSecurity {
    var security = LinkSecurity()
    security.isEncrypted = true
    security.keySize = size
    return security
  }

  @Test("refuses without a key by 05, with one by 0F") func refusals() throws {
    var bench = try bench()
    try bench.play(
      """
      > 0a 1700
      < 01 0a 1700 05
      > 12 1700 02
      < 01 12 1700 05
      > 16 1700 0000 02
      < 01 16 1700 05
      > 52 1700 02
      """)
    bench.server.hasKey = true
    try bench.play(
      """
      > 0a 1700
      < 01 0a 1700 0f
      > 0c 1700 0000
      < 01 0c 1700 0f
      > 08 0100 ffff f5ff
      < 01 08 1700 0f
      > 12 1700 02
      < 01 12 1700 0f
      > 16 1700 0000 02
      < 01 16 1700 0f
      > 52 1700 02
      """)
  }

  @Test("refuses a key that is too short by 0C") func shortKey() throws {
    var bench = try bench()
    bench.server = ATTServer(
      link: ATTServerBench.link, peer: ATTServerBench.peer, preferredMTU: 517, leastKeySize: 16)
    bench.server.security = encrypted(size: 15)
    try bench.play(
      """
      > 0a 1700
      < 01 0a 1700 0c
      > 12 2300 0100
      < 01 12 2300 0c
      """)
  }

  @Test("lets its own configuration be read, and set on an encrypted link only") func subscription() throws {
    var bench = try bench()
    try bench.play(
      """
      > 0a 2300
      < 0b 0000
      > 12 2300 0100
      < 01 12 2300 05
      > 52 2300 0100
      > 16 2300 0000 0100
      < 01 16 2300 05
      ~ 0022 aa
      * nobody
      """)
    bench.server.security = encrypted()
    try bench.play(
      """
      > 12 2300 0100
      < 13
      * 3 0022 notifications
      ~ 0022 aa
      < 1b 2200 aa
      """)
  }

  @Test("sends no value in clear to a peer that subscribed before") func valuesInClear() throws {
    var bench = try bench()
    bench.server.security = encrypted()
    try bench.play(
      """
      > 12 2300 0200
      < 13
      * 3 0022 indications
      ~ 0022 aa
      < 1d 2200 aa
      ~ 0022 bb
      * queued
      """)
    bench.server.security = LinkSecurity()
    try bench.play(
      """
      > 1e
      * confirmed 0022
      ~ 0022 cc
      * nobody
      """)
    #expect(bench.server.subscription(to: 0x0022) == .none)
  }

  @Test("sends no value under a key that became too short to a peer that subscribed before") func valuesUnderShortKey()
    throws
  {
    var bench = try bench()
    bench.server = ATTServer(
      link: ATTServerBench.link, peer: ATTServerBench.peer, preferredMTU: 517, leastKeySize: 16)
    bench.server.security = encrypted()
    try bench.play(
      """
      > 12 2300 0100
      < 13
      * 3 0022 notifications
      ~ 0022 aa
      < 1b 2200 aa
      """)
    bench.server.security = encrypted(size: 15)
    try bench.play(
      """
      ~ 0022 bb
      * nobody
      """)
    bench.server.security = encrypted(size: 16)
    try bench.play(
      """
      ~ 0022 cc
      < 1b 2200 cc
      """)
  }
}
