package import LatchkeyByteCoding

/// The return parameters of a Command Complete event. Those of all commands here begin with the status.
package protocol HCIReturnParameters: Sendable, Equatable {
  var status: HCIStatus { get }
  init(from reader: inout ByteReader) throws(ByteCodingError)
  func encode(into writer: inout ByteWriter)
}

/// Return parameters with the status alone.
package struct HCIStatusReturnParameters: HCIReturnParameters {
  package var status: HCIStatus

  package init(status: HCIStatus = .success) { self.status = status }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
  }

  package func encode(into writer: inout ByteWriter) { writer.status(status) }
}

/// Return parameters of status and connection handle.
package struct HCIConnectionReturnParameters: HCIReturnParameters {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle

  package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle) {
    self.status = status
    self.connectionHandle = connectionHandle
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
  }
}
