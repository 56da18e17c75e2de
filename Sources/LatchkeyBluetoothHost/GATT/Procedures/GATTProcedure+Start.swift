extension GATTProcedure {
  /// Validates the arguments and starts the procedure. Returns an outcome if it ended at once: the arguments are
  /// invalid, or no request is needed. The configuration of notifications depends on the subscribers, so `GATTClient`
  /// decides on it.
  func begin(in running: inout RunningProcedure, mtu: Int) -> GATTOutcome? {
    switch self {
    case .read(let handle) where handle > 0: running.begin(ReadProcedure(handle: handle))
    case .write(let handle, let value) where handle > 0 && value.count <= ATTLimits.longestValue:
      running.begin(WriteProcedure(handle: handle, value: value, mtu: mtu))
    case .discoverServices(nil): running.begin(ServiceDiscovery())
    case .discoverServices(let uuids?):
      if uuids.isEmpty { return .services([]) }
      running.begin(ServiceDiscoveryByUUID(uuids))
    case .discoverIncludedServices(let range) where range.isValid:
      running.begin(IncludedServiceDiscovery(range: range))
    case .discoverCharacteristics(let range) where range.isValid:
      running.begin(CharacteristicDiscovery(range: range))
    case .discoverDescriptors(let range):
      // A characteristic that ends with its value has no descriptors.
      guard range.isValid else { return .descriptors([]) }
      running.begin(DescriptorDiscovery(range: range))
    case .readByUUID(let uuid, let range) where range.isValid:
      running.begin(ReadByUUIDProcedure(uuid: uuid, range: range))
    case .readFirst(let uuid, let range) where range.isValid:
      running.begin(ReadByUUIDProcedure(uuid: uuid, range: range, wantsFirst: true))
    case .listenForServiceChanges: running.begin(ServiceChangedConfiguration())
    default: return .failed(.invalidArgument)
    }
    return nil
  }
}
