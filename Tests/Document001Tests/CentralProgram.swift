// Objective-C's messages to nil and its casts are spelt ! here, as ports of such code are.
// swift-format-ignore-file: NeverForceUnwrap

import CoreBluetooth

// The document's central, in Swift line for line: its three view controllers, with a method for each tap and
// `reloadData` for what the document shows on the screen.

class CentralProgram: NSObject, CBCentralManagerDelegate {
  lazy var centralManager: CBCentralManager = CBCentralManager(delegate: self, queue: nil)
  var deviceListArr: [CBPeripheral] = []
  var names: [String] = []
  var peripheralVC: PeripheralVC?
  let log: (String) -> Void

  init(log: @escaping (String) -> Void) {
    self.log = log
    super.init()
    _ = centralManager
  }

  // MARK: CBCentralManagerDelegate

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn:
      // 开始扫描，传nil表示不过滤，扫描所有设备
      self.centralManager.scanForPeripherals(withServices: nil, options: nil)
    default:
      log("异常状态:\(central.state.rawValue)")
    }
  }

  // 扫描到设备后调用
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    self.deviceListArr.append(peripheral)
    self.names.append(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "")
    log("reloadData")
  }

  // 点击cell开始连接设备
  func didSelectRow(at row: Int) {
    // 停止扫描
    self.centralManager.stopScan()

    let peripheral = self.deviceListArr[row]
    log("+++++++++++++++:\(peripheral.identifier.uuidString)")

    // 连接外设 传入你搜索到的目标外设对象
    self.centralManager.connect(peripheral, options: nil)
  }

  // 连接成功
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log("连接成功...")
    let peripheralVC = PeripheralVC(peripheral: peripheral, log: log)
    self.peripheralVC = peripheralVC
    peripheralVC.viewDidLoad()
  }

  // 连接失败
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    log("连接失败...")
  }
}

class PeripheralVC: NSObject, CBPeripheralDelegate {
  let peripheral: CBPeripheral
  var servicesList: [CBService] = []
  let log: (String) -> Void

  init(peripheral: CBPeripheral, log: @escaping (String) -> Void) {
    self.peripheral = peripheral
    self.log = log
  }

  // 设置代理
  func viewDidLoad() {
    self.peripheral.delegate = self
    // 扫描所有服务
    self.peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    if let error {
      log("didDiscoverServices:\(error.localizedDescription)")
      return
    } else {
      for services in peripheral.services! {
        log("service UUID:\(services.uuid.uuidString)")
        self.servicesList.append(services)
      }
    }
    log("reloadData")
  }

  // 点击cell之后查找对应服务的特征
  func didSelectRow(at row: Int) -> CharacteristicVC {
    let service = self.servicesList[row]

    let characteristicVC = CharacteristicVC(peripheral: self.peripheral, service: service, log: log)
    characteristicVC.viewDidLoad()
    return characteristicVC
  }
}

class CharacteristicVC: NSObject, CBPeripheralDelegate {
  let peripheral: CBPeripheral
  let service: CBService
  var characteristicList: [CBCharacteristic] = []
  let log: (String) -> Void

  init(peripheral: CBPeripheral, service: CBService, log: @escaping (String) -> Void) {
    self.peripheral = peripheral
    self.service = service
    self.log = log
  }

  func viewDidLoad() {
    // 设置代理
    self.peripheral.delegate = self
    self.peripheral.discoverCharacteristics(nil, for: self.service)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    if let error {
      log("didDiscoverCharacteristicsForService:\(error.localizedDescription)")
      return
    } else {
      for cha in service.characteristics! {
        self.characteristicList.append(cha)
        switch cha.properties {
        case .read:
          log("------------------读:\(cha.uuid)")
        case .write:
          log("------------------写:\(cha.uuid)")
        case .notify:
          log("------------------订阅:\(cha.uuid)")
        default:
          log("------------------:\(cha.uuid)")
        }
      }
    }
    log("reloadData")
  }

  // 点击cell到特征操作页面，开始做数据传输
  func didSelectRow(at row: Int) -> CharacteristicHandleVC {
    let characteristic = self.characteristicList[row]

    let characteristicHandleVC = CharacteristicHandleVC(
      peripheral: self.peripheral, service: self.service, characteristic: characteristic, log: log)
    characteristicHandleVC.viewDidLoad()
    return characteristicHandleVC
  }
}

class CharacteristicHandleVC: NSObject, CBPeripheralDelegate {
  let peripheral: CBPeripheral
  let service: CBService
  let characteristic: CBCharacteristic
  var msgShowLabel = ""
  var msgTextField = ""
  let log: (String) -> Void

  init(peripheral: CBPeripheral, service: CBService, characteristic: CBCharacteristic, log: @escaping (String) -> Void)
  {
    self.peripheral = peripheral
    self.service = service
    self.characteristic = characteristic
    self.log = log
  }

  func viewDidLoad() {
    // 设置代理
    self.peripheral.delegate = self
  }

  // 读数据的回调
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    if let error { log("didUpdateValueFor error \((error as? CBATTError)?.code.rawValue ?? -1)") }
    self.msgShowLabel = String(data: characteristic.value ?? Data(), encoding: .utf8) ?? ""
    log("msgShowLabel \(self.msgShowLabel)")
  }

  // 写数据的回调
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
    if let error {
      self.msgShowLabel = "didWriteValueForCharacteristic error"
      log("didWriteValueFor error \((error as? CBATTError)?.code.rawValue ?? -1)")
    } else {
      // 读数据
      peripheral.readValue(for: characteristic)
    }
  }

  func sendMsgBtnClicked() {
    // 写数据
    let msg = self.msgTextField.count > 0 ? self.msgTextField : "无"
    self.peripheral.writeValue(msg.data(using: .utf8)!, for: self.characteristic, type: .withResponse)
  }

  // The document subscribes where it says 订阅, without showing the code.
  func subscribe(_ enabled: Bool) {
    self.peripheral.setNotifyValue(enabled, for: self.characteristic)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    log("isNotifying \(characteristic.isNotifying)")
  }

  func readDescriptors() {
    self.peripheral.discoverDescriptors(for: self.characteristic)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?)
  {
    for descriptor in characteristic.descriptors ?? [] { peripheral.readValue(for: descriptor) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {
    log("descriptor \(descriptor.uuid.uuidString) \(descriptor.value ?? "")")
  }
}
