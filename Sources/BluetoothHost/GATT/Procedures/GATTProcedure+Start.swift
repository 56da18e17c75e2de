/// How a procedure begins.
enum ProcedureStart {
  /// With a request.
  case run(any GATTClientProcedure)
  /// It has ended: its arguments are wrong, or there is nothing to ask.
  case end(GATTOutcome)
}

extension GATTProcedure {
  /// Judges the arguments and makes the procedure. Configuring notifications depends on who listens already: that is judged
  /// by `GATTClient`.
  func start(mtu: Int) -> ProcedureStart {
    switch self {
    case .read(let handle) where handle > 0: .run(ReadProcedure(handle: handle))
    case .write(let handle, let value) where handle > 0 && value.count <= ATTLimits.longestValue:
      .run(WriteProcedure(handle: handle, value: value, mtu: mtu))
    case .discoverServices(nil): .run(ServiceDiscovery())
    case .discoverServices(let uuids?):
      uuids.isEmpty ? .end(.services([])) : .run(ServiceDiscoveryByUUID(uuids))
    case .discoverIncludedServices(let range) where range.isValid: .run(IncludedServiceDiscovery(range: range))
    case .discoverCharacteristics(let range) where range.isValid: .run(CharacteristicDiscovery(range: range))
    // A characteristic that ends with its value has no room for descriptors.
    case .discoverDescriptors(let range) where range.start > range.end || range.start == 0: .end(.descriptors([]))
    case .discoverDescriptors(let range): .run(DescriptorDiscovery(range: range))
    case .readByUUID(let uuid, let range) where range.isValid: .run(ReadByUUIDProcedure(uuid: uuid, range: range))
    default: .end(.failed(.invalidArgument))
    }
  }
}
