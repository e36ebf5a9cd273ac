// Prints how many milliseconds it takes to import the core, load the token table and translate a first token.
import { HELLO } from './hello.mjs'

const started = performance.now()
const { loadTokenTable, Translator } = await import('../../dist/index.js')
const translator = new Translator({ tokenTable: await loadTokenTable() })
const events = HELLO.flatMap((id) => translator.push(id))
const took = performance.now() - started
if (events.at(-1).delta !== 'Hello') throw new Error(`expected Hello, got ${events.at(-1).delta}`)
console.log(took)
