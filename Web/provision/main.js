import { startPage } from './page.js'

startPage(document, navigator.bluetooth)
