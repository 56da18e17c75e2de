import Foundation
import LatchkeyByteCoding
import Testing

/// The bytes of a base64 text.
func bytes(base64 text: String) throws -> [UInt8] { [UInt8](try #require(Data(base64Encoded: text))) }

/// The bytes of a hexadecimal text.
func hex(_ text: String) throws -> [UInt8] { try Hexadecimal.decode(text) }
