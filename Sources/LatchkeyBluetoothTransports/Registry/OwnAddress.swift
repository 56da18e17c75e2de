package import LatchkeyBluetoothHost

/// The own addresses of hosts.
package enum OwnAddress {
  /// The address of a host on a virtual radio: the same for the same names, and different for different ones.
  static func virtual(radio: String, controller: String) -> BluetoothAddress {
    // FNV-1a with 64 bits; the zero between distinguishes "a", "bc" from "ab", "c".
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in Array(radio.utf8) + [0] + Array(controller.utf8) {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return staticRandom(of: hash)
  }

  /// An address drawn from `random`, for a controller that reaches other devices.
  package static func drawn(from random: () -> UInt64) -> BluetoothAddress { staticRandom(of: random()) }

  /// The 46 bits below the two top ones are neither all zeros nor all ones (Core 6.0 Vol 6 Part B 1.3.2.1).
  private static func staticRandom(of number: UInt64) -> BluetoothAddress {
    let bits = number & 0x3FFF_FFFF_FFFF
    return .staticRandom(bits == 0 || bits == 0x3FFF_FFFF_FFFF ? 1 : bits)
  }
}
