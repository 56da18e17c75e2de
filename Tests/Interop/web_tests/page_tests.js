// The whole page, with Bluetooth replaced: what a person clicks, and what the page says.

import { fromHex, hex, utf8 } from '../provision/bytes.js'
import { infoUUID, rxUUID, service, txUUID } from '../provision/framing.js'
import { frame, improvService, improvUUIDs } from '../provision/improv.js'
import { startPage } from '../provision/page.js'
import { FakeBluetoothDevice, PeerDevice, expect, expectEqual, test, until } from './harness.js'

async function loadPage(bluetooth) {
  const text = await (await fetch('/provision/provision.html')).text()
  const page = new DOMParser().parseFromString(text, 'text/html')
  document.body.replaceChildren(...page.body.children)
  startPage(document, bluetooth)
  return page
}

const get = (id) => document.getElementById(id)
const progress = () => get('progress').textContent
const complaint = () => (get('error').hidden ? '' : get('error').textContent)

function secureBluetooth(peer) {
  const device = new FakeBluetoothDevice('Lamp', {
    [service]: {
      [infoUUID]: { read: async () => fromHex(peer.info) },
      [rxUUID]: {},
      [txUUID]: {
        write: async (value) => {
          for (const line of await peer.lines(`w ${hex(value)}`)) {
            const [word, rest] = line.split(' ')
            if (word === 'n') device.characteristics[rxUUID].notify(fromHex(rest))
          }
        },
      },
    },
  })
  return { device, requestDevice: async () => device }
}

function improvBluetooth() {
  const written = []
  const name = improvUUIDs
  const say = (which, bytes) => device.characteristics[name[which]].notify(bytes)
  const write = async (value) => {
    written.push(hex(value))
    if (value[0] === 4) say('result', frame(4, utf8('Home'), utf8('-50'), utf8('WPA2')))
    if (value[0] !== 1) return
    say('state', Uint8Array.of(3))
    say('state', Uint8Array.of(4))
    say('result', frame(1, utf8('javascript:alert(1)')))
  }
  const device = new FakeBluetoothDevice('Improv', {
    [improvService]: {
      [name.state]: { read: async () => Uint8Array.of(2) }, [name.error]: {}, [name.result]: {}, [name.command]: { write },
      [name.capabilities]: { read: async () => Uint8Array.of(4) },
    },
  })
  return { device, written, requestDevice: async () => device }
}

test('Page: nothing comes from elsewhere, and its policy forbids it', async () => {
  const page = await loadPage(undefined)
  const policy = page.querySelector('meta[http-equiv="Content-Security-Policy"]').content
  expect(policy.startsWith('default-src \'none\'') && !policy.includes('unsafe') && !policy.includes('http'))
  for (const element of page.querySelectorAll('[src], [href]')) {
    expect(/^[a-z]+\.(js|css)$/.test(element.getAttribute('src') ?? element.getAttribute('href')))
  }
  expect(page.querySelector('[style], style, script:not([src])') === null)
  expect(!get('unsupported').hidden && get('find-button').disabled)
})

test('Page: each field has a label', async () => {
  await loadPage(undefined)
  for (const field of document.querySelectorAll('input')) expect(field.labels.length === 1, field.id)
})

test('Page: a device is provisioned by the secure protocol, with a wrong password first', async () => {
  const bluetooth = secureBluetooth(await PeerDevice.make({ suites: [2] }))
  await loadPage(bluetooth)
  get('code').value = '3928 4756'
  get('find').requestSubmit()
  await until(() => !get('join').hidden)
  expectEqual(get('code').value, '')
  expect(get('assurance').textContent.includes('proved to each other'))
  get('scan').click()
  await until(() => document.querySelectorAll('#networks input').length === 40)
  expect(get('information').textContent.includes('Firmwaresecure_peer'))
  const rows = [...document.querySelectorAll('#networks label')]
  rows.find((row) => row.textContent.startsWith('network 0')).querySelector('input').click()
  get('password').value = 'wrong password'
  get('join').requestSubmit()
  await until(() => complaint().includes('refused the password'))
  get('password').value = 'right password'
  get('join').requestSubmit()
  await until(() => progress().includes('Done: the device is in the network network 0. Its address is 192.0.2.7.'))
  expect(progress().includes('It reaches the Internet.'))
  expectEqual([complaint(), get('password').value], ['', ''])
  get('close').click()
  await until(() => !bluetooth.device.isConnected)
})

test('Page: a wrong code ends the session and leaves nothing open', async () => {
  const bluetooth = secureBluetooth(await PeerDevice.make({ suites: [2] }))
  await loadPage(bluetooth)
  get('code').value = '39284757'
  get('find').requestSubmit()
  await until(() => complaint().includes('The code is wrong'))
  await until(() => !bluetooth.device.isConnected)
  expect(get('join').hidden && get('trust').hidden)
})

test('Page: the device of another QR code, and one without a valid INFO, are left at once', async () => {
  const text = `latchkey:v2?id=${'00'.repeat(16)}&name=Lamp&pin=39284756&protocols=secure`
  const peer = await PeerDevice.make({ suites: [2] })
  for (const [info, words] of [[peer.info, 'another device'], ['00', 'does not allow']]) {
    const bluetooth = secureBluetooth({ info, lines: (line) => peer.lines(line) })
    await loadPage(bluetooth)
    get('code').value = text
    get('find').requestSubmit()
    await until(() => complaint().includes(words))
    await until(() => !bluetooth.device.isConnected)
    expect(get('close').hidden && get('join').hidden)
  }
})

test('Page: who chooses no device keeps what was entered', async () => {
  await loadPage({ requestDevice: async () => { throw Object.assign(new Error('cancelled'), { name: 'NotFoundError' }) } })
  get('code').value = '39284756'
  get('find').requestSubmit()
  await until(() => complaint() === 'No device was chosen.')
  expectEqual(get('code').value, '39284756')
})

test('Page: a secure device asks for its code, and an Improv device is refused where a code was given', async () => {
  await loadPage(secureBluetooth(await PeerDevice.make({ suites: [2] })))
  get('find').requestSubmit()
  await until(() => complaint().includes('enter it first'))
  const improv = improvBluetooth()
  await loadPage(improv)
  get('code').value = '39284756'
  get('find').requestSubmit()
  await until(() => complaint().includes('does not know the secure protocol'))
  expectEqual(improv.written, [])
  expect(!improv.device.isConnected)
})

test('Page: Improv says that nobody vouches, and no script of a device becomes a link', async () => {
  const bluetooth = improvBluetooth()
  await loadPage(bluetooth)
  get('find').requestSubmit()
  await until(() => !get('join').hidden)
  expect(get('assurance').textContent.includes('Nobody vouches') && get('assurance').classList.contains('warning'))
  get('scan').click()
  await until(() => document.querySelector('#networks input'))
  document.querySelector('#networks input').click()
  get('password').value = 'secret123'
  get('join').requestSubmit()
  await until(() => progress().includes('Done: the device is in the network Home.'))
  expectEqual(document.querySelectorAll('a').length, 0)
  expect(progress().includes('javascript:alert(1)'))
  expectEqual(bluetooth.written.at(-1), hex(frame(1, utf8('Home'), utf8('secret123'))))
})

test('Page: a link that ends, and a choice that nobody made, are told', async () => {
  const bluetooth = secureBluetooth(await PeerDevice.make({ suites: [2] }))
  await loadPage(bluetooth)
  get('code').value = '39284756'
  get('find').requestSubmit()
  await until(() => !get('join').hidden)
  bluetooth.device.gatt.disconnect()
  await until(() => complaint().includes('connection to the device has ended'))
  bluetooth.requestDevice = async () => { throw Object.assign(new Error('cancelled'), { name: 'NotFoundError' }) }
  get('find').requestSubmit()
  await until(() => complaint() === 'No device was chosen.')
})
