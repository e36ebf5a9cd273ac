import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { ResponseTrace } from '../../endpoint/server/service/trace/response-trace.js'
import { withoutEval } from '../../shared/system/without-eval.js'

withoutEval()

/** The most tokens of a trace that is read. */
const MAX_TOKENS = 1_000_000

const count = z.int('a count').nonnegative('a count')
const index = z.int('an index').gte(-1, 'an index')
const string = z.string('a string')
const number = z.number('a number')
const origin = z.enum(['model', 'host'], 'model or host')

const ids = z.array(count, 'an array of token ids')
const alternative = z.object({ token: count, text: string, logprob: number }, '{token, text, logprob}')

const token = z.object({
  ...{ type: z.literal('token'), index: count, token: count.nullable(), text: string, origin },
  position: z.enum(['between', 'header', 'content'], 'between, header or content'),
  author: string.exactOptional(),
  ids: ids.exactOptional(),
  logprob: number.exactOptional(),
  alternatives: z.array(alternative, 'an array').exactOptional(),
})
const harmony = z.object({ type: z.literal('harmony'), index, event: z.looseObject({ type: string }, 'an event') })
const header = z.looseObject(
  { role: string, name: string.exactOptional(), channel: string.exactOptional(), recipient: string.exactOptional() },
  'a header',
)
const message = z.object({
  ...{ type: z.literal('message'), from: index, to: index, origin, header, terminator: string },
})
const streamed = z.looseObject({ type: string, sequence_number: count, delta: string.exactOptional() }, 'an event')
const event = z.object({
  ...{ type: z.literal('event'), from: index, to: index, event: streamed, inserted: z.literal(true).exactOptional() },
})
const diagnostic = z.object({
  ...{ type: z.literal('diagnostic'), index, code: string, explanation: string },
  ...{ text: string.exactOptional(), subject: string.exactOptional() },
})
const hidden = z.object({ type: z.literal('hidden'), from: count, to: count, origin, tokens: count })

const promptMessage = z.object(
  {
    ...{ role: string, channel: string.exactOptional(), recipient: string.exactOptional() },
    ...{ start: count, end: count, item: count.exactOptional(), item_id: string.exactOptional() },
    ids: ids.nullable(),
  },
  'a message of the prompt',
)
const prompt = z.object({ tokens: count, messages: z.array(promptMessage, 'an array').nullable() }, 'a prompt')

const trace = z.object({
  object: z.literal('response.trace'),
  response_id: string,
  status: string,
  prompt: prompt.exactOptional(),
  data: z.array(
    z.discriminatedUnion('type', [token, harmony, message, event, diagnostic, hidden], 'a record of a trace'),
    'an array of records',
  ),
})

/** A trace, as `GET /v1/responses/ID/trace` answers: all of its windows in one. */
export type SavedTrace = Pick<ResponseTrace, 'response_id' | 'status' | 'prompt' | 'data'>

/** Reads a trace that anybody may have written. @throws Error that says what is wrong with it */
export function readTrace(value: unknown): SavedTrace {
  const parsed = trace.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`This is no trace: ${toDotPath(issue?.path ?? [])} has to be ${issue?.message}.`)
  }
  const { data: read } = parsed
  let next = 0
  for (const record of read.data) {
    if (record.type !== 'token' && record.type !== 'hidden') continue
    const from = record.type === 'token' ? record.index : record.from
    if (from !== next) throw new Error(`This trace lacks token ${next}: look at all of its windows, from the first.`)
    next += record.type === 'token' ? 1 : record.tokens
    if (next > MAX_TOKENS) throw new Error(`This trace has more than ${MAX_TOKENS} tokens.`)
  }
  const isBeyond = read.data.some((record) => ('to' in record ? record.to : record.index) >= Math.max(next, 1))
  if (isBeyond) throw new Error(`This trace has records behind its last token, ${next - 1}.`)
  // The cast: of events, the fields that are shown are checked.
  return read as SavedTrace
}
