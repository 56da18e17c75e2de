import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Follows the Attribute protocol on one connection (Core 6.0 Vol 3 Part F 3.3.2: one request at a time), and makes events of
/// whole values.
struct RecordedBearer {
  private enum Request {
    case mtu(UInt16)
    case services(isPrimary: Bool)
    case servicesByUUID(BluetoothUUID, isPrimary: Bool)
    case includes, characteristics, information
    case readByType(BluetoothUUID)
    case read(AttributeHandle)
    case readBlob(AttributeHandle, offset: Int)
    case readMultiple([AttributeHandle])
    case readMultipleVariable([AttributeHandle])
    case write(ATTWriteRequest)
    case prepare(ATTPrepareWriteRequest)
    case execute(writes: Bool)
  }

  /// A value that may go on in the next answer.
  private struct Reading {
    let handle: AttributeHandle
    var value: [UInt8]
    var time: Duration
    let sequence: Int
    /// Whether it is known that more is there.
    var isPartial: Bool
  }

  /// The most prepared writes on a connection.
  private static let preparedCapacity = 256

  private var request: (opcode: UInt8, content: Request)?
  private var reading: Reading?
  private var prepared: [ATTPrepareWriteRequest] = []
  private var mtu = ATTLimits.defaultMTU

  // MARK: From the client

  /// Handles a PDU of the client: a request, a command or a confirmation.
  mutating func receiveFromClient(
    _ payload: ByteReader, at time: Duration, _ device: inout RecordedDevice, _ budget: inout RecorderBudget
  ) {
    var reader = payload
    guard let number = try? reader.uint8("opcode") else { return device.losses.malformed += 1 }
    if number == ATTOpcode.handleValueConfirmation.rawValue { return }
    if number & ATTOpcode.commandFlag != 0 {
      // A signed write is no Write Command: an app cannot send one.
      guard number == ATTOpcode.writeCommand.rawValue, let command = try? ATTWriteCommand(whole: reader) else { return }
      return device.append(.command(command.value), of: command.handle, at: time, &budget)
    }
    if request != nil {
      device.losses.unanswered += 1
      request = nil
    }
    guard let opcode = ATTOpcode(rawValue: number) else { return }
    do throws(ByteCodingError) {
      let content = try Self.request(opcode, reader)
      if let content { request = (number, content) }
      flushReading(before: content, &device, &budget)
    } catch {
      device.losses.malformed += 1
      flushReading(before: nil, &device, &budget)
    }
  }

  private static func request(_ opcode: ATTOpcode, _ reader: ByteReader) throws(ByteCodingError) -> Request? {
    switch opcode {
    case .exchangeMTURequest: return .mtu(try ATTExchangeMTURequest(whole: reader).mtu)
    case .findInformationRequest: return .information
    case .findByTypeValueRequest:
      let request = try ATTFindByTypeValueRequest(whole: reader)
      guard request.type == 0x2800 || request.type == 0x2801, let uuid = BluetoothUUID(littleEndian: request.value)
      else { return nil }
      return .servicesByUUID(uuid, isPrimary: request.type == 0x2800)
    case .readByGroupTypeRequest:
      let type = try ATTReadByGroupTypeRequest(whole: reader).type
      guard type == AttributeType.primaryService || type == AttributeType.secondaryService else { return nil }
      return .services(isPrimary: type == AttributeType.primaryService)
    case .readByTypeRequest:
      let type = try ATTReadByTypeRequest(whole: reader).type
      if type == AttributeType.characteristic { return .characteristics }
      return type == AttributeType.include ? .includes : .readByType(type)
    case .readRequest: return .read(try ATTReadRequest(whole: reader).handle)
    case .readBlobRequest:
      let request = try ATTReadBlobRequest(whole: reader)
      return .readBlob(request.handle, offset: Int(request.offset))
    case .readMultipleRequest: return .readMultiple(try ATTReadMultipleRequest(whole: reader).handles)
    case .readMultipleVariableRequest:
      return .readMultipleVariable(try ATTReadMultipleVariableRequest(whole: reader).handles)
    case .writeRequest: return .write(try ATTWriteRequest(whole: reader))
    case .prepareWriteRequest: return .prepare(try ATTPrepareWriteRequest(whole: reader))
    case .executeWriteRequest: return .execute(writes: try ATTExecuteWriteRequest(whole: reader).writes)
    default: return nil
    }
  }

  // MARK: From the server

  /// Handles a PDU of the server: a response, a notification or an indication.
  mutating func receiveFromServer(
    _ payload: ByteReader, at time: Duration, _ device: inout RecordedDevice, _ budget: inout RecorderBudget
  ) {
    var reader = payload
    guard let number = try? reader.uint8("opcode"), let opcode = ATTOpcode(rawValue: number) else { return }
    do throws(ByteCodingError) {
      switch opcode {
      case .handleValueNotification:
        let update = try ATTHandleValueNotification(whole: reader)
        device.append(.notification(update.value), of: update.handle, at: time, &budget)
      case .handleValueIndication:
        let update = try ATTHandleValueIndication(whole: reader)
        device.append(.indication(update.value), of: update.handle, at: time, &budget)
      case .multipleHandleValueNotification:
        for (handle, value) in try ATTMultipleHandleValueNotification(whole: reader).values {
          device.append(.notification(value), of: handle, at: time, &budget)
        }
      case .errorResponse:
        let response = try ATTErrorResponse(whole: reader)
        guard let request, request.opcode == response.request else { return }
        self.request = nil
        refused(request.content, response, at: time, &device, &budget)
      default:
        // What was asked before the recording began has no request here.
        guard let request, request.opcode + 1 == number else { return }
        self.request = nil
        try answered(request.content, reader, at: time, &device, &budget)
      }
    } catch {
      device.losses.malformed += 1
    }
  }

  private mutating func answered(
    _ request: Request, _ reader: ByteReader, at time: Duration, _ device: inout RecordedDevice,
    _ budget: inout RecorderBudget
  ) throws(ByteCodingError) {
    switch request {
    case .mtu(let client):
      let server = try ATTExchangeMTUResponse(whole: reader).mtu
      mtu = max(ATTLimits.defaultMTU, Int(min(client, server)))
      device.mtu = max(device.mtu, min(mtu, ATTLimits.largestMTU))
    case .services(let isPrimary):
      device.database.learn(try ATTReadByGroupTypeResponse(whole: reader), isPrimary: isPrimary)
    case .servicesByUUID(let uuid, let isPrimary):
      device.database.learn(try ATTFindByTypeValueResponse(whole: reader), uuid: uuid, isPrimary: isPrimary)
    case .information: device.database.learn(try ATTFindInformationResponse(whole: reader))
    case .characteristics: try device.database.learnCharacteristics(try ATTReadByTypeResponse(whole: reader))
    case .includes: try device.database.learnIncludes(try ATTReadByTypeResponse(whole: reader))
    case .readByType(let type):
      let response = try ATTReadByTypeResponse(whole: reader)
      var entries = response.entries
      while !entries.isEmpty {
        let handle = try entries.uint16("handle")
        let value = try entries.bytes(response.valueCount, "value")
        if type == AttributeType.deviceName { device.readName = String(decoding: value, as: UTF8.self) }
        let isCut = value.count >= min(mtu - 4, ATTReadByTypeResponse.longestValue)
        read(handle, value, goesOn: isCut && entries.isEmpty, at: time, &device, &budget)
      }
    case .read(let handle):
      let value = try ATTReadResponse(whole: reader).value
      if device.database.learnService(at: handle, value) { return }
      read(handle, value, goesOn: value.count >= mtu - 1, at: time, &device, &budget)
    case .readBlob(let handle, let offset):
      let part = try ATTReadBlobResponse(whole: reader).value
      guard var value = reading, value.handle == handle, value.value.count == offset else {
        return device.losses.partialValues += 1
      }
      value.value += part
      value.time = time
      value.isPartial = false
      reading = value
      let isLonger = part.count >= mtu - 1 && value.value.count < ATTLimits.longestValue
      if !isLonger { flushReading(before: nil, &device, &budget) }
    case .readMultiple(let handles): try readMultiple(handles, reader, at: time, &device, &budget)
    case .readMultipleVariable(let handles): try readVariable(handles, reader, at: time, &device, &budget)
    case .write(let request): device.append(.write(request.value, answer: 0), of: request.handle, at: time, &budget)
    case .prepare(let request):
      guard prepared.count < Self.preparedCapacity else { return device.losses.overCapacity += 1 }
      prepared.append(request)
    case .execute(let writes): execute(answer: 0, if: writes, at: time, &device, &budget)
    }
  }

  private mutating func refused(
    _ request: Request, _ response: ATTErrorResponse, at time: Duration, _ device: inout RecordedDevice,
    _ budget: inout RecorderBudget
  ) {
    switch request {
    case .read(let handle): device.append(.readRefused(response.code), of: handle, at: time, &budget)
    case .readByType, .readMultiple, .readMultipleVariable:
      guard response.code != .attributeNotFound, response.handle != 0 else { return }
      device.append(.readRefused(response.code), of: response.handle, at: time, &budget)
    case .readBlob:
      // The value ends where the next part would begin, or is short enough for one answer.
      let isEnd = response.code == .invalidOffset || response.code == .attributeNotLong
      if !isEnd { reading?.isPartial = true }
      flushReading(before: nil, &device, &budget)
    case .write(let request):
      device.append(.write(request.value, answer: response.code.rawValue), of: request.handle, at: time, &budget)
    case .prepare(let request):
      prepared.append(request)
      execute(answer: response.code.rawValue, if: true, only: request.handle, at: time, &device, &budget)
    case .execute(let writes): execute(answer: response.code.rawValue, if: writes, at: time, &device, &budget)
    case .mtu, .services, .servicesByUUID, .includes, .characteristics, .information: break
    }
  }

  // MARK: Values

  /// - Parameter goesOn: whether the answer is as long as it can be, so that the next request may ask for the rest.
  private mutating func read(
    _ handle: AttributeHandle, _ value: [UInt8], goesOn: Bool, at time: Duration, _ device: inout RecordedDevice,
    _ budget: inout RecorderBudget
  ) {
    guard goesOn else { return device.append(.read(value), of: handle, at: time, &budget) }
    reading = Reading(handle: handle, value: value, time: time, sequence: device.nextSequence(), isPartial: false)
  }

  /// Ends a value that was read, unless the next request asks for its next part.
  private mutating func flushReading(
    before request: Request?, _ device: inout RecordedDevice, _ budget: inout RecorderBudget
  ) {
    guard let value = reading else { return }
    if case .readBlob(let handle, let offset)? = request, handle == value.handle, offset == value.value.count { return }
    reading = nil
    guard !value.isPartial else { return device.losses.partialValues += 1 }
    device.append(.read(value.value), of: value.handle, at: value.time, sequence: value.sequence, &budget)
  }

  /// Values one after another without their lengths: earlier reads must tell those of all but the last.
  private mutating func readMultiple(
    _ handles: [AttributeHandle], _ reader: ByteReader, at time: Duration, _ device: inout RecordedDevice,
    _ budget: inout RecorderBudget
  ) throws(ByteCodingError) {
    var values = ByteReader(try ATTReadMultipleResponse(whole: reader).values)
    for (index, handle) in handles.enumerated() {
      let isLast = index + 1 == handles.count
      guard let count = isLast ? values.remaining : device.lengths[handle], count <= values.remaining else {
        return device.losses.partialValues += 1
      }
      device.append(.read(try values.bytes(count, "value")), of: handle, at: time, &budget)
    }
  }

  private mutating func readVariable(
    _ handles: [AttributeHandle], _ reader: ByteReader, at time: Duration, _ device: inout RecordedDevice,
    _ budget: inout RecorderBudget
  ) throws(ByteCodingError) {
    var tuples = ByteReader(try ATTReadMultipleVariableResponse(whole: reader).tuples)
    for handle in handles {
      guard !tuples.isEmpty else { return device.losses.partialValues += 1 }
      let length = Int(try tuples.uint16("value length"))
      guard length > tuples.remaining else {
        device.append(.read(try tuples.bytes(length, "value")), of: handle, at: time, &budget)
        continue
      }
      let part = tuples.remainingBytes()
      read(handle, part, goesOn: true, at: time, &device, &budget)
      reading?.isPartial = true
    }
  }

  /// Makes writes of what was prepared: one of each attribute, its parts joined.
  ///
  /// - Parameter only: the attribute whose preparation was refused; nil for all.
  private mutating func execute(
    answer: UInt8, if writes: Bool, only handle: AttributeHandle? = nil, at time: Duration,
    _ device: inout RecordedDevice, _ budget: inout RecorderBudget
  ) {
    let parts = handle.map { handle in prepared.filter { $0.handle == handle } } ?? prepared
    if let handle { prepared.removeAll { $0.handle == handle } } else { prepared = [] }
    guard writes else { return }
    var values: [(handle: AttributeHandle, value: [UInt8], isWhole: Bool)] = []
    for part in parts {
      let index = values.firstIndex { $0.handle == part.handle } ?? values.count
      if index == values.count { values.append((part.handle, [], true)) }
      let offset = Int(part.offset)
      guard offset <= values[index].value.count else {
        values[index].isWhole = false
        continue
      }
      values[index].value.replaceSubrange(
        offset..<min(values[index].value.count, offset + part.value.count), with: part.value)
    }
    for (handle, value, isWhole) in values {
      guard isWhole else {
        device.losses.partialValues += 1
        continue
      }
      device.append(.write(value, answer: answer), of: handle, at: time, &budget)
    }
  }

  /// Ends what is under way: the connection is over.
  mutating func end(_ device: inout RecordedDevice, _ budget: inout RecorderBudget) {
    if request != nil { device.losses.unanswered += 1 }
    request = nil
    flushReading(before: nil, &device, &budget)
    prepared = []
  }
}
