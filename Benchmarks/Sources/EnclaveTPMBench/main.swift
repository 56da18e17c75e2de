// P-256 signatures by a TPM through TPMEngine; the peer is Peers/tpm_sign_bench.c, on the same TPM, alternating.
//
//     enclave-tpm-bench TCTI authorization|policy|load COUNT
//
// authorization, policy: a key without constraints, or with one, is held. load: it is loaded for each signature anew.
// One JSON line: signatures a second, without what comes before and after.

import Foundation
import LatchkeyEnclaveKeys
import LatchkeyEnclaveTPM
import LatchkeyKeychainModel

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]), count > 0 else { exit(64) }
let isLoading = arguments[2] == "load"
let control = AccessControl(
  protection: .whenUnlockedThisDeviceOnly,
  flags: arguments[2] == "policy" ? [.privateKeyUsage, .userPresence] : .privateKeyUsage)

let engine = TPMEngine(tcti: arguments[1])
let created = try engine.create(control)

/// The key, loaded.
func loaded() throws -> any LoadedKey {
  try engine.load(publicKey: created.publicKey, blob: created.blob, secret: created.secret, control: control)
}

/// A digest that differs each time.
func digest(_ number: Int) -> [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) } }

let held = isLoading ? nil : try loaded()
_ = try (held ?? loaded()).sign(digest: digest(-1))
let start = ContinuousClock.now
for number in 0..<count { _ = try (held ?? loaded()).sign(digest: digest(number)) }
let duration = ContinuousClock.now - start
let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
print("{\"value\":\(Double(count) / seconds),\"unit\":\"/s\"}")
engine.device.disconnect()
