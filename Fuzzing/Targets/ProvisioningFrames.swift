// modules: LatchkeyByteCoding LatchkeyProvisioningProtocol
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// Reads the input as a legacy stream in two cuts, as keys, and as a script for both machines and the device's table.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProvisioningFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice & 0x03 {
  case 0: checkParser(rest, cut: 1 + Int(choice >> 2))
  case 1: checkKeys(rest)
  case 2: checkMachines(rest)
  default: checkTable(rest)
  }
  return 0
}

private typealias Parsed = (frames: [LegacyFrame], error: LegacyFrameError?, isWithinFrame: Bool)

/// A stream must read alike whole and cut, and its frames must encode to the bytes that they were read from.
private func checkParser(_ stream: [UInt8], cut: Int) {
  let maximum = 51 + stream.count
  let whole = parse([stream], maximum: maximum)
  let pieces = parse(LegacyFrame.values(of: stream, maximumLength: cut), maximum: maximum)
  guard whole.frames == pieces.frames, whole.error == pieces.error, whole.isWithinFrame == pieces.isWithinFrame else {
    fatalError("a split at \(cut) changes the frames")
  }
  let encoded = whole.frames.flatMap(\.encoded)
  guard stream.starts(with: encoded) else { fatalError("frames encode to other bytes") }
  let isAtEnd = encoded.count == stream.count
  guard whole.error != nil || whole.isWithinFrame != isAtEnd else { fatalError("the end is wrong") }
  guard whole.frames.allSatisfy({ $0.encoded.count <= maximum }) else { fatalError("a frame above the maximum") }
}

private func parse(_ values: [[UInt8]], maximum: Int) -> Parsed {
  var parser = LegacyFrameParser(maximumFrameLength: maximum)
  var frames: [LegacyFrame] = []
  do {
    for value in values {
      var reader = ByteReader(value)
      while let frame = try parser.next(from: &reader) { frames.append(frame) }
    }
    return (frames, nil, parser.isWithinFrame)
  } catch {
    return (frames, error, parser.isWithinFrame)
  }
}

/// Any 24 bytes are a private key or refused, any 48 a public key or refused; accepted keys agree.
private func checkKeys(_ bytes: [UInt8]) {
  let peer = privateKey(seed: 1)
  if let given = try? Secp192k1.PublicKey(bytes: Array(bytes.prefix(48))) {
    guard given.bytes == Array(bytes.prefix(48)) else { fatalError("a public key changed") }
    guard (try? peer.sharedSecret(with: given)) != nil else { fatalError("a valid key has no shared secret") }
  }
  do {
    let own = try Secp192k1.PrivateKey(bytes: Array(bytes.prefix(24)))
    guard try Secp192k1.PublicKey(bytes: own.publicKey.bytes) == own.publicKey else {
      fatalError("a public key is not on the curve")
    }
    let one = try own.sharedSecret(with: peer.publicKey).exposedBytes
    let other = try peer.sharedSecret(with: own.publicKey).exposedBytes
    guard one.indices.allSatisfy({ one[$0] == other[$0] }) else { fatalError("the shared secrets differ") }
  } catch {
    guard error == .invalidPrivateKey else { fatalError("\(error)") }
  }
  let text = String(decoding: bytes, as: UTF8.self)
  _ = LegacyHexadecimal.decode(text)
  _ = try? LegacyHexadecimal.publicKey(text)
}

/// An app and a device exchange frames by the script, with noise, damage, silence and misuse.
private func checkMachines(_ script: [UInt8]) {
  var app = LegacySession(role: .app, privateKey: privateKey(seed: 2))
  var device = LegacySession(role: .device, privateKey: privateKey(seed: 3))
  var reader = ByteReader(script)
  var now = Duration.zero
  var appWasOver = false
  var deviceWasOver = false
  while let operation = try? reader.uint8("operation") {
    let argument = chunk(&reader)
    var toApp: [LegacySession.Output] = []
    var toDevice: [LegacySession.Output] = []
    switch operation & 0x0F {
    case 0: toDevice = device.receive(app.keyFrame.encoded, now: now)
    case 1: toApp = app.receive(device.offerKey().encoded, now: now)
    case 2: toDevice = device.receive(frame(argument) { text throws in try app.frame(text) }, now: now)
    case 3: toApp = app.receive(frame(argument) { text throws in try device.frame(text) }, now: now)
    case 4: toDevice = device.receive(argument, now: now)
    case 5: toApp = app.receive(argument, now: now)
    case 6: toDevice = device.receive([0x10, 0x00, 0x30] + argument, now: now)
    case 7: toDevice = device.receive([0x20, 0x00, 0x10] + argument, now: now)
    case 8: toApp = app.receive([0x21, 0x00, 0x10] + argument, now: now)
    case 9: now += .milliseconds(Int(operation >> 4) * 1000 + argument.count)
    case 10: toApp = app.handleTimeout(now: now)
    case 11: toDevice = device.handleTimeout(now: now)
    case 12: toApp = LegacyRefusal(rawValue: operation >> 4 | 0x80).map { app.handle($0) } ?? []
    case 13: app.end()
    case 14: device.end()
    default: break
    }
    guard !(appWasOver && !toApp.isEmpty), !(deviceWasOver && !toDevice.isEmpty) else {
      fatalError("an output follows the end")
    }
    (appWasOver, deviceWasOver) = (app.isOver, device.isOver)
    guard toApp.dropLast().allSatisfy({ !isFailure($0) }), toDevice.dropLast().allSatisfy({ !isFailure($0) }) else {
      fatalError("an output follows a failure")
    }
    guard toApp.last.map(isFailure) != true || appWasOver, toDevice.last.map(isFailure) != true || deviceWasOver else {
      fatalError("a failure is not the end")
    }
    if let deadline = device.nextDeadline, deadline > now + .seconds(5) || deviceWasOver {
      fatalError("wrong deadline")
    }
    if let deadline = app.nextDeadline, deadline > now + .seconds(5) || appWasOver { fatalError("wrong deadline") }
  }
}

/// Many peers write to one device's table.
private func checkTable(_ script: [UInt8]) {
  var sessions = LegacyDeviceSessions<UInt8>()
  var randomness = Counter()
  let app = LegacySession(role: .app, privateKey: privateKey(seed: 4))
  var reader = ByteReader(script)
  var now = Duration.zero
  while let operation = try? reader.uint8("operation") {
    let peer = operation >> 4
    switch operation & 0x07 {
    case 0, 1: _ = sessions.receive(app.keyFrame.encoded, from: peer, now: now, using: &randomness)
    case 2, 3: _ = sessions.receive(chunk(&reader), from: peer, now: now, using: &randomness)
    case 4: now += .seconds(Int(peer))
    case 5:
      let ended = sessions.handleTimeout(now: now)
      guard Set(ended).count == ended.count else { fatalError("a session ended twice") }
      if let deadline = sessions.nextDeadline, deadline <= now { fatalError("an expired deadline stays") }
    case 6: sessions.forget(peer)
    default: _ = try? sessions.frame("text", to: peer, now: now)
    }
  }
}

private func isFailure(_ output: LegacySession.Output) -> Bool {
  if case .failed = output { return true }
  return false
}

/// A frame of the text, or the text itself where there is no key to encrypt it.
private func frame(_ text: [UInt8], _ encrypt: (String) throws -> LegacyFrame) -> [UInt8] {
  (try? encrypt(String(decoding: text, as: UTF8.self)).encoded) ?? text
}

/// A length and so many bytes, or what is left of them.
private func chunk(_ reader: inout ByteReader) -> [UInt8] {
  guard let length = try? reader.uint8("length") else { return [] }
  return (try? reader.bytes(min(Int(length), reader.remaining), "chunk")) ?? []
}

private func privateKey(seed: UInt64) -> Secp192k1.PrivateKey {
  var counter = Counter(next: seed)
  do {
    return try Secp192k1.PrivateKey(using: &counter)
  } catch {
    fatalError("\(error)")
  }
}

/// Different numbers, the same in every run.
private struct Counter: RandomNumberGenerator {
  private var state: UInt64

  init(next: UInt64 = 0) { state = next }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return state ^ state >> 29
  }
}
