import Testing

@testable import os

struct ValueHashTests {
  // The reference implementation's vectors: key 00 … 0F, input 00, 01, … of each length.
  @Test(
    "SipHash-2-4's reference vectors come out",
    arguments: [
      (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (7, 0xAB02_00F5_8B01_D137),
      (8, 0x93F5_F579_9A93_2462), (15, 0xA129_CA61_49BE_45E5),
    ] as [(Int, UInt64)])
  func vectors(_ length: Int, _ hash: UInt64) {
    let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
    #expect(ValueHash(key: key).hash((0..<length).map { UInt8($0) }) == hash)
  }

  @Test("Another key gives another hash")
  func keys() {
    #expect(ValueHash(key: (1, 2)).text(of: "a") != ValueHash(key: (1, 3)).text(of: "a"))
    #expect(ValueHash(key: (1, 2)).text(of: "a") != ValueHash(key: (2, 2)).text(of: "a"))
  }
}
