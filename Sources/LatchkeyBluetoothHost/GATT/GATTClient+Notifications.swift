import LatchkeyByteCoding

// Values that a peer sends on its own initiative, and which clients want them (Core 6.0 Vol 3 Part G 4.10, 4.11, 7.1).
extension GATTClient {
  mutating func receiveNotification(_ parameters: ByteReader, _ outputs: inout [GATTClientOutput]) {
    var parameters = parameters
    guard let handle = try? parameters.uint16("attribute handle"), parameters.remaining <= ATTLimits.longestValue else {
      return ignoredPDUs &+= 1
    }
    guard let clients = subscribers.clients(of: handle) else { return }
    outputs.append(.notification(handle, parameters.remainingBytes(), clients))
  }

  /// Confirms every indication, with any content: otherwise the server would wait forever.
  mutating func receiveIndication(_ parameters: ByteReader, _ outputs: inout [GATTClientOutput]) {
    outputs.append(.send(ATTHandleValueConfirmation().frame()))
    receiveNotification(parameters, &outputs)
    var parameters = parameters
    guard let handle = try? parameters.uint16("attribute handle"), handle == serviceChangedHandle, handle > 0,
      let range = try? AttributeHandleRange(from: &parameters), parameters.isEmpty, range.isValid
    else { return }
    servicesChanged(in: range, &outputs)
  }

  /// Handles a change of the peer's database.
  mutating func servicesChanged(in range: AttributeHandleRange, _ outputs: inout [GATTClientOutput]) {
    forgetDatabase()
    subscribers.removeAll(in: range, except: serviceChangedHandle)
    outputs.append(.servicesChanged(range))
    // Its own handle may have changed, and later changes must be indicated too. One search at a time.
    guard listensForServiceChanges, range.contains(serviceChangedHandle) else { return }
    listensForServiceChanges = false
    if background.count == 0 {
      background.append(ProcedureQueue.Entry(procedure: .listenForServiceChanges, id: nil, client: nil))
    }
  }

  mutating func receiveNotifications(_ parameters: ByteReader, _ outputs: inout [GATTClientOutput]) {
    guard let pdu = try? ATTMultipleHandleValueNotification(whole: parameters) else { return ignoredPDUs &+= 1 }
    for (handle, value) in pdu.values where value.count <= ATTLimits.longestValue {
      guard let clients = subscribers.clients(of: handle) else { continue }
      outputs.append(.notification(handle, value, clients))
    }
  }

  /// Turns a characteristic's values on or off for a client. A request is sent only if the peer's behavior must change.
  /// The client is subscribed from the moment the request is sent, since values may arrive before its response.
  mutating func configure(
    _ characteristic: GATTCharacteristicRecord, enabled: Bool, _ entry: ProcedureQueue.Entry,
    _ outputs: inout [GATTClientOutput]
  ) {
    let handle = characteristic.valueHandle
    let known = subscribers[handle]
    let end: GATTOutcome?
    var added = false
    if handle == 0 {
      end = .failed(.invalidArgument)
    } else if enabled, characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
      end = .failed(.refused(.requestNotSupported, handle: handle))
    } else if known.descriptor == 0, handle >= characteristic.end {
      // The value is the characteristic's last attribute, so it has no configuration.
      end = .failed(.refused(.attributeNotFound, handle: handle))
    } else if enabled {
      if let client = entry.client { added = subscribers.add(client, to: handle) }
      end = known.isOn ? .written : nil
    } else {
      let isOurs = listensForServiceChanges && handle == serviceChangedHandle
      let isShared = isOurs || known.clients.contains { $0 != entry.client }
      end = isShared || !known.isOn ? .written : nil
      if end != nil, let client = entry.client { subscribers.remove(client, from: handle) }
    }
    if let end {
      if let id = entry.id { outputs.append(.completion(id, end)) }
    } else {
      var descriptor = known.descriptor
      if descriptor == 0 {
        descriptor = verifiedDatabase?.configuration(of: handle, end: characteristic.end) ?? 0
      }
      procedure.begin(NotificationConfiguration(characteristic, enables: enabled, descriptor: descriptor))
      current = Current(
        id: entry.id, client: entry.client, mayRaiseSecurity: entry.mayRaiseSecurity, configures: true,
        addedListener: added)
    }
  }

  /// Records the peer's state after a configuration was written or refused.
  mutating func settle(_ done: Current, _ outcome: GATTOutcome) {
    guard let configuration = procedure.configuration else { return }
    let handle = configuration.valueHandle
    subscribers[handle].descriptor = configuration.descriptor
    if case .written = outcome {
      addToDatabase { $0.record(configuration: configuration.descriptor, of: handle) }
      subscribers[handle].isOn = configuration.enables
      if !configuration.enables, let client = done.client { subscribers.remove(client, from: handle) }
      // The client may have been removed while the answer was outstanding.
      if configuration.enables { silence(handle) }
    } else if done.addedListener, let client = done.client {
      subscribers.remove(client, from: handle)
    }
  }

  /// Submits the end of a subscription that no client uses.
  mutating func silence(_ handle: AttributeHandle) {
    let known = subscribers[handle]
    guard known.isOn, known.clients.isEmpty else { return }
    if listensForServiceChanges, handle == serviceChangedHandle { return }
    let characteristic = GATTCharacteristicRecord(
      uuid: BluetoothUUID(0 as UInt16), declaration: 0, valueHandle: handle, end: known.descriptor, properties: [])
    queue.append(
      ProcedureQueue.Entry(
        procedure: .configureNotifications(characteristic, enabled: false), id: nil, client: nil))
  }
}
