import Crypto
import EnclaveKeys
import KeychainModel

/// Seals a secret under an access control: inside by what its constraints yield, where they yield anything, outside by its
/// protection's secret key.
struct ConstraintSealer: Sendable {
  let ring: KeyRing

  /// Seals a secret of at most 64 KiB; `binding` is authenticated with it.
  func seal(
    _ secret: [UInt8], under control: PreparedControl, binding: [UInt8]
  ) throws(StoreError) -> [UInt8] { throw .unimplemented("not there yet") }

  /// Opens it; the bytes are the caller's to wipe.
  ///
  /// - Throws: `.locked`; `.presence(.authenticationFailed)` for a wrong application password; `.damaged`.
  func open(
    _ sealed: [UInt8], under control: StoredControl, with authorization: Authorization, binding: [UInt8]
  ) throws(StoreError) -> [UInt8] { throw .unimplemented("not there yet") }
}
