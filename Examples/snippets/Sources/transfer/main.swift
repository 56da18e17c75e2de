import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol

guard let password = readLine() else { fatalError("the password is the first line of standard input") }
let client = EnrollmentClient(
  EnrollmentConfiguration(server: try ServerAddress("https://bank.example")))
_ = try await client.logIn(user: "anna", password: password, deviceName: "kitchen").value
_ = try await client.registerApprovalKey().value

for account in try await client.accounts().value { print(account.number, account.balance) }

if let amount = Amount("23.23") {
  let transfer = Transfer(
    from: "123123456456", to: "654654123123", amount: amount, currency: "EUR")
  print(try await client.transfer(transfer).value.receipt.balance)
}
