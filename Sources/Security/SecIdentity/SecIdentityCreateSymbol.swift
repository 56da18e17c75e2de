/// `SecIdentityCreate` under its name in C, for code that declares it by that name (`@_silgen_name`) or looks it up (`dlsym`), as
/// it had to while Apple's headers did not name it. The caller owns the result.
///
/// `dlsym` finds it in a shared library, and in a program that is linked with `-Xlinker -export-dynamic`.
@_cdecl("SecIdentityCreate")
package func identityCreateSymbol(
  _ allocator: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ privateKey: UnsafeRawPointer?
) -> UnsafeMutableRawPointer? {
  guard let certificate, let privateKey,
    let identity = SecIdentityCreate(
      nil, Unmanaged<SecCertificate>.fromOpaque(certificate).takeUnretainedValue(),
      Unmanaged<SecKey>.fromOpaque(privateKey).takeUnretainedValue())
  else { return nil }
  return Unmanaged.passRetained(identity).toOpaque()
}
