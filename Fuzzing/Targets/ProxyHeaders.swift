// modules: LatchkeyByteCoding LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentProtocol

/// Reads the input as the beginning of a proxy's connection: a header is found at its last byte and not before, further bytes change
/// nothing, and its length is bounded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxyHeaders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let found = try? ProxyHeader.read(input) else { return 0 }
  guard found.length <= ProxyHeader.maximumLength, found.length <= input.count else {
    fatalError("a length beyond its bounds")
  }
  if case .client(let address) = found.header, address.count != 4, address.count != 16 { fatalError("no address") }
  let exact = Array(input.prefix(found.length))
  guard (try? ProxyHeader.read(exact)) == found else { fatalError("what follows changes the header") }
  do {
    guard try ProxyHeader.read(Array(exact.dropLast())) == nil else { fatalError("a header before its end") }
  } catch { fatalError("a beginning of a header is refused") }
  return 0
}
