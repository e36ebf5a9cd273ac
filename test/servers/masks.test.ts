import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { enforcedBy, sentTo } from '../../src/engines/sources/structured-outputs/fit-constraint.js'
import { atOnce } from '../../src/shared/slices.js'
import { environmentOf, FOLDER, obstacle } from './install.js'
import { everyRest } from './rests.js'
import { STRICT_BODIES } from './strict-bodies.js'
import { STRICT_SCHEMAS } from './strict-schemas.js'

/**
 * The unit of time: guidance's mask where a string may be full within twelve characters, for which it walks through most of
 * the vocabulary. 1.6 ms where a mask had to take less than a millisecond, 2.4 on a slower machine.
 */
const WALK = { backend: 'guidance', kind: 'grammar', text: 'root ::= [a-z ]{1,12}\n', body: 'a b c d e f' } as const
/** In the median over the tokens of a body, in walks: processor time, so that a busy machine counts for little. */
const MAX_WALKS = 0.6
/**
 * Known slower masks: guidance walks through all tokens where a string may be full within ten characters or has a pattern.
 * The form does not matter: one regular expression, and its own JSON Schema, take as long.
 */
const SLOW: ReadonlySet<string> = new Set(
  ['loosePattern', 'lengths', 'nullable', 'email'].map((schema) => `guidance ${schema}`),
)
const MAX_WALKS_IF_SLOW = 2
/** A rest of fewer tokens has the first mask of a call in its median, in which the library prepares the others. */
const FEW_TOKENS = 3

interface Asked {
  readonly schema: string
  readonly backend: 'xgrammar' | 'guidance'
  readonly kind: string
  readonly text: string
  readonly body: string
}

interface Timed {
  readonly masks: readonly number[]
  readonly refused: number | null
  readonly wrong: readonly string[]
  readonly error: string | null
}

const missing = obstacle('vllm')

describe.skipIf(missing !== undefined)(`masks${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  const asked = everythingSent()
  let timed: readonly Timed[] = []
  let walk = Number.NaN
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'masks-'))
    const file = join(folder, 'asked.json')
    // The machine's speed may change meanwhile.
    writeFileSync(file, JSON.stringify([WALK, ...asked, WALK]))
    const program = fileURLToPath(new URL('masks.py', import.meta.url))
    const options: ExecFileSyncOptionsWithStringEncoding = {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    }
    timed = JSON.parse(
      execFileSync(join(environmentOf('vllm'), 'bin', 'python'), [program, join(FOLDER, 'sure'), file], options),
    )
    rmSync(folder, { recursive: true })
    const walks = [timed[0], timed.at(-1)].map((one) => medianOf(one?.masks ?? []))
    walk = Math.max(...walks)
    timed = timed.slice(1, -1)
  })

  test('both libraries read all that they are sent, and allow the body', () => {
    const faults = asked.flatMap(({ schema, backend, body }, at) => {
      const { refused, error } = timed[at] ?? expect.fail('not timed')
      return refused === null && error === null ? [] : [`${backend} ${schema}: ${body}: ${error ?? refused}`]
    })
    expect(faults).toEqual([])
  })

  test('xgrammar accepts the tokens that its masks allow', () => {
    const wrong = asked.flatMap(({ schema, body }, at) => {
      const { wrong: found } = timed[at] ?? expect.fail('not timed')
      return found.map((one) => `${schema}: ${body}: ${one}`)
    })
    expect(wrong).toEqual([])
  })

  test('the mask of a token takes 0.6 walks at most, except for the known slower ones', () => {
    expect(walk).toBeGreaterThan(0)
    const longest = new Map<string, number>()
    const slow = asked.flatMap(({ schema, backend, body }, at) => {
      const masks = timed[at]?.masks ?? []
      const walks = medianOf(masks) / walk
      const name = `${backend} ${schema}`
      longest.set(name, Math.max(longest.get(name) ?? 0, walks))
      const most = SLOW.has(name) || masks.length < FEW_TOKENS ? MAX_WALKS_IF_SLOW : MAX_WALKS
      return walks <= most ? [] : [`${name}: ${body}: ${walks}`]
    })
    const shown = [...longest]
      .filter(([, walks]) => walks > MAX_WALKS)
      .map(([name, walks]) => `${name} ${walks.toFixed(2)}`)
    console.log(
      `masks of more than ${MAX_WALKS} walks of ${walk.toFixed(2)} ms: ${shown.join(', ') || 'none'}; the median of all: ` +
        `${medianOf(timed.flatMap(({ masks }) => masks)).toFixed(3)} ms`,
    )
    expect(slow).toEqual([])
  })
})

/** Longer than xgrammar counts in one repetition. */
const LONG_STRING = {
  schema: {
    ...{ type: 'object', required: ['s'], additionalProperties: false },
    properties: { s: { type: 'string', minLength: 60, maxLength: 300 } },
  },
  body: { s: 'A text of some sentences. It is long. '.repeat(5) },
}

/** What each backend is sent for each schema, and for the rest of a body from each of its tokens on. */
function everythingSent(): readonly Asked[] {
  const bodies = [...Object.entries(STRICT_BODIES), ['longString', LONG_STRING.body] as const]
  const whole = bodies.map(([schema, body]) => ({
    schema,
    after: JSON.stringify(body),
    constraint: { jsonSchema: schema === 'longString' ? LONG_STRING.schema : (STRICT_SCHEMAS[schema] ?? {}) },
  }))
  return (['xgrammar', 'guidance'] as const).flatMap((backend) => {
    const held = enforcedBy(backend, { hasLark: true })
    return [...whole, ...everyRest()].map(({ schema, after, constraint: given }): Asked => {
      const { constraint } = atOnce(held.fit?.(given) ?? raise('it fits nothing'))
      const sent = sentTo(backend, constraint ?? raise(`${schema}: nothing is held`))
      const text = sent.kind === 'json' ? JSON.stringify(sent.schema) : sent.text
      return { schema, backend, kind: sent.kind, text, body: after }
    })
  })
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}

function raise(message: string): never {
  throw new Error(message)
}
