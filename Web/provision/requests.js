// The bodies of requests and responses of the secure protocol.

import { Malformed, Reader, concat, utf8 } from './bytes.js'

export const statusWords = {
  1: 'the device has no such function', 2: 'the device does not accept these values', 3: 'the device is busy',
  4: 'the device cannot do this', 5: 'there is nothing to do now',
}

const failureWords = {
  1: 'the network refused the password', 2: 'there is no network of this name in reach of the device',
  3: 'the network gave the device no address', 4: 'joining took too long', 5: 'the device has no working radio',
  6: 'the device may not change its network',
}

const reachWords = ['', 'It reaches the Internet.', 'The network shows a page that asks to log in.', 'It does not reach the Internet.']

const securityNames = ['open', 'WEP', 'WPA', 'WPA2', 'WPA/WPA2', 'WPA2 Enterprise', 'WPA3', 'WPA2/WPA3', 'WAPI', 'open, encrypted']

export const securityName = (number) => securityNames[number] ?? 'protected'
export const needsPassword = (number) => number !== 0 && number !== 9

export function encodeRequest(id, name, body) {
  return concat(Uint8Array.of(id, name.length), utf8(name), body)
}

export function parseScan(body) {
  const reader = new Reader(body)
  const [total, start, count] = reader.take(3)
  if (total > 64 || start + count > total || (count === 0 && start < total)) throw new Malformed('the numbers of a page')
  const networks = []
  for (let place = 0; place < count; place += 1) {
    const [signal, security] = reader.take(3)
    reader.take(6)
    const length = reader.byte()
    if (length > 32) throw new Malformed('the name of a network')
    const ssid = reader.take(length)
    const rssi = signal > 127 ? signal - 256 : signal
    if (rssi > 0 || rssi < -127) throw new Malformed('the strength of a signal')
    networks.push({ rssi, security: securityName(security), needsPassword: needsPassword(security), ssid, name: new TextDecoder().decode(ssid) })
  }
  reader.end()
  return { total, start, networks }
}

// Credentials, to be applied at once.
export function encodeConfig(ssid, password, isHidden) {
  const kind = password.length > 0 ? 1 : 0
  return concat(
    Uint8Array.of(kind, 2 | (isHidden ? 1 : 0), 0), new Uint8Array(6), Uint8Array.of(ssid.length), ssid,
    Uint8Array.of(password.length), password)
}

// `{ state: 'idle' | 'connecting' | 'connected' | 'failed', … }`
export function parseStatus(body) {
  const reader = new Reader(body)
  const state = reader.byte()
  let status
  if (state === 0) status = { state: 'idle' }
  else if (state === 1) status = { state: 'connecting' }
  else if (state === 2) {
    const [reach] = reader.take(3)
    reader.take(6)
    const length = reader.byte()
    if (length < 1 || length > 32) throw new Malformed('the name of a network')
    const name = new TextDecoder().decode(reader.take(length))
    status = { state: 'connected', name, reach: reachWords[reach] ?? '', address: reader.text(45), page: reader.text(200) }
  } else if (state === 3) status = { state: 'failed', words: failureWords[reader.byte()] ?? 'the device could not join' }
  else throw new Malformed('the state of a network')
  reader.end()
  return status
}

export function parseInformation(body) {
  const reader = new Reader(body)
  const names = ['firmware', 'version', 'hardware', 'name', 'system', 'systemVersion']
  const information = Object.fromEntries(names.map((name) => [name, reader.text(64)]))
  reader.end()
  return information
}
