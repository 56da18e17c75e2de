import Security
import Testing

@_silgen_name("SecIdentityCreate")
private func create(
  _ allocator: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ key: UnsafeRawPointer?
) -> Unmanaged<SecIdentity>?

@Suite("The C symbol SecIdentityCreate")
struct SecIdentityCreateSymbolTests {
  private func pointer(_ object: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }

  @Test("It makes the identity that the Swift function makes, and the caller owns it")
  func identity() throws {
    let (eve, key) = (IdentityFixture.eve, IdentityFixture.evesKey)
    weak var kept: SecIdentity?
    do {
      let made = try #require(create(nil, pointer(eve), pointer(key))).takeRetainedValue()
      #expect(made == SecIdentityCreate(nil, eve, key))
      kept = made
    }
    #expect(kept == nil, "it was retained once too often")
  }

  @Test("Another key makes none, and neither does a null pointer")
  func refusals() {
    let (eve, key) = (pointer(IdentityFixture.eve), pointer(IdentityFixture.evesKey))
    #expect(create(nil, eve, pointer(IdentityFixture.gracesKey)) == nil)
    #expect(create(nil, nil, key) == nil && create(nil, eve, nil) == nil)
  }
}
