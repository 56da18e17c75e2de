import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// How values behave.
@Suite(.timeLimit(.minutes(5)))
struct BehaviorTests {
  private typealias Definition = DeviceDefinition

  @Test("A stored value is replaced by a write, a fixed one is not")
  func storedAndFixed() throws {
    for (behavior, value) in [(Definition.Behavior.stored, Data([9])), (.fixed, Data())] {
      let started = try Started(FaultTests.one(behavior))
      #expect(started.write([9], to: "FFF1") == "written FFF1 0")
      #expect(started.read("FFF1") == value)
      #expect(started.device.writes.map(\.value) == [Data([9])])
    }
  }

  @Test("A sequence is read in order, and its last value stays or it begins again")
  func sequences() throws {
    let values = [Data([1]), Data([2]), Data([3])]
    for repeats in [false, true] {
      let started = try Started(FaultTests.one(.sequence(values, repeats: repeats)))
      let read = (0..<5).map { _ in started.read("FFF1") }
      #expect(read == values + (repeats ? [Data([1]), Data([2])] : [Data([3]), Data([3])]))
    }
  }

  @Test("A long value of a sequence is read in parts of one value")
  func longSequences() throws {
    let values = [Data(repeating: 1, count: 100), Data(repeating: 2, count: 100)]
    let started = try Started(FaultTests.one(.sequence(values)), mtu: 23)
    #expect(started.read("FFF1") == values[0])
    #expect(started.read("FFF1") == values[1])
  }

  @Test("An echo comes back to its own subscribers")
  func echo() throws {
    let started = try Started(FaultTests.one(.echo()))
    started.subscribe("FFF1")
    started.write([5], to: "FFF1")
    #expect(started.app.values(of: "FFF1") == [Data([5])])
    #expect(started.read("FFF1") == Data([5]))
  }

  @Test("Values are sent in turn while somebody is subscribed, and not after")
  func notifyEvery() throws {
    let started = try Started(FaultTests.one(.notifyEvery(.seconds(2), [Data([1]), Data([2])])))
    started.radio.advance(by: .seconds(10))
    #expect(started.app.values(of: "FFF1").isEmpty)
    started.subscribe("FFF1")
    started.radio.advance(by: .seconds(6))
    #expect(started.app.values(of: "FFF1") == [Data([1]), Data([2]), Data([1])])
    started.app.subscribe("FFF1", false)
    started.radio.advance(by: .seconds(10))
    #expect(started.app.values(of: "FFF1").count == 3)
    started.subscribe("FFF1")
    started.radio.advance(by: .seconds(2))
    #expect(started.app.values(of: "FFF1").last == Data([2]))
  }

  @Test("Subscribing again and again makes no second timer")
  func oneTimer() throws {
    let started = try Started(FaultTests.one(.notifyEvery(.seconds(1), [Data([1])])))
    for _ in 0..<5 {
      started.subscribe("FFF1")
      started.app.subscribe("FFF1", false)
      started.radio.settle()
    }
    started.subscribe("FFF1")
    started.radio.advance(by: .seconds(3))
    #expect(started.app.values(of: "FFF1").count == 3)
  }

  @Test("The interval begins with the subscription, not with the one before")
  func intervalOfASubscription() throws {
    let started = try Started(FaultTests.one(.notifyEvery(.seconds(4), [Data([1])])))
    started.subscribe("FFF1")
    started.radio.advance(by: .seconds(3))
    started.app.subscribe("FFF1", false)
    started.radio.settle()
    started.subscribe("FFF1")
    started.radio.advance(by: .seconds(3))
    #expect(started.app.values(of: "FFF1").isEmpty)
    started.radio.advance(by: .seconds(1))
    #expect(started.app.values(of: "FFF1").count == 1)
  }

  @Test("A program answers by its first rule that fits, and does what follows at its times")
  func programs() throws {
    let rules = [
      Definition.Rule(
        write: Data([0x01]),
        then: [.set(Data([7])), .notify(Data([1])), .wait(.seconds(5)), .notify(Data([2]))]),
      Definition.Rule(write: Data([0x02]), isWhole: false, answer: .invalidAttributeValueLength),
      Definition.Rule(write: Data([0x02, 0x03]), answer: .success),
    ]
    let started = try Started(FaultTests.one(.program(rules, otherwise: .requestNotSupported)))
    started.subscribe("FFF1")
    #expect(started.write([0x09], to: "FFF1") == "written FFF1 6")
    #expect(started.write([0x01, 0x00], to: "FFF1") == "written FFF1 6")
    #expect(started.write([0x02, 0x03], to: "FFF1") == "written FFF1 13")
    #expect(started.app.values(of: "FFF1").isEmpty)
    #expect(started.write([0x01], to: "FFF1") == "written FFF1 0")
    #expect(started.device.value(of: "FFF1") == Data([7]))
    #expect(started.app.values(of: "FFF1") == [Data([1])])
    started.radio.advance(by: .seconds(5))
    #expect(started.app.values(of: "FFF1") == [Data([1]), Data([2])])
  }

  @Test("A value that a test sets is read, and notified only where it asks for that")
  func values() throws {
    let started = try Started(FaultTests.one(.stored))
    started.subscribe("FFF1")
    started.device.set(Data([1]), for: "FFF0/FFF1")
    started.radio.settle()
    #expect(started.app.values(of: "FFF1").isEmpty)
    #expect(started.read("FFF1") == Data([1]))
    #expect(started.device.hasSubscriber("FFF1"))
    started.app.disconnect()
    started.radio.settle()
    #expect(!started.device.hasSubscriber("FFF1"))
    #expect(!started.device.notify(Data([2]), for: "FFF1"))
  }

  @Test("A device that stops advertising is not found, until it advertises again")
  func advertising() throws {
    let radio = TestRadio()
    let device = try radio.add(.battery())
    device.stopAdvertising()
    let app = App()
    app.connects = false
    radio.use { app.start() }
    radio.advance(by: .seconds(5))
    #expect(app.peripherals.isEmpty && !device.isAdvertising)
    device.startAdvertising()
    radio.advance(by: .seconds(5))
    #expect(app.peripherals.count == 1 && device.isAdvertising)
  }

  @Test("Descriptors are discovered with their values")
  func descriptors() throws {
    var definition = FaultTests.one(.stored)
    definition.services[0].characteristics[0].descriptors = [
      .userDescription("Level"), .init("2904", value: Data([4, 0, 0xAD, 0x27, 1, 0, 0])),
      .init("2908", value: Data([0, 1])),
    ]
    let started = try Started(definition)
    let characteristic = try #require(started.app.characteristic("FFF1"))
    started.app.peripheral?.discoverDescriptors(for: characteristic)
    started.radio.settle()
    #expect(characteristic.descriptors?.map(\.uuid.uuidString).sorted() == ["2901", "2902", "2904", "2908"])
    let reference = try #require(characteristic.descriptors?.first { $0.uuid.uuidString == "2908" })
    started.app.peripheral?.readValue(for: reference)
    started.radio.settle()
    #expect(reference.value as? Data == Data([0, 1]))
  }
}
