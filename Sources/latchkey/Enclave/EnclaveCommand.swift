import ArgumentParser
import LatchkeyCommandLine

/// `latchkey enclave`: keys that never leave.
struct EnclaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enclave",
    abstract: "Make keys that never leave, sign with them, and say where they live.",
    discussion: """
      A key is a P-256 pair whose private half is made and used inside: in a TPM 2.0 where this build and this machine have \
      one, otherwise in software, sealed by the keychain; `list` says which. Keys are items of the keychain and found by \
      their label. LATCHKEY_ENCLAVE chooses: software, or tpm[:TCTI].

      A guarded key asks its user: for the keychain's passcode, on the terminal or through the program in \
      LATCHKEY_ASKPASS, or for what LATCHKEY_PRESENCE counts as biometry: a comma list of fprintd, pam:SERVICE and \
      program:PATH. The passcode is never accepted in the place of biometry.

      Ends with 44 if there is no such key, 45 if its label is in use, 36 if the keychain is locked or no user can be asked, 51 if \
      the user gave a wrong answer or cancelled, 130 after ^C at the terminal; `verify` of a bad signature ends with 1; \
      else by sysexits: 64 usage, \
      65 bad data, 69 something is not there, 74 reading, writing or the TPM failed, 75 try later, 77 not permitted.
      """,
    examples: [
      "latchkey enclave create --label build > build.pem",
      "latchkey enclave sign --label build -o release.sig release.tar", "latchkey enclave list",
    ],
    statuses: .keychainItem + [.notVerified, .duplicateItem],
    subcommands: [
      EnclaveCreate.self, EnclaveList.self, EnclavePublicKey.self, EnclaveSign.self, EnclaveVerify.self,
      EnclaveAttest.self, EnclaveAttestationKey.self, EnclaveEndorsement.self, EnclaveActivate.self, EnclaveDelete.self,
    ])
}
