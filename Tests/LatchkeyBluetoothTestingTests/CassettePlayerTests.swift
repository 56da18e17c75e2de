import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// The player as a machine: requests and times in, answers and values out.
struct CassettePlayerTests {
  // MARK: Loose

  @Test("Loose: recorded reads come in turn, with their refusals, and the last one stays")
  func looseReads() throws {
    var player = try Tape([
      .read(0, [1]), .refused(0, .insufficientResources), .read(2, [7]), .read(0, [2]),
    ]).player(.loose)
    #expect(player.read(0) == .value(Data([1])))
    #expect(player.read(0) == .refusal(.insufficientResources))
    for _ in 0..<3 { #expect(player.read(0) == .value(Data([2]))) }
    #expect(player.unplayed.map(\.expected) == ["read FFE0/FFE1"])
    #expect(player.read(2) == .value(Data([7])))
    // What nobody read has its own value.
    #expect(player.read(1) == .own)
    #expect(player.differences.isEmpty && player.unplayed.isEmpty)
  }

  @Test("Loose: a refusal that is last stays")
  func looseRefusal() throws {
    var player = try Tape([.read(0, [1]), .refused(0, .unlikelyError)]).player(.loose)
    _ = player.read(0)
    for _ in 0..<3 { #expect(player.read(0) == .refusal(.unlikelyError)) }
  }

  @Test("Loose: a write has the answer of the same value first, and any other only when there is none")
  func looseWrites() throws {
    var player = try Tape([
      .write(1, [1]), .write(1, [2], ._0x80), .write(1, [2]), .write(1, [3], ._0x81),
    ]).player(.loose)
    #expect(player.write(1, [2]) == .refusal(._0x80))
    #expect(player.write(1, [2]) == .own)
    #expect(player.write(1, [1]) == .own)
    // A value that was never written takes what is left, and is accepted when nothing is.
    #expect(player.write(1, [9]) == .refusal(._0x81))
    #expect(player.write(1, [9]) == .own)
    #expect(player.write(1, [3]) == .refusal(._0x81))
    #expect(player.write(1, [2]) == .own)
    #expect(player.write(0, [2]) == .own)
  }

  @Test("Loose: what was sent after a write comes after it with its delays, each time")
  func looseAnswers() throws {
    var player = try Tape([
      .subscribe(0, at: 1), .write(1, [1], at: 2), .sent(0, [5], at: 2.5), .sent(0, [6], at: 4), .read(2, [0], at: 4.1),
      .sent(0, [7], at: 4.25), .write(1, [2], at: 5), .sent(0, [8], at: 5),
    ]).player(.loose)
    for start in [Duration.seconds(100), .seconds(200)] {
      #expect(player.write(1, [1], now: start) == .own)
      #expect(player.transcript(from: start) == ["0.5 s: 0 = 05", "2.0 s: 0 = 06", "2.25 s: 0 = 07"])
      #expect(player.write(1, [2], now: start) == .own)
      #expect(player.transcript(from: start) == ["0.0 s: 0 = 08"])
    }
  }

  @Test("Loose: streams of two subscriptions each begin with their own, in either order")
  func looseStreams() throws {
    let tape = Tape([
      .subscribe(0, at: 1), .subscribe(1, at: 2), .sent(0, [1], at: 3), .sent(1, [2], at: 3), .sent(0, [3], at: 4),
    ])
    var player = try tape.player(.loose)
    _ = player.subscribe(1)
    #expect(player.transcript() == ["1.0 s: 1 = 02"])
    _ = player.subscribe(0)
    #expect(player.transcript() == ["2.0 s: 0 = 01", "3.0 s: 0 = 03"])
    // Again, and both at once: by time.
    _ = player.subscribe(0)
    _ = player.subscribe(1)
    #expect(player.transcript() == ["1.0 s: 1 = 02", "2.0 s: 0 = 01", "3.0 s: 0 = 03"])
  }

  @Test("Loose: a subscription begins its stream anew, and its end ends what waits")
  func looseEnds() throws {
    var player = try Tape([.subscribe(0, at: 1), .sent(0, [1], at: 2), .unsubscribe(0, at: 3)]).player(.loose)
    _ = player.subscribe(0)
    _ = player.subscribe(0)
    #expect(player.transcript() == ["1.0 s: 0 = 01"])
    _ = player.subscribe(0)
    _ = player.subscribe(0, false)
    #expect(player.nextDeadline == nil && player.transcript().isEmpty && player.unplayed.isEmpty)
  }

  @Test("Loose: what a paired central got before any request comes with its subscription")
  func early() throws {
    var player = try Tape([.sent(0, [1], at: 2), .read(2, [0], at: 3)]).player(.loose)
    _ = player.subscribe(1)
    #expect(player.transcript().isEmpty)
    _ = player.subscribe(0)
    #expect(player.transcript() == ["2.0 s: 0 = 01"])
  }

  // MARK: Strict

  private static let session = Tape([
    .read(2, [1], at: 1), .subscribe(0, at: 2), .write(1, [1, 2], at: 3), .sent(0, [9], at: 3.5),
    .command(1, [3], at: 4), .refused(2, ._0x80, at: 5), .unsubscribe(0, at: 6),
  ])

  @Test("Strict: who does what was recorded gets what was recorded, and differs in nothing")
  func strict() throws {
    var player = try Self.session.player(.strict)
    #expect(player.unplayed.count == 6)
    #expect(player.read(2) == .value(Data([1])))
    #expect(player.subscribe(0) == .own)
    #expect(player.write(1, [1, 2]) == .own)
    #expect(player.transcript() == ["0.5 s: 0 = 09"])
    #expect(player.write(1, [3], isWithoutAnswer: true) == .own)
    #expect(player.read(2) == .refusal(._0x80))
    #expect(player.subscribe(0, false) == .own)
    #expect(player.differences.isEmpty && player.unplayed.isEmpty && player.nextDeadline == nil)
  }

  @Test("Strict: each deviation is refused and told, and the tape stays where it is")
  func deviations() throws {
    var player = try Self.session.player(.strict)
    #expect(player.read(0) == .refusal(.unlikelyError))
    #expect(player.read(2) == .value(Data([1])))
    _ = player.subscribe(1)
    _ = player.subscribe(0)
    #expect(player.write(1, [1, 3]) == .refusal(.unlikelyError))
    #expect(player.write(1, [1, 2], isWithoutAnswer: true) == .refusal(.unlikelyError))
    #expect(player.write(1, [1, 2]) == .own)
    #expect(player.write(1, []) == .refusal(.unlikelyError))
    #expect(
      player.differences.map(\.description) == [
        "@@ steps[0] @@\n-read FFE0/FFE1\n+read FFF0/FFF1",
        "@@ steps[1] @@\n-subscribe FFF0/FFF1\n+subscribe FFF0/FFF2",
        "@@ steps[2] @@\n-write FFF0/FFF2: 0102\n+write FFF0/FFF2: 0103",
        "@@ steps[2] @@\n-write FFF0/FFF2: 0102\n+write without response FFF0/FFF2: 0102",
        "@@ steps[4] @@\n-write without response FFF0/FFF2: 03\n+write FFF0/FFF2: no bytes",
      ])
    #expect(
      player.unplayed.map(\.description) == [
        "@@ steps[4] @@\n-write without response FFF0/FFF2: 03", "@@ steps[5] @@\n-read FFE0/FFE1",
        "@@ steps[6] @@\n-unsubscribe FFF0/FFF1",
      ])
  }

  @Test("Strict: after the end there is nothing to expect")
  func end() throws {
    var player = try Tape([.read(2, [1])]).player(.strict)
    _ = player.read(2)
    #expect(player.read(2) == .refusal(.unlikelyError))
    #expect(player.differences.map(\.description) == ["@@ steps[1] @@\n+read FFE0/FFE1"])
    var empty = try Tape([]).player(.strict)
    #expect(empty.read(0) == .refusal(.unlikelyError) && empty.differences.first?.step == 0)
  }

  @Test("Strict: what was sent before a request comes before its answer, however early the app asks")
  func order() throws {
    var player = try Tape([
      .subscribe(0, at: 1), .sent(0, [1], at: 11), .sent(0, [2], at: 21), .write(1, [1], at: 22), .sent(0, [3], at: 23),
      .read(2, [1], at: 24),
    ]).player(.strict)
    _ = player.subscribe(0, now: .seconds(100))
    #expect(player.takeDue(now: .seconds(110)) == [ServedValue(0, Data([1]))])
    // A deviation moves nothing.
    #expect(player.answer(.read(2), now: .seconds(111)).before.isEmpty)
    #expect(
      player.answer(.write(1, Data([1]), isWithoutAnswer: false), now: .seconds(112)).before == [
        ServedValue(0, Data([2]))
      ])
    #expect(player.nextDeadline == .seconds(113))
    #expect(player.answer(.read(2), now: .seconds(112)).before == [ServedValue(0, Data([3]))])
    #expect(player.nextDeadline == nil)
  }

  @Test("Strict: the end of a subscription is no deviation, since the end of a connection causes it, too")
  func connectionsEnd() throws {
    var player = try Tape([.subscribe(0), .read(2, [1]), .subscribe(0)]).player(.strict)
    _ = player.subscribe(0)
    #expect(player.subscribe(0, false) == .own)
    _ = player.read(2)
    _ = player.subscribe(0)
    #expect(player.differences.isEmpty && player.unplayed.isEmpty)
  }

  @Test("Masked values are zeros for the app, and any of their length from it", arguments: Cassette.Replay.allCases)
  func masked(replay: Cassette.Replay) throws {
    var player = try Tape([
      Tape.Entry(0, 2, .read(.masked(count: 3))), Tape.Entry(0, 1, .write(.masked(count: 2), answer: ._0x80)),
    ]).player(replay)
    #expect(player.read(2) == .value(Data([0, 0, 0])))
    if replay == .strict {
      #expect(player.write(1, [1]) == .refusal(.unlikelyError))
      #expect(player.differences.first?.expected == "write FFF0/FFF2: any 2 bytes")
    }
    #expect(player.write(1, [4, 5]) == .refusal(._0x80))
  }

  @Test("Strict: what the peripheral manager answers itself is not expected")
  func managersOwn() throws {
    var tape = Tape([
      Tape.Entry(0, 0, .read(.bytes(Data([1]))), descriptor: 0),
      Tape.Entry(0, 0, .subscription(.notifications, answer: .insufficientEncryption)),
      .refused(2, .insufficientEncryption),
      .refused(1, .readNotPermitted), .write(2, [1], .writeNotPermitted), .read(2, [2]),
    ])
    tape.cassette.device.services[0].characteristics[0].descriptors = [.userDescription("x")]
    tape.cassette.device.services[1].characteristics[0].permissions = .readEncryptionRequired
    #expect(try tape.player(.strict).unplayed.map(\.step) == [5])
    // Where nothing is encrypted, the refusal is the player's.
    tape.cassette.device.services[1].characteristics[0].permissions = .readable
    #expect(try tape.player(.strict).unplayed.map(\.step) == [2, 5])
  }

  @Test("Differences are counted, and the first of them kept")
  func manyDifferences() throws {
    var player = try Tape([.read(2, [1])]).player(.strict)
    for _ in 0..<5000 { _ = player.read(0) }
    #expect(player.differenceCount == 5000 && player.differences.count == CassettePlayer.differenceCapacity)
  }

  @Test("Two characteristics of one UUID have different names in a difference")
  func twins() throws {
    var tape = Tape([.read(2, [1])])
    tape.cassette.device.services[1].characteristics += [.init("FFE1", .read), .init("2A19", .read)]
    var player = try tape.player(.strict)
    _ = player.read(3)
    _ = player.read(4)
    #expect(player.differences.map(\.actual) == ["read FFE0/FFE1 #2", "read FFE0/2A19 (Battery Level)"])
  }
}
