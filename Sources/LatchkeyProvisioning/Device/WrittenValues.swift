import CoreBluetooth

/// The values of one batch of write requests: the parts of a long write are joined in the order of their offsets.
struct WrittenValues {
  /// A value, and the UUID of the characteristic that it was written to.
  struct Value {
    let characteristic: CBUUID
    var bytes: [UInt8]
  }

  /// Why a batch is refused.
  struct Refusal: Error {
    let code: CBATTError.Code
  }

  private(set) var values: [Value] = []

  /// The values of `requests`.
  ///
  /// - Throws: unless each part starts where the one before it ends.
  init(_ requests: [CBATTRequest]) throws(Refusal) {
    for request in requests {
      let characteristic = request.characteristic.uuid
      let bytes = [UInt8](request.value ?? Data())
      if request.offset == 0 {
        values.append(Value(characteristic: characteristic, bytes: bytes))
      } else if let last = values.last, last.characteristic == characteristic, last.bytes.count == request.offset {
        values[values.count - 1].bytes += bytes
      } else {
        throw Refusal(code: .invalidOffset)
      }
    }
  }
}
