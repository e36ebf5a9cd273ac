import { aboutItem } from '../about.js'
import { isLifecycle, isTerminal } from '../event-kind.js'
import { atEnd, type Invariant, of, stateless } from '../invariant.js'
import { shown } from '../shown.js'
import { differing, type Fields, fieldsOf, type StreamEvent, textOf, wordFor } from '../stream-event.js'
import { isListedElsewhere } from '../stream-state.js'

/** What may change of a response between its events. Azure adds its content filters; OpenAI says which tier it was. */
const CHANGES: ReadonlySet<string> = new Set([
  'status',
  'output',
  'usage',
  'completed_at',
  'service_tier',
  'error',
  'incomplete_details',
  'content_filters',
  'tool_usage',
  'prompt_cache_diagnostics',
  'input_transformations',
  'access_programs',
  'moderation',
  'input_messages',
  'output_messages',
])

const responseOf = (event: StreamEvent): Fields => fieldsOf(event['response'])

/** Of a stream as a whole: how it begins, what its responses say, how it ends. */
export const LIFECYCLE: readonly Invariant[] = [
  {
    id: 'created-first',
    sentence: 'The first event is response.created, and no other is.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless(({ sequence_number: number }, { kind: { type }, count, created, resumed }, tell) => {
      const isCreated = type === 'response.created'
      if (count === 0 && !isCreated && resumed === undefined) {
        const isLate = typeof number === 'number' && number > 0
        const hint = 'a stream that is resumed there is checked as resumed'
        const late = isLate ? `${JSON.stringify(type)} with sequence_number ${number}; ${hint}` : undefined
        tell('response.created', type, late)
      }
      if (count > 0 && isCreated)
        tell(created === undefined ? 'response.created first' : 'no other response.created', type)
    }),
  },
  {
    id: 'in-progress-second',
    sentence:
      'The second event is response.in_progress, and no other is: the AI SDK looks no further for early errors. A ' +
      'background response is queued before.',
    neededBy: ['openai'],
    severity: 'error',
    begin: () => {
      let due = 1
      return {
        event(_event, { kind: { type }, count, resumed }, tell) {
          // A resumed stream may begin behind it, or right before.
          if (count === 0 && resumed !== undefined) due = type === 'response.created' ? 1 : 0
          if (resumed !== undefined && count === due && type !== 'response.in_progress' && !/queued/.test(type))
            due = -1
          if ((type === 'response.queued' || type === 'keepalive') && count === due) due++
          else if ((count === due) !== (type === 'response.in_progress'))
            tell(count === due ? 'response.in_progress' : 'no other response.in_progress', type)
        },
      }
    },
  },
  {
    id: 'one-terminal-event-last',
    sentence:
      'Exactly one response.completed, .incomplete or .failed, or an error, ends the stream, and nothing comes behind it.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: () => ({
      event(event, { terminal }, tell) {
        if (terminal !== undefined) tell(`nothing after ${terminal.type}`, undefined, event.type)
      },
      end({ terminal, before }, tell) {
        // That a failure should follow, another rule says.
        if (terminal === undefined && before?.type !== 'error')
          tell('response.completed, response.incomplete or response.failed', undefined, 'the end')
      },
    }),
  },
  {
    id: 'terminal-type-is-status',
    sentence: "The terminal event's type is the status of its response.",
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isTerminal,
    begin: stateless((event, _reading, tell) => {
      const { status } = responseOf(event)
      const named = `response.${wordFor(status)}`
      if (event.type !== named)
        tell(`status ${shown(event.type.slice('response.'.length))}`, undefined, `status ${shown(status)}`)
    }),
  },
  {
    id: 'terminal-response-complete',
    sentence: 'The response of the terminal event has an id, and the list of what was made.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isTerminal,
    begin: stateless((event, _reading, tell) => {
      const { id, output } = responseOf(event)
      if (textOf(id) === '') tell('response.id', id)
      if (!Array.isArray(output)) tell('response.output, a list', output)
    }),
  },
  {
    id: 'fresh-response',
    sentence: 'A response begins in progress, or queued in the background, with nothing made, no usage and no error.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.created', 'response.in_progress'),
    begin: stateless((event, _reading, tell) => {
      const { status, output, usage = null, error = null, background } = responseOf(event)
      const isQueued = status === 'queued' && background === true && event.type === 'response.created'
      if (status !== 'in_progress' && !isQueued) tell('status "in_progress"', status)
      if (!Array.isArray(output) || output.length > 0) tell('an empty output', output)
      if (usage !== null) tell('no usage yet', usage)
      if (error !== null) tell('no error', error)
    }),
  },
  {
    id: 'in-progress-repeats-created',
    sentence: 'The response of response.in_progress is that of response.created.',
    neededBy: ['openai'],
    severity: 'error',
    on: of('response.in_progress'),
    begin: stateless((event, { created }, tell) => {
      if (created === undefined) return
      const differs = differing(created, responseOf(event)).filter(
        (name) => !CHANGES.has(name) || (name === 'status' && created['status'] !== 'queued'),
      )
      if (differs.length > 0) tell('the response of response.created', undefined, `another ${differs.join(', ')}`)
    }),
  },
  {
    id: 'response-id-constant',
    sentence: 'Every event that carries the response carries the same id.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isLifecycle,
    begin: stateless((event, { created }, tell) => {
      const { id } = responseOf(event)
      if (created !== undefined && id !== created['id']) tell(`id ${shown(created['id'])}`, id)
    }),
  },
  {
    id: 'created-response-named',
    sentence: 'The first response has an id, the time in whole seconds, and a model.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.created'),
    begin: stateless((event, _reading, tell) => {
      const { id, created_at, model } = responseOf(event)
      if (textOf(id) === '') tell('response.id', id)
      if (typeof created_at !== 'number') tell('response.created_at, unix seconds', created_at)
      if (typeof model !== 'string') tell('response.model', model)
    }),
  },
  {
    id: 'response-constant',
    sentence: 'Nothing of the response changes but its status, what was made, its usage, its error and its tier.',
    neededBy: ['openai'],
    severity: 'error',
    on: isTerminal,
    begin: stateless((event, { created }, tell) => {
      if (created === undefined) return
      const differs = differing(created, responseOf(event)).filter((name) => !CHANGES.has(name))
      if (differs.length > 0) tell('the response as it was created', undefined, `another ${differs.join(', ')}`)
    }),
  },
  {
    id: 'seconds',
    sentence: 'Times are whole seconds.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isLifecycle,
    begin: stateless((event, _reading, tell) => {
      const { created_at, completed_at = null } = responseOf(event)
      if (!Number.isInteger(created_at)) tell('created_at in whole seconds', created_at)
      if (completed_at !== null && !Number.isInteger(completed_at)) tell('completed_at in whole seconds', completed_at)
    }),
  },
  {
    id: 'completed-without-error',
    sentence: 'A completed response has no error, and nothing is incomplete of it.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.completed'),
    begin: stateless((event, _reading, tell) => {
      const { error = null, incomplete_details = null } = responseOf(event)
      if (error !== null) tell('no error', error)
      if (incomplete_details !== null) tell('no incomplete_details', incomplete_details)
    }),
  },
  {
    id: 'no-output-text',
    sentence: 'The response has no output_text: that is the SDKs’ own, and one that comes is believed.',
    neededBy: ['openai'],
    severity: 'error',
    on: isLifecycle,
    begin: stateless((event, _reading, tell) => {
      const { output_text } = responseOf(event)
      if (output_text !== undefined) tell('no output_text', output_text)
    }),
  },
  {
    id: 'error-then-failed',
    sentence: 'Nothing but response.failed comes after an error event.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless(({ type }, { before }, tell) => {
      if (before?.type === 'error' && type !== 'response.failed') tell('response.failed', type)
    }),
  },
  {
    id: 'failed-after-error',
    sentence: 'An error event is followed by response.failed; OpenAI leaves it out where it cannot keep the response.',
    neededBy: ['open-responses'],
    severity: 'error',
    begin: atEnd(({ before }, tell) => {
      if (before?.type === 'error') tell('response.failed', undefined, 'the end')
    }),
  },
  {
    id: 'usage-at-the-end',
    sentence: 'A response that is completed has usage.',
    neededBy: ['openai'],
    severity: 'error',
    on: of('response.completed'),
    begin: stateless((event, _reading, tell) => {
      const { usage = null } = responseOf(event)
      if (usage === null) tell('usage', usage)
    }),
  },
  {
    id: 'usage-adds-up',
    sentence: 'Usage has its three totals and its details, they add up, and reasoning is a part of the output.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isTerminal,
    begin: stateless((event, _reading, tell) => {
      const { usage = null } = responseOf(event)
      if (usage === null) return
      const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = fieldsOf(usage)
      const counts = [input_tokens, output_tokens, total_tokens]
      if (!counts.every(Number.isInteger)) tell('input_tokens, output_tokens and total_tokens', usage)
      else if (Number(input_tokens) + Number(output_tokens) !== total_tokens) {
        tell(`total_tokens ${Number(input_tokens) + Number(output_tokens)}`, total_tokens)
      }
      const { cached_tokens } = fieldsOf(input_tokens_details)
      const { reasoning_tokens } = fieldsOf(output_tokens_details)
      if (typeof cached_tokens !== 'number') tell('input_tokens_details.cached_tokens', cached_tokens)
      if (typeof reasoning_tokens !== 'number') tell('output_tokens_details.reasoning_tokens', reasoning_tokens)
      else if (typeof output_tokens === 'number' && reasoning_tokens > output_tokens)
        tell(`at most ${output_tokens} reasoning_tokens`, reasoning_tokens)
    }),
  },
  {
    id: 'every-item-done',
    sentence: 'In a completed response, every item that was announced was done, but for tools of further MCP servers.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.completed'),
    begin: stateless((_event, reading, tell) => {
      for (const item of reading.open.values()) {
        const { at, index, type, id } = item
        if (isListedElsewhere(item, reading)) continue
        tell(`output_item.done of item ${index}`, undefined, `an open ${type} ${id}`, {
          about: aboutItem(index, id, at),
        })
      }
    }),
  },
  {
    id: 'stream-not-empty',
    sentence: 'A stream has events.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: atEnd(({ count }, tell) => {
      if (count === 0) tell('response.created', undefined, 'no event')
    }),
  },
]
