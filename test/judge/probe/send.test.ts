import { expect, test } from 'vitest'
import { send } from '../../../src/judge/probe/send.js'
import { inTurns } from './play.js'

const REQUEST = { method: 'POST', url: 'http://localhost/', headers: new Headers(), body: '{}' } as const
const LIMITS = { timeout: 20, maxBytes: 100, signal: undefined, timer: inTurns }

/** An answer whose body comes in these pieces. */
const answering =
  (...pieces: (string | Uint8Array | Error)[]): typeof fetch =>
  async () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          const piece = pieces.shift()
          if (piece === undefined) controller.close()
          else if (piece instanceof Error) controller.error(piece)
          else controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
        },
      }),
      { headers: { 'content-type': 'Text/Event-Stream; charset=utf-8' } },
    )

test('a character that is cut in two is whole', async () => {
  const bytes = new TextEncoder().encode('🌂')
  const { text, contentType, end } = await send(answering(bytes.slice(0, 2), bytes.slice(2)), REQUEST, LIMITS)
  expect([text, contentType, end]).toEqual(['🌂', 'text/event-stream', 'whole'])
})

test('a fetch that never answers, and hears no signal, is left', async () => {
  const reply = await send(() => new Promise(() => {}), REQUEST, LIMITS)
  expect(reply).toMatchObject({ status: 0, end: 'silent' })
})

test('a fetch that fails says why', async () => {
  const failing = async (): Promise<never> => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNRESET' }) })
  }
  expect(await send(failing, REQUEST, LIMITS)).toMatchObject({ status: 0, end: 'broken', reason: 'ECONNRESET' })
})

test('a body that breaks keeps what came', async () => {
  const reply = await send(answering('data', new Error('terminated')), REQUEST, LIMITS)
  expect(reply).toMatchObject({ status: 200, text: 'data', end: 'broken', reason: 'terminated' })
})

test('a body that is too long is left', async () => {
  expect(await send(answering('x'.repeat(60), 'x'.repeat(60)), REQUEST, LIMITS)).toMatchObject({ end: 'too long' })
})

test('a body that never ends is left, although it is never silent', async () => {
  const dripping: typeof fetch = async () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setImmediate(resolve))
          controller.enqueue(new Uint8Array(0))
        },
      }),
    )
  expect(await send(dripping, REQUEST, LIMITS)).toMatchObject({ status: 200, end: 'silent' })
})

test('a signal ends a reply in the middle', async () => {
  const stop = new AbortController()
  const heard = send(answering('one', 'two'), REQUEST, { ...LIMITS, signal: stop.signal }, () => {
    stop.abort(new Error('enough'))
    return 'more'
  })
  await expect(heard).rejects.toThrow('enough')
})

test('a redirect is not followed', async () => {
  let redirect: string | undefined
  const looking: typeof fetch = async (_, init) => {
    redirect = init?.redirect
    return new Response(null, { status: 204 })
  }
  await send(looking, REQUEST, LIMITS)
  expect(redirect).toBe('manual')
})
