#if TPM
  import CLatchkeyTSS2

  /// Constants of TPM 2.0 (TPM 2.0 Library Part 2, the tables named below). The headers define them with casts, which Swift
  /// does not import.
  enum TPM2 {
    /// Algorithms (6.3, TPM_ALG_ID).
    enum Algorithm {
      static let aes: UInt16 = 0x0006
      static let keyedHash: UInt16 = 0x0008
      static let sha256: UInt16 = 0x000B
      static let null: UInt16 = 0x0010
      static let ecdsa: UInt16 = 0x0018
      static let ecc: UInt16 = 0x0023
      static let cfb: UInt16 = 0x0043
    }

    /// Curves (6.4, TPM_ECC_CURVE).
    static let curveP256: UInt16 = 0x0003

    /// Attributes of objects (8.3, TPMA_OBJECT).
    enum Object {
      static let fixedTPM: UInt32 = 1 << 1
      static let fixedParent: UInt32 = 1 << 4
      static let sensitiveDataOrigin: UInt32 = 1 << 5
      static let userWithAuth: UInt32 = 1 << 6
      static let adminWithPolicy: UInt32 = 1 << 7
      static let noDA: UInt32 = 1 << 10
      static let restricted: UInt32 = 1 << 16
      static let decrypt: UInt32 = 1 << 17
      static let sign: UInt32 = 1 << 18
    }

    /// Attributes of sessions (8.4, TPMA_SESSION).
    enum Session {
      static let `continue`: UInt8 = 1 << 0
      static let decrypt: UInt8 = 1 << 5
      static let encrypt: UInt8 = 1 << 6
    }

    /// Kinds of sessions (6.11, TPM_SE).
    enum SessionKind {
      static let hmac: UInt8 = 0x00
      static let policy: UInt8 = 0x01
      static let trial: UInt8 = 0x03
    }

    /// Capabilities and properties (6.12, 6.13).
    enum Capability {
      static let handles: UInt32 = 1
      static let properties: UInt32 = 6
      static let lockoutCounter: UInt32 = 0x20E
      static let maxAuthFail: UInt32 = 0x20F
      static let lockoutInterval: UInt32 = 0x210
    }

    /// Handles (7.2, 7.4).
    enum Handle {
      static let transientFirst: UInt32 = 0x8000_0000
      static let loadedSessionFirst: UInt32 = 0x0200_0000
      static let ownerNV: ClosedRange<UInt32> = 0x0180_0000...0x01BF_FFFF
      static let null: UInt32 = 0x4000_0007
    }

    /// Attributes of NV indices (13.4, TPMA_NV).
    enum NV {
      static let ownerWrite: UInt32 = 1 << 1
      static let authWrite: UInt32 = 1 << 2
      static let counter: UInt32 = 1 << 4
      static let typeMask: UInt32 = 0xF0
      static let authRead: UInt32 = 1 << 18
      static let noDA: UInt32 = 1 << 25
      static let written: UInt32 = 1 << 29
    }

    /// Response codes without the number of the handle, session or parameter (6.6.3).
    enum Code {
      static let initialize: UInt32 = 0x100
      static let pcrChanged: UInt32 = 0x128
      static let nvUninitialized: UInt32 = 0x14A
      static let nvDefined: UInt32 = 0x14C
      static let reboot: UInt32 = 0x130
      static let value: UInt32 = 0x084
      static let handle: UInt32 = 0x08B
      static let authFail: UInt32 = 0x08E
      static let size: UInt32 = 0x095
      static let policyFail: UInt32 = 0x09D
      static let insufficient: UInt32 = 0x09A
      static let integrity: UInt32 = 0x09F
      static let badAuth: UInt32 = 0x0A2
      static let binding: UInt32 = 0x0A5
      static let eccPoint: UInt32 = 0x0A7
      static let contextGap: UInt32 = 0x901
      static let objectMemory: UInt32 = 0x902
      static let sessionMemory: UInt32 = 0x903
      static let memory: UInt32 = 0x904
      static let sessionHandles: UInt32 = 0x905
      static let objectHandles: UInt32 = 0x906
      static let yielded: UInt32 = 0x908
      static let testing: UInt32 = 0x90A
      static let references: ClosedRange<UInt32> = 0x910...0x91E
      static let nvRate: UInt32 = 0x920
      static let lockout: UInt32 = 0x921
      static let retry: UInt32 = 0x922
    }

    /// The command that opens a credential.
    static let activateCredential = "TPM2_ActivateCredential"

    static let startupClear: UInt16 = 0x0000
    static let hashCheckTag: UInt16 = 0x8024
  }
#endif
