import Foundation
import Security

/// The document's class, line for line, with its comments. It calls the archiver's calls that take a class list, since the
/// ones it knew are gone, and hears of failures as it did: by nil, by false, or not at all.
public enum LLKeyChain {
  /// The password that the document's program is compiled with.
  public static let APP_PUBLIC_PASSWORD = "APP_PUBLIC_PASSWORD"

  //创建kechain 属性 kSecAttrService,kSecAttrAccount 标志一个item
  /// What tells an item: class, service, account; and when it can be read.
  public static func getKeychainQuery(_ service: String) -> NSMutableDictionary {
    return NSMutableDictionary(dictionary: [
      kSecClass: kSecClassGenericPassword,  //类型
      kSecAttrService: service,  //服务
      kSecAttrAccount: service,  //帐户
      kSecAttrAccessible: kSecAttrAccessibleAlwaysThisDeviceOnly,  //访问的类型
    ])
  }

  //添加
  /// `saveData:forIdentifier:`: in the place of what was there.
  public static func saveData(_ data: Any, forIdentifier service: String) {
    //创建查询支点
    let keychainQuery = getKeychainQuery(service)
    //创建新的 item 前先删除旧的 item
    SecItemDelete(keychainQuery as CFDictionary)
    //先把需要存储的数据序列化,
    keychainQuery.setObject(archivedData(withRootObject: data), forKey: kSecValueData)
    //创建新的 item 到keychain
    SecItemAdd(keychainQuery as CFDictionary, nil)
  }

  //添加(带AES加密)
  /// `saveDataWithEncrypt:forIdentifier:`: the same, encrypted.
  public static func saveDataWithEncrypt(_ data: Any, forIdentifier service: String) {
    //创建查询支点
    let keychainQuery = getKeychainQuery(service)
    //创建新的 item 前先删除旧的 item
    SecItemDelete(keychainQuery as CFDictionary)
    //先把需要存储的数据序列化
    let NSKeyData = archivedData(withRootObject: data)
    //使用密码对nsdata进行加密
    let encryptedData = NSKeyData.AES256Encrypt(withKey: APP_PUBLIC_PASSWORD)
    //保存
    keychainQuery.setObject(encryptedData, forKey: kSecValueData)

    //创建新的 item 到keychain
    SecItemAdd(keychainQuery as CFDictionary, nil)
  }

  //查询
  /// `loadforIdentifier:`; nil if there is nothing, or if it cannot be unarchived.
  public static func load(forIdentifier service: String) -> Any? {
    var ret: Any? = nil
    let keychainQuery = getKeychainQuery(service)
    //查询的返回类型
    keychainQuery.setObject(kCFBooleanTrue as Any, forKey: kSecReturnData)
    //返回的数目
    keychainQuery.setObject(kSecMatchLimitOne, forKey: kSecMatchLimit)
    var keyData: CFTypeRef? = nil
    if SecItemCopyMatching(keychainQuery as CFDictionary, &keyData) == noErr {
      do {
        ret = try unarchiveObject(with: keyData as? Data ?? Data())
      } catch let e {
        print("Unarchive of \(service) failed: \(e)")
      }
    }
    return ret
  }

  //查询(带AES加密)
  /// `loadforIdentifierWithEncrypt:`; nil if there is nothing, or if it cannot be decrypted or unarchived.
  public static func load(forIdentifierWithEncrypt service: String) -> Any? {
    var ret: Any? = nil
    let retDecrypt: Data?
    let keychainQuery = getKeychainQuery(service)
    //查询的返回类型
    keychainQuery.setObject(kCFBooleanTrue as Any, forKey: kSecReturnData)
    //返回的数目
    keychainQuery.setObject(kSecMatchLimitOne, forKey: kSecMatchLimit)
    var keyData: CFTypeRef? = nil
    if SecItemCopyMatching(keychainQuery as CFDictionary, &keyData) == noErr {
      do {
        //解密
        retDecrypt = (keyData as? Data ?? Data()).AES256Decrypt(withKey: APP_PUBLIC_PASSWORD)
        //反序列化
        ret = try unarchiveObject(with: retDecrypt)
      } catch let e {
        print("Unarchive of \(service) failed: \(e)")
      }
    }

    return ret
  }

  //更新
  /// `updateKeychainValue:forIdentifier:`: false here as on Apple's systems, whose update takes no class.
  public static func updateKeychainValue(_ data: Any, forIdentifier service: String) -> Bool {
    //旧的 item
    let searchDictionary = getKeychainQuery(service)
    //创建新的item
    let updateDictionary = getKeychainQuery(service)
    updateDictionary.setObject(archivedData(withRootObject: data), forKey: kSecValueData)
    //更新新的item
    let status = SecItemUpdate(searchDictionary as CFDictionary, updateDictionary as CFDictionary)
    if status == errSecSuccess {
      return true
    }
    return false
  }

  //更新(带加密)
  /// `updateKeychainValueWithEncrypt:forIdentifier:`: likewise.
  public static func updateKeychainValueWithEncrypt(_ data: Any, forIdentifier service: String) -> Bool {
    //旧的 item
    let searchDictionary = getKeychainQuery(service)
    //创建新的item
    let updateDictionary = getKeychainQuery(service)
    //序列化
    let NSKeyData = archivedData(withRootObject: data)
    //使用密码对nsdata进行加密
    let encryptedData = NSKeyData.AES256Encrypt(withKey: APP_PUBLIC_PASSWORD)
    updateDictionary.setObject(encryptedData, forKey: kSecValueData)
    //更新新的item
    let status = SecItemUpdate(searchDictionary as CFDictionary, updateDictionary as CFDictionary)
    if status == errSecSuccess {
      return true
    }
    return false
  }

  //删除
  /// `delete:`.
  public static func delete(_ service: String) {
    let keychainQuery = getKeychainQuery(service)
    SecItemDelete(keychainQuery as CFDictionary)
  }
}
