import { SPECIAL } from '../../core/harmony/vocabulary.js'
import type { Profile } from '../../judge/conformance/index.js'
import { asFields, type StreamEvent } from '../../judge/conformance/stream-event.js'
import { callOutput, callsIn, userMessage } from '../../judge/probe/items.js'
import { HarmonyResponsesError } from '../../shared/errors.js'
import type { Fields } from '../../shared/fields.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, anything, aString } from '../../shared/options/checks.js'
import { type ModelScript, modelTurns } from './model-turns.js'
import { type ReadAnswer, readAnswer } from './read-answer.js'

/** Options of {@link playOnServer}. */
export interface PlayOnServerOptions {
  /** The path of the hook that takes the tokens. Default `/script`. */
  readonly hook?: string
  /** The path of the Responses API. Default `/v1/responses`. */
  readonly path?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Changes the body of a request before it is sent: around a fault that would hide others. */
  readonly prepare?: (body: Readonly<Record<string, unknown>>) => object
  /** The standard for streams, besides the clients. Default `openai`. */
  readonly profile?: Profile
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch
}

const PLAY_ON_OPTIONS: OptionTable<PlayOnServerOptions> = {
  hook: aString,
  path: aString,
  // Fetch checks them.
  headers: anything,
  prepare: aFunction,
  // The checker names what it does not know.
  profile: anything,
  fetch: aFunction,
}

/** `<|channel|>final<|message|>OK<|return|>`: the answer to a call that is the last of its script. */
const LAST_ANSWER: readonly number[] = [SPECIAL.channel, 17196, SPECIAL.message, 5175, SPECIAL.return]

/** The output of every function. */
const OUTPUT = '{"ok":true}'

/**
 * Plays what a model writes on a running server whose model takes scripted tokens, in any language (docs/testing.md has the
 * hook of ten lines): posts the tokens of all turns to the hook, sends the request, and reads the streamed answer. While the
 * answer calls functions and the script has turns, the items go back with the functions' outputs, as agents do it. One script
 * at a time.
 *
 * @param url - `http://127.0.0.1:9471`
 * @returns plays a script, and resolves to the answer of each request
 * @throws HarmonyResponsesError `bad_option`; the returned function rejects with it where the hook does not answer with
 *   200 to 299, or where the hook or the API gives no answer at all: that is no finding
 *
 * @example
 * ```ts
 * import { playOnServer } from 'harmony-responses/testing'
 *
 * const play = playOnServer('http://127.0.0.1:9471', { hook: '/script' })
 * console.log(typeof play) // function
 * ```
 */
export function playOnServer(
  url: string,
  options: PlayOnServerOptions = {},
): (script: ModelScript) => Promise<ReadAnswer[]> {
  checkOptions('playOnServer', options, PLAY_ON_OPTIONS)
  const { hook = '/script', path = '/v1/responses', headers = {}, fetch = globalThis.fetch } = options
  const { prepare = (body) => body, profile } = options
  const base = baseOf(url)
  const post = (to: string, body: unknown): Promise<Response> =>
    fetch(base + to, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  return async (script) => {
    const turns = modelTurns(script)
    if (turns.at(-1)?.at(-1) === SPECIAL.call) turns.push([...LAST_ANSWER])
    const hooked = await post(hook, turns.flat()).catch((error: unknown) =>
      failed(`cannot reach ${base}${hook}`, error),
    )
    if (!hooked.ok) failed(`${base}${hook} answers ${hooked.status} to the tokens of a script`)
    await hooked.arrayBuffer()

    const request = 'chunks' in script ? script.request : undefined
    const body = { model: 'gpt-oss', ...request, stream: true }
    let input: unknown = request?.input ?? 'Hi'
    const answers: ReadAnswer[] = []
    while (answers.length < turns.length) {
      const response = await post(path, prepare({ ...body, input })).catch((error: unknown) =>
        failed(`cannot reach ${base}${path}`, error),
      )
      const answer = await readAnswer(response, profile)
      answers.push(answer)
      const items = itemsOf(answer.events)
      const calls = callsIn(items)
      if (calls.length === 0) break
      const before = typeof input === 'string' ? [userMessage(input)] : (input as Fields[])
      input = [...before, ...items, ...calls.map((call) => callOutput(call, OUTPUT))]
    }
    return answers
  }
}

/** The items of a stream as clients send them back. */
const itemsOf = (events: readonly StreamEvent[]): Fields[] =>
  events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => asFields(item))

function baseOf(url: string): string {
  if (!URL.canParse(url)) failed('playOnServer: expected the URL of a server')
  return url.replace(/\/$/, '')
}

function failed(message: string, cause?: unknown): never {
  throw new HarmonyResponsesError('bad_option', message, ...(cause === undefined ? [] : [{ cause }]))
}
