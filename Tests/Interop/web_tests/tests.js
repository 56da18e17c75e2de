import { runTests, test } from './harness.js'

for (const file of ['vectors', 'secure_tests', 'improv_tests', 'page_tests']) {
  try {
    await import(`./${file}.js`)
  } catch (error) {
    test(`${file}.js is loaded`, () => { throw error })
  }
}
await runTests()
