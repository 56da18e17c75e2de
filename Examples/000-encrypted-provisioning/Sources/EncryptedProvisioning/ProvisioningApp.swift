// Objective-C's messages to nil are spelled ! here, as ports of such code are.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import CoreBluetooth

/// How a provisioning ended.
public enum ProvisioningEnd: Equatable, Sendable {
  /// The device's answer, without the zero bytes that it was filled with.
  case answered(String)
  /// Bluetooth is off, or there is none.
  case noRadio
  /// What went wrong, in a sentence.
  case failed(String)
}

/// The document's app: the seven callbacks of its flow in their order, and the steps between them.
///
/// A device with F200 gets its text encrypted (F201, answers by F202); a device with F100 alone gets it in the clear (F101, F102).
public final class ProvisioningApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var centralManager: CBCentralManager!
  private let name: String
  private let message: String
  private let log: (String) -> Void
  private let end: (ProvisioningEnd) -> Void
  private let limit: DispatchTimeInterval
  private var isDone = false
  /// How it ended, while the connection is being ended.
  private var result: ProvisioningEnd?
  /// What happens when the device takes too long.
  private var alarm: DispatchWorkItem?

  private var peripheral: CBPeripheral?
  private var isEncrypted = false
  private var writeCharacteristic: CBCharacteristic?
  private var readCharacteristic: CBCharacteristic?

  private var clientPublicKey = ""
  private var clientPrivateKey = ""
  private var aesKey: String?
  /// Hexadecimal of what has come of a frame.
  private var received = ""

  /// Begins at once.
  ///
  /// - Parameters:
  ///   - name: the device's, as it advertises itself.
  ///   - message: what the device is to be told.
  ///   - options: of the manager.
  ///   - limit: how long the device may take to be found, and then to answer.
  ///   - log: called with each step.
  ///   - end: called once.
  public init(
    name: String, message: String, options: [String: Any]? = nil, limit: DispatchTimeInterval = .seconds(30),
    log: @escaping (String) -> Void,
    end: @escaping (ProvisioningEnd) -> Void
  ) {
    self.name = name
    self.message = message
    self.limit = limit
    self.log = log
    self.end = end
    super.init()
    centralManager = CBCentralManager(delegate: self, queue: nil, options: options)
  }

  /// Ends the connection before it tells how it ended: a program that ends then would leave the device with a dead link.
  private func finish(_ result: ProvisioningEnd) {
    guard !isDone else { return }
    isDone = true
    self.result = result
    if centralManager.isScanning { centralManager.stopScan() }
    guard let peripheral, peripheral.state != .disconnected else { return leave() }
    wait(.seconds(2)) { $0.leave() }
    centralManager.cancelPeripheralConnection(peripheral)
  }

  private func leave() {
    guard let result else { return }
    self.result = nil
    alarm?.cancel()
    end(result)
  }

  private func wait(_ time: DispatchTimeInterval, then act: @escaping (ProvisioningApp) -> Void) {
    alarm?.cancel()
    let alarm = DispatchWorkItem { [weak self] in if let self { act(self) } }
    self.alarm = alarm
    DispatchQueue.main.asyncAfter(deadline: .now() + time, execute: alarm)
  }

  // 1、扫描ble蓝牙
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return isDone ? leave() : finish(.noRadio) }
    guard !isDone else { return }
    log("scanning")
    wait(limit) { $0.finish(.failed("no device named \($0.name) was found: is it on, and near?")) }
    central.scanForPeripherals(withServices: nil, options: nil)
  }

  // 发现外设回调
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == name else { return }
    log("discovered \(name)")
    self.peripheral = peripheral
    central.stopScan()
    wait(limit) { $0.finish(.failed("the device takes too long to answer: try again")) }
    // 2、连接外设
    central.connect(peripheral, options: nil)
  }

  // 连接成功回调
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log("connected")
    peripheral.delegate = self
    // 3、连接成功后发现去发现服务
    peripheral.discoverServices(nil)
  }

  // 连接失败回调
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
  ) {
    isDone ? leave() : finish(.failed("no connection: \(error?.localizedDescription ?? "")"))
  }

  // 断开连接回调
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {
    guard isDone else { return finish(.failed("the connection was lost: \(error?.localizedDescription ?? "")")) }
    log("disconnected")
    leave()
  }

  // 发现服务回调
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    if let error { return finish(.failed("no services: \(error.localizedDescription)")) }
    // 如果发现的服务中包含了F200的服务，则SDK需要执行加密流程
    let encrypted = peripheral.services!.first { $0.uuid == CBUUID(string: "F200") }
    let plain = peripheral.services!.first { $0.uuid == CBUUID(string: "F100") }
    guard let service = encrypted ?? plain else { return finish(.failed("the device has neither F200 nor F100")) }
    isEncrypted = encrypted != nil
    log("service \(service.uuid.uuidString)")
    // 4、发现服务的特征
    peripheral.discoverCharacteristics(nil, for: service)
  }

  // 发现特征回调
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    if let error { return finish(.failed("no characteristics: \(error.localizedDescription)")) }
    let (write, read) = isEncrypted ? ("F201", "F202") : ("F101", "F102")
    writeCharacteristic = service.characteristics!.first { $0.uuid == CBUUID(string: write) }
    readCharacteristic = service.characteristics!.first { $0.uuid == CBUUID(string: read) }
    guard writeCharacteristic != nil, let readCharacteristic else {
      return finish(.failed("the service lacks \(write) or \(read)"))
    }
    peripheral.setNotifyValue(true, for: readCharacteristic)
  }

  // The answers come by 读特征, which the document does not show.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    if let error { return finish(.failed("no answers: \(error.localizedDescription)")) }
    isEncrypted ? sendPublicKey() : send(Data(message.utf8))
  }

  /// 2.2: the key pair, and the public key without its 04 after type and length.
  private func sendPublicKey() {
    // 设置ECDH椭圆曲线类型为secp192k1
    GMSm2Utils.setEllipticCurveType(711)

    // 获取秘钥对
    let clientKey = GMSm2Utils.createKeyPair()

    // 49位公钥
    self.clientPublicKey = clientKey[0].replacingOccurrences(of: " ", with: "")
    // 32位私钥
    self.clientPrivateKey = clientKey[1].replacingOccurrences(of: " ", with: "")

    // 去掉04，拼接类型+长度，得到需要发送给设备的公钥数据
    let resultPublicKey = "100030\(self.clientPublicKey.dropFirst(2))"

    log("sends its public key")
    send(AESTool.convertHexStr(toData: resultPublicKey)!)
  }

  // 5、发送数据
  private func send(_ data: Data) {
    peripheral!.writeValue(data, for: writeCharacteristic!, type: .withResponse)
  }

  // 数据写入成功回调
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    if let error { return finish(.failed("the device refuses: \(error.localizedDescription) Try again.")) }
    log("written")
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    if let error { return finish(.failed("no answer: \(error.localizedDescription)")) }
    let value = characteristic.value ?? Data()
    guard isEncrypted else { return finish(.answered(String(decoding: value, as: UTF8.self))) }
    received += AESTool.convertData(toHexStr: value)
    // 类型（一个字符）长度（2个字符）: a frame may come in several values.
    guard received.count >= 6, let length = Int(received.dropFirst(2).prefix(4), radix: 16) else { return }
    guard received.count >= 6 + 2 * length else { return }
    let frame = received
    received = ""
    take(frame)
  }

  private func take(_ dataStr: String) {
    switch dataStr.prefix(2) {
    case "11":
      // 拿到设备发送过来的公钥后，再结合SDK自己生成的私钥进行秘钥协商，得到加密Key
      self.aesKey = GMSm2Utils.computeECDH("04\(dataStr.dropFirst(6))", privateKey: self.clientPrivateKey)
      guard let aesKey, let text = AESTool.aes128Encrypt(withContent: message, key: aesKey) else {
        return finish(.failed("the device's public key is none"))
      }
      log("sends its text, encrypted")
      let length = String(format: "%04x", text.count / 2)
      send(AESTool.convertHexStr(toData: "20\(length)\(text)")!)
    case "21":
      guard let aesKey, let text = AESTool.aes128Dencrypt(withContent: String(dataStr.dropFirst(6)), key: aesKey) else {
        return finish(.failed("the device's answer cannot be decrypted"))
      }
      finish(.answered(String(text.prefix { $0 != "\0" })))
    default:
      finish(.failed("the device's answer has the unknown type \(dataStr.prefix(2))"))
    }
  }
}
