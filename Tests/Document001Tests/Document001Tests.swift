import CoreBluetooth
import Testing

/// The document's two programs against each other, on the main queue and on the radio that programs get by default.
///
/// No other test uses that radio.
@MainActor @Suite(.serialized)
struct Document001Tests {
  /// What both programs log, in order, to be waited for.
  final class Log {
    private(set) var lines: [String] = []
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    nonisolated init() {}

    func add(_ line: String) {
      lines.append(line)
      continuation.yield()
    }

    /// Waits until a line has come, and forgets it and those before it, which have to end with these.
    @MainActor func take(
      _ line: String, after others: [String] = [], at location: SourceLocation = #_sourceLocation
    ) async {
      while !lines.contains(line) {
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
      }
      guard let index = lines.firstIndex(of: line) else { return }
      #expect(Array(lines[..<index].suffix(others.count)) == others, sourceLocation: location)
      lines.removeSubrange(...index)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func theTwoProgramsDoWhatTheDocumentShows() async throws {
    let device = Log()
    let app = Log()
    let peripheral = PeripheralProgram(log: device.add)

    // Advertising begins when both services are added, in the order of the calls.
    await device.take("设备已打开....")
    await device.take("peripheralManagerDidStartAdvertising......", after: ["didAdd FFF0", "didAdd FFE0"])
    #expect(peripheral.peripheralManager.isAdvertising)

    // Scan, connect.
    let central = CentralProgram(log: app.add)
    while !central.names.contains(LocalNameKey) { await app.take("reloadData") }
    let row = try #require(central.names.firstIndex(of: LocalNameKey))
    #expect(central.centralManager.isScanning)
    central.didSelectRow(at: row)
    #expect(!central.centralManager.isScanning)
    await app.take("连接成功...")

    // Both services, in order; the host's own two come first.
    await app.take("service UUID:FFF0")
    await app.take("service UUID:FFE0")
    await app.take("reloadData")
    let services = try #require(central.peripheralVC)
    let service1 = try #require(services.servicesList.firstIndex { $0.uuid == CBUUID(string: ServiceUUID1) })
    let service2 = try #require(services.servicesList.firstIndex { $0.uuid == CBUUID(string: ServiceUUID2) })

    // The first service's characteristics.
    let first = services.didSelectRow(at: service1)
    await app.take("------------------订阅:FFF1")
    await app.take("------------------:FFF2")
    await app.take("reloadData")
    #expect(first.characteristicList.map(\.uuid.uuidString) == ["FFF1", "FFF2"])
    #expect(first.characteristicList[1].properties == [.read, .write])

    // Subscribe: the peripheral sends at once. Unsubscribe: it sends again, to nobody.
    let notify = first.didSelectRow(at: 0)
    notify.subscribe(true)
    await device.take("订阅了 FFF1的数据")
    await device.take("sendMsg true")
    await app.take("isNotifying true")
    await app.take("msgShowLabel success")
    notify.subscribe(false)
    await device.take("取消订阅 FFF1的数据")
    await device.take("sendMsg true")
    await app.take("isNotifying false")

    // A read of the characteristic that only notifies is put to the program, which refuses it with its own code.
    notify.peripheral.readValue(for: notify.characteristic)
    await device.take("didReceiveReadRequest")
    await app.take("didUpdateValueFor error \(CBATTError.writeNotPermitted.rawValue)")

    // Write, then read back.
    let readwrite = first.didSelectRow(at: 1)
    readwrite.msgTextField = "你好"
    readwrite.sendMsgBtnClicked()
    await device.take("didReceiveWriteRequests")
    await device.take("didReceiveReadRequest")
    await app.take("msgShowLabel 你好")
    #expect(readwrite.msgShowLabel == "你好")
    #expect(peripheral.readwriteCharacteristic.value == "你好".data(using: .utf8))
    readwrite.msgTextField = ""
    readwrite.sendMsgBtnClicked()
    await app.take("msgShowLabel 无")
    await device.take("didReceiveReadRequest", after: ["didReceiveWriteRequests"])

    // The user description.
    readwrite.readDescriptors()
    await app.take("descriptor 2901 readwrite")

    // The read-only one is answered without the program, and takes no writes.
    let second = services.didSelectRow(at: service2)
    await app.take("------------------读:FFE1")
    await app.take("reloadData")
    let read = second.didSelectRow(at: 0)
    read.peripheral.readValue(for: read.characteristic)
    await app.take("msgShowLabel readCharacteristic")
    read.msgTextField = "x"
    read.sendMsgBtnClicked()
    await app.take("didWriteValueFor error \(CBATTError.writeNotPermitted.rawValue)")
    #expect(read.msgShowLabel == "didWriteValueForCharacteristic error")
    #expect(device.lines == [], "a fixed value is the stack's to answer, and a refused write never reaches the program")
  }
}
