// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost

/// Reads the input as an advertisement, and lays out its name and services as an advertisement of ours.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAdvertisingData(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let read = AdvertisingData(decoding: input)
  checkDecoded(read, input)
  checkLayout(read)
  return 0
}

private func checkDecoded(_ read: AdvertisingData, _ input: [UInt8]) {
  // The significant part is a prefix of the input, and reads the same.
  let encoded = read.encode()
  guard encoded == Array(input.prefix(encoded.count)), AdvertisingData(decoding: encoded) == read else {
    fatalError("the significant part reads differently")
  }
  // No accessor yields more than the bytes hold.
  let uuids = read.serviceUUIDs + read.solicitedServiceUUIDs
  let bytes = read.structures.reduce(0) { $0 + $1.data.count }
  guard uuids.count * 2 <= bytes, read.serviceData.allSatisfy({ $0.data.count <= bytes }) else {
    fatalError("more UUIDs or service data than bytes")
  }
  if let name = read.localName, name.utf8.count > bytes { fatalError("a name longer than its bytes") }
  if read.txPowerLevel != nil, read[.txPowerLevel]?.count != 1 { fatalError("a power level of other than one byte") }
}

/// For any name and services of an app both payloads have a valid length, and every service is advertised or reported.
private func checkLayout(_ read: AdvertisingData) {
  let wanted = AdvertisingParameters(localName: read.localName, services: read.serviceUUIDs)
  let payload = AdvertisingPayload(wanted)
  for part in [payload.advertisement, payload.scanResponse] {
    guard part.encode().count <= AdvertisingPayload.capacity else { fatalError("a payload is too long") }
  }
  let placed = payload.advertisement.serviceUUIDs + payload.scanResponse.serviceUUIDs + payload.omittedServices
  guard Set(placed) == Set(wanted.services) else { fatalError("a service is missing, or was not requested") }
}
