import Foundation
import LatchkeyBluetoothHost
import Testing

@testable import CoreBluetooth

struct DescriptorValueTests {
  @Test("Configuration descriptors read as numbers") func numbers() {
    #expect(DescriptorValue.value(of: 0x2900, bytes: [0x01, 0x00]) as? NSNumber == 1)
    #expect(DescriptorValue.value(of: 0x2902, bytes: [0x02, 0x01]) as? NSNumber == 0x0102)
    #expect(DescriptorValue.value(of: 0x2903, bytes: [0x01]) as? NSNumber == 1)
  }

  @Test("User descriptions read as text") func text() {
    #expect(DescriptorValue.value(of: 0x2901, bytes: Array("温度".utf8)) as? String == "温度")
    #expect(DescriptorValue.value(of: 0x2901, bytes: Array("温度".utf8)) as? NSString == "温度")
  }

  @Test("Other descriptors read as bytes") func bytes() {
    #expect(DescriptorValue.value(of: 0x2904, bytes: [4, 0, 0, 0, 0, 0, 0]) as? Data == Data([4, 0, 0, 0, 0, 0, 0]))
    #expect(DescriptorValue.value(of: 0x2905, bytes: [1]) as? Data == Data([1]))
    #expect(DescriptorValue.value(of: 0xABCD, bytes: []) as? Data == Data())
  }

  @Test("Bytes that do not fit the type stay bytes") func whatDoesNotFitStaysBytes() {
    #expect(DescriptorValue.value(of: 0x2902, bytes: []) as? Data == Data())
    #expect(DescriptorValue.value(of: 0x2902, bytes: [1, 2, 3]) as? Data == Data([1, 2, 3]))
    #expect(DescriptorValue.value(of: 0x2901, bytes: [0xFF]) as? Data == Data([0xFF]))
  }

  @Test("Local descriptors are converted to bytes") func localOnes() {
    #expect(DescriptorValue.bytes(of: 0x2901, local: "ab") == [0x61, 0x62])
    #expect(DescriptorValue.bytes(of: 0x2901, local: NSString("ab")) == [0x61, 0x62])
    #expect(DescriptorValue.bytes(of: 0x2904, local: Data(repeating: 1, count: 7)) == Array(repeating: 1, count: 7))
    #expect(DescriptorValue.bytes(of: 0x2904, local: Data(repeating: 1, count: 6)) == nil)
    #expect(DescriptorValue.bytes(of: 0x2901, local: Data([1])) == nil)
    #expect(DescriptorValue.bytes(of: 0x2901, local: nil) == nil)
    #expect(DescriptorValue.bytes(of: 0x2902, local: Data([1, 0])) == nil)
    #expect(DescriptorValue.bytes(of: 0x2900, local: NSNumber(value: 1)) == nil)
  }
}
