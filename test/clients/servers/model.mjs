// The model of test/clients/servers.test.ts: the input of a request says how it goes. It prints what becomes of its output.
import { generate as shipped } from './shipped-model.mjs'

const HEADER = '<|channel|>final<|message|>'
const PIECE = 'tokens '.repeat(2_500)
/** 26 MB: more than a server and the system keep for a client that does not read. */
const PIECES = 1_500
let pulled = 0

const MODELS = {
  async *endless(say) {
    pulled = 0
    try {
      yield HEADER
      for (; pulled < PIECES; pulled++) yield PIECE
    } finally {
      say(`closed after ${pulled} of ${PIECES}`)
    }
  },
  async *pulled() {
    yield `${HEADER}${pulled}<|return|>`
  },
  async *hanging(say, signal) {
    yield `${HEADER}One`
    say('waits')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    say('stopped')
  },
  unreachable() {
    throw new Error('no engine at http://10.0.0.7')
  },
}

export function generate(request, signal) {
  const [, name] = /^(\w+)/.exec(request?.input) ?? []
  if (!Object.hasOwn(MODELS, name)) return shipped(request, signal)
  return MODELS[name]((text) => console.log(`${request.input}: ${text}`), signal)
}
