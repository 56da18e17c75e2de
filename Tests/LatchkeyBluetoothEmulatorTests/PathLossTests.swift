import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Chance and distance") struct PathLossTests {
  @Test(
    "The signal loses 20 dB with each factor of ten",
    arguments: [(1.0, -55.0), (10, -75), (100, -95), (2, -61.0206), (0.5, -48.9794), (0, -15), (1e9, -235)])
  func rssi(_ metres: Double, _ expected: Double) {
    #expect(abs(PathLoss().rssi(atMetres: metres) - expected) < 0.0001)
  }

  @Test("No distance of a user makes nonsense of it", arguments: [Double.nan, .infinity, -.infinity, -5])
  func oddDistances(_ metres: Double) {
    let rssi = PathLoss().rssi(atMetres: metres)
    #expect(rssi == -.infinity || abs(rssi + 15) < 0.0001)
  }

  @Test("The generator is SplitMix64: the first numbers of seed 1234567") func generator() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }

  @Test("An event of probability 0 never happens, 1 always, 0.25 in a quarter of cases") func probabilities() {
    var random = SplitMix64(seed: 3)
    #expect(!(0..<100).contains { _ in random.happens(0) || random.happens(-1) || random.happens(.nan) })
    #expect((0..<100).allSatisfy { _ in random.happens(1) })
    #expect(2300..<2700 ~= (0..<10000).count { _ in random.happens(0.25) })
  }
}
