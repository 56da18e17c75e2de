import LatchkeyByteCoding

/// Writes a whole value: Write if it fits, else Prepare Write part by part, then Execute Write (Core 6.0 Vol 3 Part G
/// 4.9.3, 4.9.4). The peer's echo of a part is not compared: Reliable Writes (4.9.5) are for that.
struct WriteProcedure: GATTClientProcedure {
  private enum Step: UInt8 {
    case write, prepare, execute, cancel
  }

  private let handle: AttributeHandle
  private var step: Step
  /// The error that made this procedure cancel the queued parts.
  private var code: ATTErrorCode = .unlikelyError
  /// How many bytes the peer has queued, and how many it will have after the outstanding part.
  private var queued: UInt16 = 0
  private var sent: UInt16 = 0
  private let value: [UInt8]

  /// A write of up to 512 bytes.
  init(handle: AttributeHandle, value: [UInt8], mtu: Int) {
    self.handle = handle
    self.value = value
    step = value.count <= mtu - 3 ? .write : .prepare
  }

  var request: ATTOpcode {
    switch step {
    case .write: .writeRequest
    case .prepare: .prepareWriteRequest
    case .execute, .cancel: .executeWriteRequest
    }
  }

  mutating func frame(mtu: Int) -> [UInt8] {
    switch step {
    case .write: return ATTWriteRequest(handle: handle, value: value).frame()
    case .prepare:
      let part = value.dropFirst(Int(queued)).prefix(mtu - 5)
      sent = queued + UInt16(truncatingIfNeeded: part.count)
      return ATTPrepareWriteRequest(handle: handle, offset: queued, value: Array(part)).frame()
    case .execute: return ATTExecuteWriteRequest(writes: true).frame()
    case .cancel: return ATTExecuteWriteRequest(writes: false).frame()
    }
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    switch step {
    case .write, .execute: return .written
    case .cancel: return .failed(.refused(code, handle: handle))
    case .prepare:
      queued = sent
      if Int(queued) == value.count { step = .execute }
      return nil
    }
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    switch step {
    case .prepare where queued > 0:
      // Part G 4.9.4: the accepted parts are still queued.
      code = error.code
      step = .cancel
      return nil
    case .cancel: return .failed(.refused(code, handle: handle))
    case .write, .prepare, .execute: return error.outcome
    }
  }
}
