import { type Family, fieldsOf, listOf, textOf } from '../../../../src/judge/conformance/damage/family.js'
import type { WireEvent } from '../damages.js'
import { each, flat, having, kind } from './kind.js'

const choicesOf = (chunk: WireEvent): WireEvent[] => listOf(chunk['choices']) as unknown as WireEvent[]
const deltaOf = (chunk: WireEvent): WireEvent => fieldsOf(choicesOf(chunk)[0]?.['delta']) as unknown as WireEvent
const callsOf = (chunk: WireEvent): WireEvent[] => listOf(deltaOf(chunk)['tool_calls']) as unknown as WireEvent[]
const hasChoice = (chunk: WireEvent): boolean => choicesOf(chunk).length > 0
const isEnd = (chunk: WireEvent): boolean => typeof choicesOf(chunk)[0]?.['finish_reason'] === 'string'
const isUsage = (chunk: WireEvent): boolean => 'usage' in chunk && !hasChoice(chunk)
const hasText = (chunk: WireEvent): boolean => textOf(deltaOf(chunk)['content']) !== ''
const hasCall = (chunk: WireEvent): boolean => callsOf(chunk).length > 0

type Change = (of: WireEvent, chunk: WireEvent) => WireEvent
type Is = (chunk: WireEvent) => boolean

const withChoices = (chunk: WireEvent, change: Change): WireEvent =>
  hasChoice(chunk) ? having(chunk, { choices: choicesOf(chunk).map((choice) => change(choice, chunk)) }) : chunk

const withDelta = (chunk: WireEvent, change: Change): WireEvent =>
  withChoices(chunk, (choice) => having(choice, { delta: change(fieldsOf(choice['delta']) as never, chunk) }))

const choices = (name: string, is: Is, change: Change): Family =>
  each(name, (chunk) => (is(chunk) ? withChoices(chunk, change) : chunk))

const deltas = (name: string, is: Is, change: Change): Family =>
  each(name, (chunk) => (is(chunk) ? withDelta(chunk, change) : chunk))

/** Changes each part of a call. */
const calls = (name: string, change: (call: WireEvent, at: number, chunk: WireEvent) => WireEvent): Family =>
  each(name, (chunk, at) =>
    hasCall(chunk)
      ? withDelta(chunk, (delta) =>
          having(delta, { tool_calls: callsOf(chunk).map((call) => change(call, at, chunk)) }),
        )
      : chunk,
  )

const functions = (name: string, change: (named: WireEvent, call: WireEvent) => object): Family =>
  calls(name, (call) =>
    call['function'] === undefined
      ? call
      : having(call, { function: having(call['function'], change(call['function'] as WireEvent, call) as never) }),
  )

const any: Is = () => true

/** What servers of Chat Completions do wrong throughout a stream. */
export const CHAT_KINDS: readonly Family[] = [
  // Roles and texts.
  deltas(
    'role null',
    ({ role }) => role !== undefined,
    (delta) => ('role' in delta ? having(delta, { role: null }) : delta),
  ),
  deltas('role user', any, (delta) => ('role' in delta ? having(delta, { role: 'user' }) : delta)),
  deltas('role ai', any, (delta) => ('role' in delta ? having(delta, { role: 'ai' }) : delta)),
  deltas('content as a list of parts', hasText, (delta) =>
    having(delta, { content: [{ type: 'text', text: delta['content'] }] }),
  ),
  deltas('content as an object', hasText, (delta) => having(delta, { content: { text: delta['content'] } })),
  deltas('text for content', hasText, (delta) => having(delta, { content: undefined, text: delta['content'] })),
  deltas('reasoning_text for reasoning', any, ({ reasoning, reasoning_content, ...delta }) =>
    having(delta, { reasoning_text: reasoning_content ?? reasoning }),
  ),
  deltas('reasoning as a list', any, (delta) =>
    'reasoning_content' in delta ? having(delta, { reasoning_content: [{ text: delta['reasoning_content'] }] }) : delta,
  ),
  deltas('all fields null that a delta does not have', any, (delta) => ({
    ...{ content: null, refusal: null, tool_calls: null, function_call: null, audio: null, reasoning_content: null },
    ...delta,
  })),
  deltas('tool_calls [] beside texts', hasText, (delta) => having(delta, { tool_calls: [] })),
  kind('content that grows', (chunks) => {
    let all = ''
    return chunks.map((chunk) => {
      if (!hasText(chunk)) return chunk
      all += textOf(deltaOf(chunk)['content'])
      return withDelta(chunk, (delta) => having(delta, { content: all }))
    })
  }),
  flat('the text again as the last chunk', (chunk, _, all) =>
    isEnd(chunk)
      ? [
          withDelta(having(chunk, {}), (delta) =>
            having(delta, { content: all.map((one) => textOf(deltaOf(one)['content'])).join('') }),
          ),
          chunk,
        ]
      : [chunk],
  ),
  // Calls.
  calls('a new id in each delta of a call', (call, at) => having(call, { id: `call_${at}` })),
  calls('no id of calls', (call) => having(call, { id: undefined })),
  calls('id null in later deltas', (call) => ('id' in call ? call : having(call, { id: null, type: null }))),
  calls('type in each delta', (call) => having(call, { type: 'function' })),
  calls('type tool', (call) => ('type' in call ? having(call, { type: 'tool' }) : call)),
  calls('index by chunk', (call, at) => having(call, { index: at })),
  calls('index from 2', (call) => having(call, { index: Number(call['index']) + 2 })),
  calls('function fields beside it', (call) =>
    having({ ...call, ...(fieldsOf(call['function']) as object) }, { function: undefined }),
  ),
  functions('arguments null at the start', ({ name, arguments: given }) =>
    name !== undefined && given === '' ? { arguments: null } : {},
  ),
  functions('no arguments at the start', ({ name, arguments: given }) =>
    name !== undefined && given === '' ? { arguments: undefined } : {},
  ),
  functions('name null in later deltas', ({ name }) => (name === undefined ? { name: null } : {})),
  functions('parameters for arguments', ({ arguments: given }) => ({ arguments: undefined, parameters: given })),
  functions('names with functions.', ({ name }) => (typeof name === 'string' ? { name: `functions.${name}` } : {})),
  functions('arguments as objects', ({ arguments: given }) => ({ arguments: given === '' ? {} : { part: given } })),
  kind('arguments that grow', (chunks) => {
    const all = new Map<unknown, string>()
    return chunks.map((chunk) =>
      withDelta(chunk, (delta) =>
        hasCall(chunk)
          ? having(delta, {
              tool_calls: callsOf(chunk).map((call) => {
                const { index } = call
                const text = `${all.get(index) ?? ''}${textOf(fieldsOf(call['function'])['arguments'])}`
                all.set(index, text)
                return having(call, { function: having(call['function'], { arguments: text }) })
              }),
            })
          : delta,
      ),
    )
  }),
  flat('an empty call before the end', (chunk, _, all) =>
    isEnd(chunk) && all.some(hasCall)
      ? [
          withChoices(chunk, (choice) =>
            having(choice, { finish_reason: null, delta: { tool_calls: [{ index: 9, function: { arguments: '' } }] } }),
          ),
          chunk,
        ]
      : [chunk],
  ),
  kind('calls in one chunk, without indexes', (chunks) => {
    const made = new Map<unknown, WireEvent>()
    for (const call of chunks.flatMap(callsOf)) {
      const known = made.get(call['index'])
      if (known === undefined) made.set(call['index'], having(call, { index: undefined }))
      else {
        const [before, more] = [fieldsOf(known['function']), fieldsOf(call['function'])]
        const given = `${textOf(before['arguments'])}${textOf(more['arguments'])}`
        made.set(call['index'], having(known, { function: { ...before, arguments: given } }))
      }
    }
    const first = chunks.findIndex(hasCall)
    if (first < 0) return undefined
    return chunks.flatMap((chunk, at) => {
      if (!hasCall(chunk)) return [chunk]
      return at === first ? [withDelta(chunk, (delta) => having(delta, { tool_calls: [...made.values()] }))] : []
    })
  }),
  choices('calls as message.tool_calls at the end', isEnd, (choice) =>
    having(choice, { message: { role: 'assistant', content: null, tool_calls: [] } }),
  ),
  // Ends.
  choices(
    'finish_reason empty until the end',
    (chunk) => !isEnd(chunk),
    (choice) => having(choice, { finish_reason: '' }),
  ),
  choices(
    'finish_reason "null" until the end',
    (chunk) => !isEnd(chunk),
    (choice) => having(choice, { finish_reason: 'null' }),
  ),
  choices(
    'no finish_reason until the end',
    (chunk) => !isEnd(chunk),
    (choice) => having(choice, { finish_reason: undefined }),
  ),
  choices('finish_reason in each chunk', any, (choice) => having(choice, { finish_reason: 'stop' })),
  choices('finish_reason in capitals', isEnd, (choice) =>
    having(choice, { finish_reason: textOf(choice['finish_reason']).toUpperCase() }),
  ),
  choices('finish_reason eos', isEnd, (choice) => having(choice, { finish_reason: 'eos' })),
  choices('stop_reason for finish_reason', isEnd, (choice) =>
    having(choice, { finish_reason: undefined, stop_reason: choice['finish_reason'] }),
  ),
  choices('finish_reason in the delta', isEnd, (choice) =>
    having(choice, { finish_reason: null, delta: { finish_reason: choice['finish_reason'] } }),
  ),
  choices('no delta at the end', isEnd, (choice) => having(choice, { delta: undefined })),
  choices('delta null at the end', isEnd, (choice) => having(choice, { delta: null })),
  choices('a delta with a role at the end', isEnd, (choice) =>
    having(choice, { delta: { role: 'assistant', content: '' } }),
  ),
  flat('a newline behind the end', (chunk) =>
    isEnd(chunk)
      ? [chunk, withChoices(chunk, (choice) => having(choice, { finish_reason: null, delta: { content: '\n' } }))]
      : [chunk],
  ),
  kind('the end before the last text', (chunks) => {
    const at = chunks.findIndex(isEnd)
    const last = chunks.findLastIndex(hasText)
    if (at < 0 || last < 0) return undefined
    const rest = chunks.filter((_, index) => index !== at)
    return [...rest.slice(0, last), chunks[at] as WireEvent, ...rest.slice(last)]
  }),
  // The chunk.
  each('object chat.completion', (chunk) => having(chunk, { object: 'chat.completion' })),
  each('no object', (chunk) => having(chunk, { object: undefined })),
  each('an empty object name', (chunk) => having(chunk, { object: '' })),
  each('no id', (chunk) => having(chunk, { id: undefined })),
  each('a new id in each chunk', (chunk, at) => having(chunk, { id: `chatcmpl-${at}` })),
  each('id null', (chunk) => having(chunk, { id: null })),
  each('created as text', (chunk) => having(chunk, { created: '2026-01-01T00:00:00Z' })),
  each('created with a fraction', (chunk) => having(chunk, { created: Number(chunk['created']) + 0.5 })),
  each('no model', (chunk) => having(chunk, { model: undefined })),
  each('model null', (chunk) => having(chunk, { model: null })),
  choices('no index of choices', any, (choice) => having(choice, { index: undefined })),
  choices('index null of choices', any, (choice) => having(choice, { index: null })),
  choices('index 1 of the only choice', any, (choice) => having(choice, { index: 1 })),
  choices('index of choices as text', any, (choice) => having(choice, { index: '0' })),
  choices('logprobs empty', any, (choice) => having(choice, { logprobs: {} })),
  choices('logprobs as a list', any, (choice) => having(choice, { logprobs: [] })),
  choices('an unknown field of choices', any, (choice) =>
    having(choice, { content_filter_results: {}, token_ids: [1] }),
  ),
  each('choices as an object', (chunk) =>
    hasChoice(chunk) ? having(chunk, { choices: { 0: choicesOf(chunk)[0] } }) : chunk,
  ),
  each('choices null beside usage', (chunk) => (isUsage(chunk) ? having(chunk, { choices: null }) : chunk)),
  each('no choices beside usage', (chunk) => (isUsage(chunk) ? having(chunk, { choices: undefined }) : chunk)),
  each('usage in each chunk', (chunk) =>
    having(chunk, { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
  ),
  each('usage empty', (chunk) => ('usage' in chunk ? having(chunk, { usage: {} }) : chunk)),
  each('counts as texts', (chunk) =>
    isUsage(chunk)
      ? having(chunk, { usage: { prompt_tokens: '1', completion_tokens: '2', total_tokens: '3' } })
      : chunk,
  ),
  each('counts with fractions', (chunk) =>
    isUsage(chunk) ? having(chunk, { usage: { prompt_tokens: 1.5, completion_tokens: 2.5, total_tokens: 4 } }) : chunk,
  ),
  // Other chunks.
  flat('a chunk without choices behind each', (chunk) => [chunk, having(chunk, { choices: [], usage: undefined })]),
  flat('a ping behind each chunk', (chunk) => [chunk, { type: 'ping' }]),
  flat('an empty object behind each chunk', (chunk) => [chunk, {} as WireEvent]),
  flat('a chunk with an empty delta behind each', (chunk) =>
    hasChoice(chunk) && !isEnd(chunk)
      ? [chunk, withChoices(chunk, (choice) => having(choice, { delta: {} }))]
      : [chunk],
  ),
  flat('a chunk with its choice twice', (chunk) =>
    hasText(chunk) ? [having(chunk, { choices: [...choicesOf(chunk), ...choicesOf(chunk)] })] : [chunk],
  ),
  flat('statistics at the end', (chunk) =>
    isEnd(chunk) ? [chunk, { object: 'stats', timings: { ms: 3 } } as never] : [chunk],
  ),
  kind('a failure as text', (chunks) => [...chunks.slice(0, -1), { error: 'Down.' } as never]),
  kind('a failure in a choice', (chunks) => [
    ...chunks.slice(0, -2),
    having(chunks[0], { choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { message: 'Down.' } }] }),
  ]),
  kind('a failure as a message', (chunks) => [...chunks.slice(0, -1), { code: 500, message: 'Down.' } as never]),
  kind('a failure as detail', (chunks) => [...chunks.slice(0, -1), { detail: 'Down.' } as never]),
]
