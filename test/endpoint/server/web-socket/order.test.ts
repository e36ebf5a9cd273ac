import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { serveResponses } from '../../../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../../../src/index.js'
import { answer, fail, firstTokens, scriptedEngine, think } from '../../../../src/testing/index.js'
import { runs } from '../../../support/runs.js'
import { connectTo, create, type Frame, faultsIn, isTerminal, textOf } from './sockets.js'

/** A client's messages, and their answers. */
interface Sent {
  readonly kind: 'answer' | 'fail' | 'invalid' | 'unknown id' | 'no json'
  readonly lane: string | undefined
}

const anyScript: fc.Arbitrary<Sent[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Sent['kind'][]>('answer', 'answer', 'fail', 'invalid', 'unknown id', 'no json'),
    lane: fc.constantFrom(undefined, 'a', 'b'),
  }),
  { minLength: 1, maxLength: 12 },
)

const ENDINGS: Readonly<Record<Sent['kind'], string>> = {
  answer: 'response.completed',
  fail: 'response.failed',
  invalid: 'error',
  'unknown id': 'error',
  'no json': 'error',
}

function messageOf({ kind, lane }: Sent, index: number): unknown {
  const stream_id = lane === undefined ? {} : { stream_id: lane }
  if (kind === 'no json') return `{"number":${index}`
  if (kind === 'invalid') return create(`${index}`, { ...stream_id, temperature: 9 })
  if (kind === 'unknown id') return create(`${index}`, { ...stream_id, previous_response_id: 'resp_none' })
  return create(`${kind} ${index}`, { ...stream_id, store: index % 2 === 0 })
}

/** The frames of one lane, cut behind each terminal one. */
function answersOf(frames: readonly Frame[]): Frame[][] {
  const answers: Frame[][] = [[]]
  for (const frame of frames) {
    answers.at(-1)?.push(frame)
    if (isTerminal(frame)) answers.push([])
  }
  expect(answers.pop()).toEqual([])
  return answers
}

test('whatever a client sends, each lane has one answer for each message, whole and in their order', async () => {
  const engine = scriptedEngine(({ messages }) => {
    const text = String(messages.at(-1)?.content)
    return text.startsWith('fail') ? [think('Hm.'), firstTokens(4, answer(text)), fail()] : [think('Hm.'), answer(text)]
  })
  const server = await serveResponses({ engine, tokenTable: await loadTokenTable(), port: 0, onError: () => {} })
  const property = fc.asyncProperty(anyScript, async (script) => {
    const client = await connectTo(server)
    for (const [index, sent] of script.entries()) client.send(messageOf(sent, index))
    const frames: Frame[] = []
    while (frames.filter(isTerminal).length < script.length) frames.push(await client.frame())
    client.socket.close()
    expect(await client.closed).toBe(1005)
    for (const lane of [undefined, 'a', 'b']) {
      // What is no JSON has no lane.
      const sent = [...script.entries()].filter(
        ([, { kind, lane: own }]) => (kind === 'no json' ? undefined : own) === lane,
      )
      const answers = answersOf(frames.filter(({ stream_id }) => stream_id === lane))
      expect(answers.map((frames) => frames.at(-1)?.type)).toEqual(sent.map(([, { kind }]) => ENDINGS[kind]))
      for (const [at, [index, { kind }]] of sent.entries()) {
        const frames = answers[at] ?? []
        if (ENDINGS[kind] === 'error') expect(frames).toHaveLength(1)
        else expect(faultsIn(frames)).toEqual([])
        if (kind === 'answer') expect(textOf(frames)).toBe(`answer ${index}`)
      }
    }
  })
  try {
    await fc.assert(property, { numRuns: runs(100) })
  } finally {
    await server.close({ graceMs: 0 })
  }
})
