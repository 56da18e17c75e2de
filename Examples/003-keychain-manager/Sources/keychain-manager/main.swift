// The document's demo: saves a dictionary, loads it and prints its values; the same encrypted, and prints the dictionary.

import ExampleTerminal
import Foundation
import LatchkeyKeychainItems
import LatchkeyKeychainStore

/// Ends the program with the low byte of the error's status, as macOS's `security` does.
func fail(_ error: KeychainItemError) -> Never {
  var reason = "\(error)"
  // A status has no file's name; the keychain itself knows which one it could not read.
  do { _ = try KeychainLock.state } catch { reason = "\(error)" }
  fail("\(reason) (\(error.status))", max(error.status & 0xFF, 1))
}

expectArguments(CommandLine.arguments.count == 1, usage: "keychain-manager")

/// `APP_PUBLIC_PASSWORD`, which the document's program is compiled with; here it is set once.
let password =
  ProcessInfo.processInfo.environment["APP_PUBLIC_PASSWORD"] ?? "a password that anyone can read in the program"
guard !password.isEmpty else {
  FileHandle.standardError.write(
    Data("keychain-manager: APP_PUBLIC_PASSWORD is empty: give it a password, or unset it\n".utf8))
  exit(64)
}
KeyChainManager.setPassphrase(password)

do throws(KeychainItemError) {
  //非加密模式
  //保存
  try KeyChainManager.SaveKeyChain(["password": "12345", "name": "王尼玛", "id": "441781197887677873"])
  //读取
  let dic = try KeyChainManager.LoadKeyChain() as? NSDictionary
  //打印
  let srting = NSMutableString(string: "")
  for str in dic?.allValues ?? [] {
    srting.append(str as? String ?? "")
    srting.append("\n")
  }
  say("\(srting)")

  //加密模式
  //保存
  try KeyChainManager.SaveKeyChainWithEncrypt(["password": "12345", "name": "王尼玛", "id": "441781197887677873"])
  //读取
  let dicEnCrypt = try KeyChainManager.LoadKeyChainWithEncrypt() as? NSDictionary
  //打印内容
  let srtingEncrypt = NSMutableString(string: "")
  for str in dicEnCrypt?.allValues ?? [] {
    srtingEncrypt.append(str as? String ?? "")
    srtingEncrypt.append("\n")
  }
  say("\(dicEnCrypt ?? [:])")
} catch {
  fail(error)
}
