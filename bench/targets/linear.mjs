import { bytesOf, heapOf, ropeIn } from '../heap.mjs'
import { SEED } from '../inputs.mjs'
import { inputs, Translator, tokenTable } from '../library.mjs'
import { expect, on } from '../measure.mjs'
import { push } from '../push.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'linear',
  measures: 'one message of 10,000 to 1,000,000 tokens: time per token, and the memory that it keeps',
  target: 'time per token within 1.5 times; heap at most 1.2 times the text; no rope left behind',

  async run({ compare, size }) {
    const million = size(1_000_000, 5_000)
    const rows = memoryRows(million)

    const lengths = { '10,000': million / 100, '100,000': million / 10, '1,000,000': million }
    const messages = Object.entries(lengths).map(([name, count]) => [name, inputs.varied(count, SEED)])
    const input = Object.fromEntries(messages)
    const names = Object.keys(lengths)
    const times = await compare(
      names.map((name) => on(name, push)),
      () => input,
    )
    for (const name of names.slice(1)) {
      const note = `${times.ns(name).toFixed(0)} ns/token, beside ${times.ns(names[0]).toFixed(0)}`
      const figure = `time per token of ${name} tokens / of ${names[0]}`
      rows.push({ figure, value: times.ratio(name, names[0]), unit: 'x', atMost: 1.5, note })
    }
    return rows
  },
}

function memoryRows(count) {
  // Compiles what is about to run, so that the code does not count.
  open(inputs.varied(1_000, SEED))
  const rows = []
  for (const kind of ['varied', 'latin']) {
    const message = inputs[kind](count, SEED)
    const size = bytesOf(message.text)
    const { kept: translator, bytes } = heapOf(() => open(message))
    rows.push(rowOf(`heap of an open message, ${kind} tokens / its text`, bytes, size))

    const closed = heapOf(() => {
      translator.push(message.ids.at(-1))
      translator.end('stop')
    })
    rows.push(rowOf(`heap once it is closed, ${kind} tokens / its text`, bytes + closed.bytes, size))

    const { text } = translator.response.output[0].content[0]
    const rope = ropeIn(text)
    expect(text === message.text, 'not the text of the tokens')
    rows.push({ figure: `heap moved by flattening it / its text`, value: rope, unit: 'x', atMost: 0.05 })
  }
  expect(ropeIn(ropeOf(inputs.latin(count, SEED))) > 0.05, 'a rope that was made on purpose is not seen')
  return rows
}

/** A translator in the middle of a message, with all of its text. */
function open({ ids }) {
  const translator = new Translator({ tokenTable })
  for (let at = 0; at < ids.length - 1; at++) translator.push(ids[at])
  return translator
}

function ropeOf({ ids }) {
  let rope = ''
  for (const id of ids.slice(3, -1)) rope += tokenTable.text(id)
  return rope
}

function rowOf(figure, bytes, size) {
  return {
    figure,
    value: bytes / size,
    unit: 'x',
    atMost: 1.2,
    note: `${megabytes(bytes)}, the text ${megabytes(size)}`,
  }
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(2)} MB`
}
