// Prints how many milliseconds it takes to load the official parser and parse a first token with it.
import { loadOfficialParser } from '../official-parser.mjs'
import { HELLO } from './hello.mjs'

const started = performance.now()
const createParser = await loadOfficialParser()
const parser = createParser()
for (const id of HELLO) parser.process(id)
const text = parser.lastContentDelta
const took = performance.now() - started
if (text !== 'Hello') throw new Error(`expected Hello, got ${text}`)
console.log(took)
