// modules: LatchkeyByteCoding LatchkeyBluetoothHost
// from LatchkeyBluetoothTransports: Trace/Capture Trace/Recording
// seeds: Tests/LatchkeyBluetoothTestingTests/Captures
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Reads the input as a capture, and else as packets of one link after another, and records what they say. The reader ends, what is
/// recorded is bounded and in order, and its database has each handle in its place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCaptures(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  var recorder = ExchangeRecorder()
  if CaptureReader.recognizes(input) { read(input, &recorder) } else { play(input, &recorder) }
  recorder.end()
  for device in recorder.devices { check(device, within: recorder.time) }
  return 0
}

private func read(_ input: [UInt8], _ recorder: inout ExchangeRecorder) {
  do {
    var reader = try CaptureReader(input)
    var count = 0
    while let packet = try reader.next() {
      count += 1
      recorder.receive(packet)
    }
    let records = count + reader.cutRecords + reader.otherRecords
    guard records <= input.count / 13 else { fatalError("\(records) records of \(input.count) bytes") }
    guard try reader.next() == nil else { fatalError("a packet after the end") }
  } catch {
    guard (0...input.count).contains(error.offset) else { fatalError("an offset outside") }
  }
}

/// Each packet is a byte that says what it is, its length and its bytes. A PDU of the Attribute protocol gets its headers here.
private func play(_ input: [UInt8], _ recorder: inout ExchangeRecorder) {
  var reader = ByteReader(input)
  var time = Duration.zero
  while let kind = try? reader.uint8("kind"), let length = try? reader.uint8("length"),
    let bytes = try? reader.bytes(min(Int(length), reader.remaining), "bytes")
  {
    time += .milliseconds(Int64(kind))
    let direction: PacketDirection = kind & 1 == 0 ? .toController : .fromController
    let packet: [UInt8]
    switch kind >> 1 & 3 {
    case 0: packet = [direction == .toController ? 0x01 : 0x04] + bytes
    case 1: packet = [0x02] + bytes
    default:
      let flags: UInt8 = direction == .toController ? 0x00 : 0x20
      packet =
        [0x02, 0x40, flags, UInt8(truncatingIfNeeded: bytes.count + 4), UInt8((bytes.count + 4) >> 8)]
        + [UInt8(bytes.count), 0, 4, 0] + bytes
    }
    recorder.receive(CapturedPacket(time: time, controller: UInt16(kind >> 7), direction, packet))
  }
}

private func check(_ device: RecordedDevice, within time: Duration) {
  guard (23...517).contains(device.mtu) else { fatalError("an ATT_MTU of \(device.mtu)") }
  var latest = Duration.zero
  for event in device.events {
    guard event.time >= latest, event.time <= time else { fatalError("an event at \(event.time)") }
    latest = event.time
    guard event.kind.count <= 512 else { fatalError("a value of \(event.kind.count) bytes") }
  }
  latest = .zero
  for advertisement in device.advertisements {
    guard advertisement.time >= latest, advertisement.time <= time else { fatalError("an advertisement out of order") }
    latest = advertisement.time
    guard advertisement.data.count <= 1650 else { fatalError("a long advertisement") }
  }
  for service in device.database.contents {
    var handle = service.range.start
    for characteristic in service.characteristics {
      guard characteristic.valueHandle > handle else { fatalError("values are not in order") }
      handle = characteristic.valueHandle
      for descriptor in characteristic.descriptors {
        guard descriptor.handle > handle, service.range.contains(descriptor.handle) else {
          fatalError("descriptors are not in order")
        }
        handle = descriptor.handle
      }
    }
  }
}
