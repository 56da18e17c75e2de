// A part of the page From the old client's classes.

import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages

func transfer(aesKey: String, macKey: String, password: String, pin: String) async throws {
  let keys = try LegacyEnvelopeKeys(encryption: aesKey, authentication: macKey)
  let client = LegacyEnrollmentClient(
    LegacyEnrollmentConfiguration(server: try ServerAddress("https://yourbankingdomain.com"), keys: keys))
  _ = try await client.logIn(user: "anna", password: password, registering: pin).value
  for account in try await client.accounts().value { print(account.number, account.balance) }
  try await client.transfer(to: "123123456456", from: "654654123123", amount: 23.23).value
}
