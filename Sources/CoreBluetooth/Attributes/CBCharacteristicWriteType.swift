/// Whether a write is answered.
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peer answers, and the delegate is told.
  case withResponse = 0
  /// Nobody answers.
  case withoutResponse = 1
}
