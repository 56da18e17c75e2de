import Crypto
import Foundation
import LatchkeyServerTestSupport
import LatchkeyTestSupport

extension RunningServer {
  /// Writes the authority's certificate, and a device's with its key, in PEM beside the store.
  func files(of device: TestDevice? = nil) throws -> (ca: String, certificate: String, key: String) {
    func write(_ name: String, _ text: String) throws -> String {
      let file = folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: file)
      return file.path
    }
    return (
      try write("ca.pem", PEMText.block("CERTIFICATE", root)),
      try write("device.pem", device.map { PEMText.block("CERTIFICATE", $0.certificate) } ?? ""),
      try write("device-key.pem", device?.key.pemRepresentation ?? "")
    )
  }
}
