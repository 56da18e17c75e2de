// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Plays the input to the two halves of a channel with credits: limits of both ends, writes, frames, credits, reads.
///
/// Without interference what one half sends the other receives, with the same borders, and both know of the same credits.
/// Frames that the input makes up end the channel or are received: what waits stays within the window.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCreditBasedChannels(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var script = ByteReader(Array(UnsafeBufferPointer(start: start, count: count)))
  guard let channel = FuzzedChannel(&script) else { return 0 }
  var honest = channel
  var script2 = script
  while let action = try? script.uint8("action") { honest.play(action, &script) }
  var hostile = channel
  while let length = try? script2.uint8("length") {
    guard let frame = try? script2.subReader(min(Int(length), script2.remaining), "frame") else { break }
    guard hostile.receive(frame) else { break }
  }
  return 0
}

private struct FuzzedChannel {
  let parameters: ChannelParameters
  var receiver: ChannelReceiver
  var sender: ChannelSender
  /// What was written and not received.
  var written: [[UInt8]] = []
  /// Bytes that were received and not consumed, for each SDU.
  var held: [Int] = []
  var next: UInt8 = 0

  init?(_ script: inout ByteReader) {
    guard let mtu = try? script.uint8("MTU"), let mps = try? script.uint8("MPS"),
      let credits = try? script.uint8("credits")
    else { return nil }
    parameters = ChannelParameters(
      mtu: max(ChannelParameters.least, UInt16(mtu) * 8), mps: max(ChannelParameters.least, UInt16(mps)),
      credits: UInt16(credits))
    receiver = ChannelReceiver(parameters)
    sender = ChannelSender(parameters)
    returnCredits()
  }

  mutating func play(_ action: UInt8, _ script: inout ByteReader) {
    switch action % 4 {
    case 0:
      let length = min(Int(parameters.mtu), Int((try? script.uint16("length")) ?? 1))
      let bytes = (0..<length).map { next &+ UInt8(truncatingIfNeeded: $0) }
      next &+= 1
      let count = bytes.withUnsafeBytes { sender.write($0) }
      if count > 0 { written.append(Array(bytes[..<count])) }
    case 1:
      guard let frame = sender.nextFrame(packetLength: 27 + Int(action) * 4) else { return }
      guard frame.count - OutgoingFrame.headroom <= parameters.mps else {
        fatalError("a frame of \(frame.count) bytes")
      }
      do {
        guard let sdu = try receiver.receive(ByteReader(frame, from: OutgoingFrame.headroom)) else { return }
        guard sdu == written.removeFirst() else { fatalError("another SDU") }
        held.append(sdu.count)
      } catch {
        fatalError("\(error)")
      }
    case 2:
      let count = min(held.count, Int(action) / 4 + 1)
      receiver.consumed(count)
      held.removeFirst(count)
    default: break
    }
    returnCredits()
    check()
    guard sender.credits == receiver.credits else { fatalError("\(sender.credits) of \(receiver.credits) credits") }
    // An app that has read everything can always get more.
    if held.isEmpty, sender.credits == 0 { fatalError("the channel stands still") }
  }

  private mutating func returnCredits() {
    guard let credits = receiver.creditsToReturn() else { return }
    do { try sender.add(credits: credits) } catch { fatalError("\(error)") }
  }

  /// Returns false if the channel has to end.
  mutating func receive(_ frame: ByteReader) -> Bool {
    do {
      if let sdu = try receiver.receive(frame) {
        guard sdu.count <= parameters.mtu else { fatalError("an SDU of \(sdu.count) bytes") }
        held.append(sdu.count)
      }
    } catch {
      return false
    }
    _ = receiver.creditsToReturn()
    check()
    return true
  }

  private func check() {
    let window = max(Int(parameters.credits), 2 * ((Int(parameters.mtu) + 1) / Int(parameters.mps) + 1))
    guard held.count <= window, held.reduce(0, +) <= window * Int(parameters.mps) else {
      fatalError("\(held.count) wait")
    }
  }
}
