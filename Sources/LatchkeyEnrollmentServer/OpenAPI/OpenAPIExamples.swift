internal import LatchkeyEnrollmentProtocol

/// Examples of bodies, by schema: those of the pages EnrollmentProtocol and AccountsAndTransfers, with which a test compares them.
///
/// There is none of a renewal: a tool that sends the examples would give its device the key of the pages.
enum OpenAPIExamples {
  static let device = "00112233445566778899aabbccddeeff"
  static let challenge = "ffeeddccbbaa99887766554433221100"

  static let all: [String: JSONLiteral] = [
    "PasswordLogin": ["user": "demo", "password": "correct horse battery staple"],
    "LoginAnswer": ["token": "dGhlIHRva2VuIG9mIHRoZSBleGFtcGxlcyBvZiBwYWdl", "expiresIn": 900, "user": "demo"],
    "ChallengeRequest": ["purpose": "service-ledger", "content": "hnZsZHKQ0aVjZ9P+ZV8X5PORDgzEcNYs4ZZJudcarRQ="],
    "Challenge": ["id": .string(challenge), "value": .string(value), "expiresIn": 60],
    "KeyLogin": ["challengeID": .string(challenge), "device": .string(device), "signature": .string(signature)],
    "DeviceRegistration": [
      "name": "phone", "signingRequest": .string(signingRequest), "attestation": .string(identityAttestation),
    ],
    "ServerMadeIdentityRequest": ["name": "phone", "passphrase": "correct horse"],
    "DeviceStatus": [
      "device": .string(device), "name": "phone", "user": "demo", "notAfter": 1796169600, "hasApprovalKey": true,
      "approvalKeyEvidence": "latchkey-software",
    ],
    "CertificateRevocation": ["serial": "4af2c0de00112233445566778899aabb"],
    "ApprovalKeyRegistration": [
      "publicKey": "BDfgHnMNS43z///n19zRFjs0y+uyl/FU/a20sqgzrM/t6fqghhK28KenE/BoQHYRHg1Wm+GyviPuhaplA8Gjq+4=",
      "challengeID": .string(challenge), "attestation": .string(approvalAttestation),
    ],
    "Problem": [
      "type": "urn:latchkey:problem:approval_required", "title": "approval required", "status": 403,
      "code": "approval_required",
      "detail": "sign the challenge with the device's approval key and send the transfer again",
      "instance": "0af7651916cd43dd000000000000002a",
      "challenge": ["id": .string(challenge), "value": .string(value), "expiresIn": 60],
    ],
  ]

  private static let value = "zUJATVKtVcz6mspK3IKKpYAK2dOFoGcfvL9yQRgyBhk="
  private static let signature =
    "MEUCIFDZtK7dJMVYmqdAi2mK/my/OtauZE/cpmiHZrok/3LvAiEAhdACv+RLTm2uwenUEqwLCx88BROn0C+jz1KlUZC4cjs="
  private static let signingRequest =
    "MIHLMHMCAQAwETEPMA0GA1UEAwwGZGV2aWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEl+joqjcMKBuj7TWC9rRb+CHXi4d3"
    + "B2S6dnysicC5hHbXrlWGqbw9wHZ0iav/Dqwxz8dfwb7u4orSeC52e5KReKAAMAoGCCqGSM49BAMCA0gAMEUCIQCwjWjPhWmMgxxE"
    + "qYjpAx+cPMKtYS9NVoVzWKWAoc9ngAIgL4hgG28Be0ZMkSxDGcCQiS/OuSJKeTFujBzKpr94KcQ="
  private static let identityAttestation =
    "omNmbXRxbGF0Y2hrZXktc29mdHdhcmVnYXR0U3RtdKNjYWxnJmNzaWdYRjBEAiBD0cNhUdBhG5sKuyUuOTu6JGfgLZfDrWHko6EW"
    + "VtqvBAIgfztK5QJWoIegR1oPEHgdnUJ/AEMy/+8fP/5PLhUeKylpc3RhdGVtZW50WLKmZWZsYWdzGkAAAABnYmFja2VuZGhzb2Z0"
    + "d2FyZWdjcmVhdGVkGmsODgBpY2hhbGxlbmdlWCAS7HcCiglIYKBKDvzYPXxANYJhYuiAUCg5lfouk0E6W2lwdWJsaWNLZXlYQQSX"
    + "6OiqNwwoG6PtNYL2tFv4IdeLh3cHZLp2fKyJwLmEdteuVYapvD3AdnSJq/8OrDHPx1/Bvu7iitJ4LnZ7kpF4anByb3RlY3Rpb25j"
    + "YWt1"
  private static let approvalAttestation =
    "omNmbXRxbGF0Y2hrZXktc29mdHdhcmVnYXR0U3RtdKNjYWxnJmNzaWdYRzBFAiAM/Fy+c0NwIE5eqK3IRKOEcN6MQXxgoywK5m6h"
    + "BuxECgIhAOIkSjmnzx/5ZZUyrvYwKTa83uoBqG7/zN+CZMuzxOYsaXN0YXRlbWVudFiypmVmbGFncxpAAAABZ2JhY2tlbmRoc29m"
    + "dHdhcmVnY3JlYXRlZBprDg4AaWNoYWxsZW5nZVggEUPEJU2bU5LTGRjjuZuTuItiJ2On63FxJm9P6xYZ5/RpcHVibGljS2V5WEEE"
    + "N+Aecw1LjfP//+fX3NEWOzTL67KX8VT9rbSyqDOsz+3p+qCGErbwp6cT8GhAdhEeDVab4bK+I+6FqmUDwaOr7mpwcm90ZWN0aW9u"
    + "Y2FrdQ=="
}
