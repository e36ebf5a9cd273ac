import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../src/core/responses/request.js'
import type { ResponseObject } from '../../src/core/responses/response.js'
import { respond } from '../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../src/engines/contract/index.js'
import { collectResponse, loadTokenTable } from '../../src/index.js'
import { longestBlank } from './blanks.js'
import { bySchema, enforcedBy } from './enforced.js'
import { freeAnswer, freeCall, questionOf } from './model/scripts.js'
import { STRICT_SCHEMAS, UNBOUNDED } from './strict-schemas.js'

/** How long a body may become, in tokens. */
const MAX = 250
/** How long all bodies of a seed may take: a minute on a quiet machine, and several where others work. */
const PATIENCE_MS = 1_800_000
/** A server batches so many. */
const AT_ONCE = 17

interface Body {
  readonly text: string
  readonly isComplete: boolean
  readonly relaxed: readonly string[]
}

export interface StrictRowsOptions {
  /** By name. Default: one of each kind that users write. */
  readonly schemas?: Readonly<Record<string, object>>
  /** Returns the part of an unfinished body that shows what the model wrote. Default: all of it. */
  readonly known?: (text: string) => string
}

/**
 * Bodies of a model that draws each token at random, so that it violates every unenforced keyword. One case for each
 * schema as the format of an answer, and as the parameters of a function.
 *
 * @param notHeld - the reported unsupported keywords
 */
export function strictRows(
  name: string,
  engine: () => TokenEngine,
  seeds: readonly number[],
  notHeld: readonly string[],
  { schemas = STRICT_SCHEMAS, known = (text: string): string => text }: StrictRowsOptions = {},
): void {
  describe(`a model that keeps nothing by itself, on ${name}`, () => {
    const cases = seeds.flatMap((seed) =>
      Object.entries(schemas).flatMap(([schema, value]) => [
        { id: `${schema} as format, seed ${seed}`, seed, name: schema, schema: value, as: 'format' as const },
        { id: `${schema} as function, seed ${seed}`, seed, name: schema, schema: value, as: 'function' as const },
      ]),
    )
    const bodies = new Map<string, Promise<Body>>()
    const order = [...cases]

    /** Several at once, as many as the server batches, independent of the test that waits. */
    async function begin(): Promise<void> {
      for (let next = order.shift(); next !== undefined; next = order.shift()) {
        const body = bodyOf(next, engine())
        bodies.set(next.id, body)
        await body.catch(() => {})
      }
    }
    const working = new Promise<void>((resolve) => setImmediate(resolve))

    test(`all bodies on ${name} are written`, { timeout: seeds.length * PATIENCE_MS }, async () => {
      await working
      await Promise.all(Array.from({ length: AT_ONCE }, begin))
      const settled = await Promise.allSettled(bodies.values())
      expect(settled.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))).toEqual([])
      const written = await Promise.all(bodies.values())
      const complete = written.filter(({ isComplete }) => isComplete).length
      console.log(`${name}: ${complete} of ${written.length} bodies are complete`)
      // White space without an end would leave most unfinished, and each of those the beginning of a valid body. Where
      // a length is not enforced, texts have no end either.
      const whole = written.filter(({ relaxed }) => relaxed.length === 0)
      expect(whole.filter(({ isComplete }) => isComplete).length).toBeGreaterThan(whole.length / 2)
    })

    test(`only the documented exceptions are not held on ${name}`, async () => {
      const relaxed = await Promise.all(bodies.values())
      expect([...new Set(relaxed.flatMap((body) => body.relaxed.map((one) => one.replace(/^.*: /, ''))))]).toEqual(
        notHeld,
      )
    })

    test.each(cases)('a body is valid, or the beginning of a valid one: $id', async ({ id, name, schema }) => {
      const body = (await bodies.get(id)) ?? expect.fail('it was not written')
      if (body.isComplete) JSON.parse(body.text)
      expect(longestBlank(body.text), body.text).toBeLessThanOrEqual(9)
      if (!body.isComplete && body.relaxed.length === 0) expect(UNBOUNDED, body.text).toContain(name)
      // Keywords that are reported as unsupported may be violated, but not the others.
      const { allows, isBeginning } = body.relaxed.length > 0 ? await enforcedBy(engine(), schema) : bySchema(schema)
      expect(body.isComplete ? allows(body.text) : isBeginning(known(body.text)), body.text).toBe(true)
    })
  })
}

async function bodyOf(
  { seed, schema, as }: { readonly seed: number; readonly schema: object; readonly as: 'format' | 'function' },
  engine: TokenEngine,
): Promise<Body> {
  const relaxed: string[] = []
  const errors: unknown[] = []
  const request = {
    ...{ model: 'gpt-oss', seed, max_output_tokens: MAX },
    ...(as === 'format'
      ? {
          input: questionOf(freeAnswer),
          text: { format: { type: 'json_schema', name: 'body', schema, strict: true } },
        }
      : {
          input: questionOf(freeCall),
          tools: [{ type: 'function', name: 'emit', parameters: schema, strict: true }],
        }),
  } as ResponseRequest
  const response = await collectResponse(
    respond(request, {
      engine,
      tokenTable: await loadTokenTable(),
      onError: (error) => void errors.push(error),
      onDiagnostic: ({ code, subject = '' }) => void (code === 'relaxed_schema' && relaxed.push(subject)),
    }),
  )
  // The text before a failure is the beginning of a valid body, too.
  if (errors.length > 0) throw errors[0]
  if (response.error) throw new Error(`${as}: ${JSON.stringify(response.error)}`)
  return { text: bodyText(response), isComplete: response.status === 'completed', relaxed }
}

/** The text of the last item of a response: the answer, or the arguments of a call. */
export function bodyText({ error, output }: ResponseObject): string {
  const item = output.at(-1)
  if (item?.type === 'function_call') return item.arguments
  if (item?.type !== 'message') return expect.fail(JSON.stringify(error ?? output))
  return item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('')
}
