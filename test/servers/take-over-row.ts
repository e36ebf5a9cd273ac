import { expect, test } from 'vitest'
import type { ResponseRequest } from '../../src/core/responses/request.js'
import type { Entry } from '../../src/endpoint/journal/entry.js'
import { respond } from '../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../src/engines/contract/index.js'
import { collectResponse, loadTokenTable } from '../../src/index.js'
import { validatorOf } from '../support/json-schema-judge.js'
import { freeAnswer, questionOf } from './model/scripts.js'
import type { RealServer } from './server.js'
import { bodyText } from './strict-rows.js'
import { STRICT_SCHEMAS } from './strict-schemas.js'

/** Schemas whose bodies end by themselves, with characters of several tokens among them. */
const SCHEMAS = ['unicode', 'ids', 'pattern', 'listOfObjects', 'names', 'range'] as const
/** The places of a body at which another process continues it. */
const PLACES = [0.1, 0.4, 0.7, 0.9] as const

export interface TakeOver {
  readonly engine: () => TokenEngine
  readonly server: () => RealServer
  /** Starts another server in its place, behind another backend. */
  readonly startOther: () => Promise<{ readonly engine: TokenEngine; readonly stop: () => Promise<void> }>
}

/** Begins strict bodies on one backend, and continues each from several places on another, as a process that takes over. */
export function takeOverRow(from: string, to: string, { engine, server, startOther }: TakeOver): void {
  test(`strict bodies that were begun on ${from} are continued on ${to}, and are valid`, async () => {
    const begun: { readonly schema: object; readonly request: ResponseRequest; readonly entries: readonly Entry[] }[] =
      []
    for (const name of SCHEMAS) {
      const schema = STRICT_SCHEMAS[name] ?? expect.fail(`there is no schema ${name}`)
      const request: ResponseRequest = {
        ...{ model: 'gpt-oss', seed: 3, max_output_tokens: 400, input: questionOf(freeAnswer) },
        text: { format: { type: 'json_schema', name: 'body', schema, strict: true } },
      }
      begun.push({ schema, request, entries: (await bodyOf(request, engine())).entries })
    }
    await server().kill()
    const other = await startOther()
    try {
      for (const { schema, request, entries } of begun) {
        const chunks = entries.flatMap(({ type }, at) => (type === 'chunk' ? [at] : []))
        for (const place of PLACES) {
          const cut = chunks[Math.floor(chunks.length * place)] ?? 0
          const { text } = await bodyOf(request, other.engine, entries.slice(0, cut + 1))
          expect(validatorOf(schema)(JSON.parse(text)), text).toBe(true)
        }
      }
    } finally {
      await other.stop()
    }
  })
}

/** Runs a response, from the entries of another process if there are some, and returns its body and its entries. */
async function bodyOf(request: ResponseRequest, engine: TokenEngine, entries: readonly Entry[] = []) {
  const all: Entry[] = [...entries]
  const relaxed: unknown[] = []
  const running = respond(request, {
    ...{ engine, entries, tokenTable: await loadTokenTable() },
    append: (added) => void all.push(...structuredClone(added)),
    onDiagnostic: ({ code, subject }) => void (code === 'relaxed_schema' && relaxed.push(subject)),
  })
  const response = await collectResponse(running)
  const text = bodyText(response)
  expect([response.status, response.error, relaxed], `${entries.length} entries, ${text}`).toEqual([
    'completed',
    null,
    [],
  ])
  return { text, entries: all }
}
