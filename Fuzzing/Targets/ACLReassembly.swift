// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Puts the input through a reassembler twice: as packets that a controller made up, and as one PDU that a transmitter
/// fragments and that must come out unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzACLReassembly(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  receivePackets(input)
  cutAndReassemble(input)
  return 0
}

/// Each packet is its flags, its length in one byte, and its data.
private func receivePackets(_ input: [UInt8]) {
  var reassembler = ACLReassembler()
  var reader = ByteReader(input)
  while let flags = try? reader.uint8("flags"), let length = try? reader.uint8("length"),
    let data = try? reader.bytes(min(Int(length), reader.remaining), "data")
  {
    let header: [UInt8] = [HCIPacketType.acl.rawValue, 0x01, flags, UInt8(data.count), 0x00]
    guard let packet = try? ACLPacket(decoding: header + data) else { fatalError("a valid packet is refused") }
    let dropsBefore = reassembler.drops.total
    guard let frame = reassembler.receive(packet) else { continue }
    guard frame.payload.remaining <= ACLReassembler.maximumPayload else { fatalError("too long") }
    guard reassembler.drops.total <= dropsBefore + 1 else { fatalError("one packet counts as several drops") }
  }
}

/// The first byte is the controller's packet length, the rest the payload.
private func cutAndReassemble(_ input: [UInt8]) {
  guard let length = input.first, length > 0, input.count <= ACLReassembler.maximumPayload else { return }
  let payload = Array(input.dropFirst())
  var frame = OutgoingFrame.writer(capacity: payload.count)
  frame.append(payload)
  var transmitter = ACLTransmitter()
  transmitter.configure(packetLength: Int(length), packetCount: 1)
  transmitter.open(1)
  guard transmitter.enqueue(frame.bytes, channel: .attribute, handle: 1) else { fatalError("the frame is refused") }
  var reassembler = ACLReassembler()
  while let bytes = transmitter.nextPacket() {
    guard let packet = try? ACLPacket(decoding: bytes), packet.payload.remaining <= Int(length) else {
      fatalError("a packet of \(bytes.count) bytes")
    }
    transmitter.completed(1, count: 1)
    guard var frame = reassembler.receive(packet) else { continue }
    guard transmitter.queuedFrames(1) == 0, frame.payload.remainingBytes() == payload else {
      fatalError("the payload changed")
    }
    return
  }
  fatalError("the payload was lost")
}
