// Prints how many milliseconds it takes to import gpt-tokenizer's encoding and decode a first token with it.
import { HELLO } from './hello.mjs'

const started = performance.now()
const { decode } = await import('gpt-tokenizer/encoding/o200k_harmony')
const text = decode(HELLO.slice(-1))
const took = performance.now() - started
if (text !== 'Hello') throw new Error(`expected Hello, got ${text}`)
console.log(took)
