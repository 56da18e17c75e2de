// The page: what a person enters, and what the sessions report. Texts of a device are shown as text, its links only when they lead to
// a web page.

import { utf8 } from './bytes.js'
import { parseCode } from './code.js'
import { connect, findDevice, open } from './gatt.js'

const assurances = {
  postQuantum: 'The device and this page have proved to each other that they know the code. What you send is encrypted, and stays secret even from somebody who records it and one day has a quantum computer.',
  secure: 'The device and this page have proved to each other that they know the code. What you send is encrypted.',
  improv: 'Nobody vouches for this device, and nothing is encrypted: anybody in range can read the password of your network. Go on only if that is all right.',
}

export function startPage(root, bluetooth) {
  new Page(root, bluetooth)
}

class Page {
  constructor(root, bluetooth) {
    this.root = root
    this.bluetooth = bluetooth
    this.networks = []
    this.session = null
    this.on('find', 'submit', () => this.find())
    this.on('join', 'submit', () => this.join())
    this.on('join', 'change', () => this.choiceChanged())
    this.on('scan', 'click', () => this.scan())
    this.on('identify', 'click', () => this.session?.identify())
    this.on('close', 'click', () => this.close('Disconnected.'))
    for (const [box, field] of [['show-code', 'code'], ['show-password', 'password']]) {
      this.on(box, 'change', () => { this.get(field).type = this.get(box).checked ? 'text' : 'password' })
    }
    if (!bluetooth) {
      this.show('unsupported')
      this.get('find-button').disabled = true
    }
  }

  get(id) {
    return this.root.getElementById(id)
  }

  on(id, kind, action) {
    this.get(id).addEventListener(kind, (event) => {
      if (kind === 'submit') event.preventDefault()
      return action()
    })
  }

  show(id, isShown = true) {
    this.get(id).hidden = !isShown
  }

  say(words) {
    const item = this.root.createElement('li')
    item.textContent = words
    this.get('progress').append(item)
    return item
  }

  complain(words) {
    this.get('error').textContent = words
    this.show('error', words !== '')
  }

  async find() {
    this.complain('')
    let wanted = null
    try {
      if (this.get('code').value.trim() !== '') wanted = parseCode(this.get('code').value)
    } catch (error) {
      return this.complain(error.message)
    }
    this.session?.close()
    this.session = null
    this.forgetDevice()
    this.get('find-button').disabled = true
    this.hasFailed = false
    let device = null
    try {
      device = await findDevice(this.bluetooth)
      this.say(`Connecting to ${device.name || 'the device'}…`)
      const found = await connect(device)
      if (found.kind === 'improv' && wanted !== null) {
        throw new Error('This device does not know the secure protocol, but the device with your code does. Find that one, or leave the code empty if you know that it is this one.')
      }
      if (found.kind === 'secure' && wanted === null) throw new Error('This device has a code: enter it first. It is on the device, its label or its screen.')
      this.kind = found.kind
      const session = await open(device, found, { ...wanted, report: (event) => this.happened(event) })
      // It may have failed before there was anything to close.
      if (this.hasFailed) return session.close()
      this.session = session
      this.show('close')
      this.askInformation()
    } catch (error) {
      device?.gatt.disconnect()
      if (error.name === 'NotFoundError' && device === null) this.complain('No device was chosen.')
      else this.complain(error.message)
    } finally {
      this.get('find-button').disabled = false
    }
  }

  happened(event) {
    switch (event.event) {
      case 'authorize':
        return this.say('Press the button on the device.')
      case 'opened':
        return this.opened(event)
      case 'networks':
        return this.listNetworks(event.networks)
      case 'network':
        return this.networkChanged(event.status)
      case 'information':
        return this.showInformation(event.information)
      case 'done':
        return event.name === 'identify' ? this.say('The device shows itself.') : undefined
      case 'requestFailed':
        this.busy(false)
        return this.complain(`That did not work: ${event.words}.`)
      case 'failed':
        this.hasFailed = true
        this.complain(event.words)
        return this.close('')
    }
  }

  opened({ postQuantum, capabilities }) {
    this.get('code').value = ''
    const words = this.kind === 'improv' ? assurances.improv : postQuantum ? assurances.postQuantum : assurances.secure
    this.get('assurance').textContent = words
    this.get('assurance').classList.toggle('warning', this.kind === 'improv')
    this.show('trust')
    this.show('identify', (capabilities & 2) !== 0)
    this.show('scan', (capabilities & 1) !== 0)
    this.show('join')
    this.say('The session is open.')
    this.get('scan').focus()
    this.hasInformation = (capabilities & 4) !== 0
    this.askInformation()
  }

  // A session may open before `open` has returned.
  askInformation() {
    if (!this.hasInformation || this.session === null) return
    this.hasInformation = false
    this.session.information()
  }

  scan() {
    this.busy(true)
    this.complain('')
    this.say('The device looks for networks…')
    this.session?.scan()
  }

  listNetworks(networks) {
    this.busy(false)
    this.networks = networks.filter((network) => network.ssid.length > 0)
    this.get('networks').replaceChildren(...this.networks.map((network, place) => this.networkRow(network, place)))
    this.say(`The device sees ${this.networks.length} networks.`)
    this.get('networks').querySelector('input')?.focus()
  }

  networkRow(network, place) {
    const [label, input, name, signal] = ['label', 'input', 'span', 'span'].map((tag) => this.root.createElement(tag))
    label.className = 'network'
    Object.assign(input, { type: 'radio', name: 'network', value: String(place) })
    name.textContent = network.name
    signal.className = 'signal'
    const bars = network.rssi >= -55 ? 'strong' : network.rssi >= -70 ? 'good' : 'weak'
    signal.textContent = `${network.security}, ${bars} (${network.rssi} dBm)`
    label.append(input, name, signal)
    return label
  }

  get choice() {
    return this.root.querySelector('input[name="network"]:checked')?.value ?? null
  }

  choiceChanged() {
    this.show('other-fields', this.choice === 'other')
    const network = this.networks[this.choice]
    this.get('password').disabled = network !== undefined && !network.needsPassword
  }

  join() {
    this.complain('')
    const isOther = this.choice === 'other'
    const network = this.networks[this.choice]
    if (!isOther && network === undefined) return this.complain('Choose a network first.')
    const ssid = isOther ? utf8(this.get('name').value) : network.ssid
    const password = this.get('password').disabled ? new Uint8Array() : utf8(this.get('password').value)
    if (ssid.length < 1 || ssid.length > 32) return this.complain('The name of a network has 1 to 32 bytes.')
    if (network?.needsPassword && password.length === 0) return this.complain('This network needs a password.')
    if (password.length > 128) return this.complain('The password is too long.')
    this.busy(true)
    this.say(`Sending the network and its password to the device${this.kind === 'improv' ? ', in the clear' : ''}…`)
    this.hasAsked = true
    this.session?.join(ssid, password, isOther && this.get('hidden-network').checked)
    password.fill(0)
  }

  networkChanged(status) {
    // What the device was doing before this page asked for anything is no news.
    if (!this.hasAsked) {
      if (status.state === 'connected') this.say(`The device is in the network ${status.name}.`)
      return
    }
    if (status.state === 'connecting') return this.say('The device joins the network…')
    this.busy(false)
    if (status.state === 'failed') return this.complain(`The device is not in the network: ${status.words}. Try again.`)
    if (status.state !== 'connected') return
    this.get('password').value = ''
    const address = status.address === '' ? '' : ` Its address is ${status.address}.`
    this.linkPage(this.say(`Done: the device is in the network ${status.name}.${address} ${status.reach}`.trim()), status.page)
  }

  // A page that the device names: a link if it leads to the Web, else its text.
  linkPage(item, page) {
    if (page === '') return
    item.append(' It says that its page is ')
    const address = URL.canParse(page) ? new URL(page) : null
    if (address === null || !['http:', 'https:'].includes(address.protocol)) return item.append(page)
    const link = this.root.createElement('a')
    Object.assign(link, { href: address.href, textContent: address.href, rel: 'noopener noreferrer', target: '_blank' })
    item.append(link)
  }

  showInformation(information) {
    const names = { firmware: 'Firmware', version: 'Version', hardware: 'Hardware', name: 'Name', system: 'System', systemVersion: 'Its version' }
    const rows = Object.entries(information).filter(([, value]) => value !== '').flatMap(([name, value]) => {
      const [term, description] = ['dt', 'dd'].map((tag) => this.root.createElement(tag))
      term.textContent = names[name]
      description.textContent = value
      return [term, description]
    })
    this.get('information').replaceChildren(...rows)
  }

  busy(isBusy) {
    for (const id of ['scan', 'join-button', 'identify']) this.get(id).disabled = isBusy
  }

  close(words) {
    this.session?.close()
    this.session = null
    this.forgetDevice()
    this.get('code').value = ''
    if (words !== '') this.say(words)
  }

  forgetDevice() {
    this.networks = []
    this.hasAsked = false
    this.hasInformation = false
    this.busy(false)
    for (const id of ['trust', 'join', 'close']) this.show(id, false)
    this.get('networks').replaceChildren()
    this.get('information').replaceChildren()
    this.get('password').value = ''
  }
}
