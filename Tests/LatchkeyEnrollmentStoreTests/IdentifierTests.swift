import Foundation
import LatchkeyEnrollmentStore
import Testing

@Suite("Identifiers")
struct IdentifierTests {
  @Test("Random ones differ in each byte sooner or later")
  func random() {
    let all = (0..<200).map { _ in Identifier.random().bytes }
    #expect(Set(all).count == 200)
    for place in 0..<16 { #expect(Set(all.map { $0[place] }).count > 1, "byte \(place)") }
  }

  @Test("Ordered ones begin with the milliseconds since 1970, and differ within one")
  func ordered() {
    let before = UInt64(Date().timeIntervalSince1970 * 1000) - 1
    let all = (0..<200).map { _ in Identifier.ordered().bytes }
    let after = UInt64(Date().timeIntervalSince1970 * 1000) + 1
    for bytes in all {
      let time = bytes.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      #expect((before...after).contains(time))
    }
    #expect(Set(all).count == 200)
    for place in 6..<16 { #expect(Set(all.map { $0[place] }).count > 1, "byte \(place)") }
  }
}
