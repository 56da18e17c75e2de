import ArgumentParser
import LatchkeyAttestation
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import LatchkeyEnrollmentServer

/// Which attestations of keys in a TPM are trusted, and whether one is required.
struct AttestationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Authorities, PEM, that vouch for the attestation keys of TPMs: their makers' roots, or your own.",
      valueName: "file"))
  var attestationRoots: String?
  @Option(
    help: ArgumentHelp(
      "Attestation keys, PEM, that are trusted themselves: what latchkey enclave attestation-key prints on each device.",
      valueName: "file"))
  var attestationPin: [String] = []
  @Option(
    help: ArgumentHelp(
      """
      Authorities, PEM, that vouch for Apple devices, which enroll by ACME (Managed Device Attestation): a file, or the word apple for \
      Apple's Enterprise Attestation Root CA.
      """, valueName: "file"))
  var attestationAppleRoots: String?
  @Flag(
    help: """
      Accept only devices whose identity key and approval key are in a TPM, or whose identity key is in an Apple device, with an attestation that is trusted; the TPM must ask for \
      the approval key's authorization. Devices that enrolled otherwise are refused until they enroll again. Without this a \
      password alone enrolls a device with any keys, in software too, and its approval key counts at once \
      (--approval-cool-down).
      """)
  var requireAttestation = false

  func validate() throws {
    guard
      !requireAttestation || attestationRoots != nil || attestationAppleRoots != nil || !attestationPin.isEmpty
    else {
      throw ValidationError(
        "--require-attestation goes with --attestation-roots, --attestation-pin or --attestation-apple-roots")
    }
  }

  func apply(to policy: inout ServerPolicy) throws {
    let roots = try attestationRoots.map { try Self.blocks($0, "CERTIFICATE") } ?? []
    let pins = try attestationPin.flatMap { try Self.blocks($0, "PUBLIC KEY") }
    let apple = try attestationAppleRoots.map {
      $0 == "apple" ? [AttestationTrust.appleEnterpriseRoot] : try Self.blocks($0, "CERTIFICATE")
    }
    do throws(AttestationError) {
      policy.attestationTrust = try AttestationTrust(roots: roots, pinnedKeys: pins, appleRoots: apple ?? [])
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
    guard requireAttestation else { return }
    // A key that the TPM uses without authorization asks no user.
    policy.attestationPolicy = AttestationPolicy(requiresAuthorizationEnforcedByHardware: true)
    policy.identityAttestationPolicy = AttestationPolicy()
  }

  private static func blocks(_ path: String, _ label: String) throws(CommandFailure) -> [[UInt8]] {
    let text = String(decoding: try ServerFile.read(path), as: UTF8.self)
    let blocks: [PEMDocument]
    do throws(KeyError) { blocks = try PEMDocument.decode(text) } catch {
      throw CommandFailure(.badData, "\(path): \(error)")
    }
    guard !blocks.isEmpty, blocks.allSatisfy({ $0.label == label }) else {
      throw CommandFailure(.badData, "\(path) holds no \(label) in PEM, or something else besides")
    }
    return blocks.map(\.bytes)
  }
}
