import CoreBluetooth

/// The values of one batch of write requests: the parts of a long write are joined in the order of their offsets.
struct WrittenValues {
  /// A value, and the service whose request characteristic it was written to.
  struct Value {
    let service: LegacyService
    var bytes: [UInt8]
  }

  /// Why a batch is refused.
  struct Refusal: Error {
    let code: CBATTError.Code
  }

  private(set) var values: [Value] = []

  /// The values of `requests`.
  ///
  /// - Throws: unless each part is written to a request characteristic, and starts where the one before it ends.
  init(_ requests: [CBATTRequest]) throws(Refusal) {
    for request in requests {
      guard let service = LegacyService.allCases.first(where: { $0.request.uuid == request.characteristic.uuid }) else {
        throw Refusal(code: .writeNotPermitted)
      }
      let bytes = [UInt8](request.value ?? Data())
      if request.offset == 0 {
        values.append(Value(service: service, bytes: bytes))
      } else if let last = values.last, last.service == service, last.bytes.count == request.offset {
        values[values.count - 1].bytes += bytes
      } else {
        throw Refusal(code: .invalidOffset)
      }
    }
  }
}
