import type { Fields } from '../../../shared/fields.js'
import { aboutItem } from '../about.js'
import { isLifecycle, isTerminal } from '../event-kind.js'
import { type Invariant, of, type ReportViolation, responseRules } from '../invariant.js'
import { preview } from '../preview.js'
import { asFields, asString, differingFields, type StreamEvent, stringOrDescription } from '../stream-event.js'
import { beginsLate, isOtherMcpListDone, itemsInResponse } from '../stream-state.js'
import { MISPLACED } from './cause-groups.js'

/**
 * The response fields that may change between events. Azure adds its content filters, and OpenAI sets the tier that it
 * used.
 */
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

const responseOf = (event: StreamEvent): Fields => asFields(event['response'])

/** Whether an event ends a cancelled response. */
const isCancelled = (event: StreamEvent): boolean =>
  event.type === 'response.incomplete' && responseOf(event)['status'] === 'cancelled'

/** Rules for the whole stream: its beginning, the responses in its events, and its end. */
export const LIFECYCLE: readonly Invariant[] = responseRules([
  {
    id: 'created-first',
    sentence: 'The first event is response.created, and no later event is.',
    needsOrder: true,
    causes: { stream: ['created-first'] },
    event(event, { kind: { type }, count, created, resumed }, report) {
      const isCreated = type === 'response.created'
      if (count === 0 && !isCreated && resumed === undefined) {
        if (!beginsLate(event)) report('response.created', type)
        else {
          const number = event['sequence_number'] as number
          const hint = `the rest of a stream: check it as one that was resumed after ${number - 1}`
          const words = `${JSON.stringify(type)} with sequence_number ${number}, ${hint}`
          report('response.created', type, words, { about: { evidence: 'lost' } })
        }
      }
      if (count > 0 && isCreated)
        report(created === undefined ? 'response.created as the first event' : 'no second response.created', type)
    },
  },
  {
    id: 'in-progress-second',
    sentence:
      'The second event is response.in_progress, and no later event is: the AI SDK looks for early errors only up to it. ' +
      'In the background, response.queued comes once, before it, and always if the response was created as queued.',
    neededBy: ['openai'],
    needsOrder: true,
    causes: { stream: ['created-first'] },
    begin: () => {
      let due = 1
      return {
        event(_event, { kind: { type }, count, resumed, created }, report) {
          // A resumed stream may begin after it, or right before it.
          if (count === 0 && resumed !== undefined) due = type === 'response.created' ? 1 : 0
          if (resumed !== undefined && count === due && type !== 'response.in_progress' && !/queued/.test(type))
            due = -1
          if (count === 1 && created?.['status'] === 'queued' && !/queued|keepalive/.test(type))
            report('response.queued', type)
          if ((type === 'response.queued' || type === 'keepalive') && count === due) due++
          else if (type === 'response.queued') report('no response.queued once the response is in progress', type)
          else if ((count === due) !== (type === 'response.in_progress'))
            report(count === due ? 'response.in_progress' : 'no second response.in_progress', type)
        },
      }
    },
  },
  {
    id: 'one-terminal-event-last',
    sentence:
      'Exactly one response.completed, .incomplete or .failed, or an error, ends the stream, and nothing follows it.',
    needsOrder: true,
    explainsEvent: true,
    causes: { item: ['every-item-done'], event: ['stream-not-empty'] },
    event(event, { terminal }, report) {
      if (terminal !== undefined) report(`nothing after ${terminal.type}`, undefined, event.type)
    },
    end({ terminal, previousKind }, report) {
      // `failed-after-error` reports an error without response.failed.
      if (terminal === undefined && previousKind?.type !== 'error')
        report('response.completed, response.incomplete or response.failed', undefined, 'the end of the stream')
    },
  },
  {
    id: 'terminal-type-is-status',
    sentence:
      'The type of the terminal event matches the status of its response. A cancelled response, which has no event of ' +
      'its own, ends with response.incomplete.',
    fields: ['response.status'],
    causes: { event: ['event-shape:response.status'] },
    on: isTerminal,
    event(event, _state, report) {
      const { status } = responseOf(event)
      const named = `response.${stringOrDescription(status)}`
      if (event.type !== named && !isCancelled(event))
        report(`status ${preview(event.type.slice('response.'.length))}`, undefined, `status ${preview(status)}`)
    },
  },
  {
    id: 'terminal-response-complete',
    sentence: 'The response in the terminal event has an id and an output array.',
    fields: ['response.id', 'response.output'],
    on: isTerminal,
    event(event, _state, report) {
      const { id, output } = responseOf(event)
      if (asString(id) === '') report('response.id', id)
      if (!Array.isArray(output)) report('response.output as an array', output)
    },
  },
  {
    id: 'fresh-response',
    sentence: 'A new response is in progress, or queued in the background, with no output, no usage and no error.',
    fields: ['response.status', 'response.output', 'response.usage', 'response.error'],
    causes: { stream: ['event-shape:response.status', 'event-shape:response.output'] },
    on: of('response.created', 'response.queued', 'response.in_progress'),
    event(event, _state, report) {
      const { status, output, usage = null, error = null, background } = responseOf(event)
      const { type } = event
      const isQueued = status === 'queued' && background === true && type !== 'response.in_progress'
      const expected = type === 'response.queued' ? 'queued' : 'in_progress'
      if (status !== expected && !isQueued) report(`status "${expected}"`, status)
      if (!Array.isArray(output) || output.length > 0) report('an empty output', output)
      if (usage !== null) report('no usage yet', usage)
      if (error !== null) report('no error', error)
    },
  },
  {
    id: 'in-progress-repeats-created',
    sentence: 'The response in response.in_progress equals the one in response.created.',
    neededBy: ['openai'],
    causes: {
      event: ['response-id-constant', 'fresh-response'],
      stream: [
        'created-response-named',
        'fresh-response',
        'event-shape:response',
        'event-keys:response',
        'no-output-text',
      ],
    },
    on: of('response.in_progress'),
    event(event, { created }, report) {
      const isQueued = created?.['status'] === 'queued'
      reportChanges(event, created, (name) => !CHANGES.has(name) || (name === 'status' && !isQueued), report)
    },
  },
  {
    id: 'response-id-constant',
    sentence: 'Every event with a response has the same response id.',
    fields: ['response.id'],
    causes: {
      stream: ['created-response-named', 'event-shape:response.id', 'terminal-response-complete'],
    },
    on: isLifecycle,
    event(event, { created }, report) {
      const { id } = responseOf(event)
      if (created !== undefined && id !== created['id']) report(`id ${preview(created['id'])}`, id)
    },
  },
  {
    id: 'created-response-named',
    sentence: 'The response in response.created has an id, a time in whole seconds, and a model.',
    fields: ['response.id', 'response.created_at', 'response.model'],
    causes: { event: ['created-first'] },
    on: of('response.created'),
    event(event, _state, report) {
      const { id, created_at, model } = responseOf(event)
      if (asString(id) === '') report('response.id', id)
      if (typeof created_at !== 'number') report('response.created_at, unix seconds', created_at)
      if (typeof model !== 'string') report('response.model', model)
    },
  },
  {
    id: 'response-constant',
    sentence: 'No field of the response changes except its status, output, usage, error and tier.',
    neededBy: ['openai'],
    causes: {
      event: ['response-id-constant'],
      stream: ['in-progress-repeats-created', 'created-response-named', 'event-shape:response', 'event-keys:response'],
    },
    on: isTerminal,
    event(event, { created }, report) {
      reportChanges(event, created, (name) => !CHANGES.has(name), report)
    },
  },
  {
    id: 'seconds',
    sentence: 'Times are unix times in whole seconds.',
    fields: ['response.created_at', 'response.completed_at'],
    on: isLifecycle,
    event(event, _state, report) {
      const { created_at, completed_at = null } = responseOf(event)
      if (!isSeconds(created_at)) report('created_at in whole seconds', created_at)
      if (completed_at !== null && !isSeconds(completed_at)) report('completed_at in whole seconds', completed_at)
    },
  },
  {
    id: 'completed-without-error',
    sentence: 'A completed or cancelled response has no error and no incomplete_details.',
    fields: ['response.error', 'response.incomplete_details'],
    causes: { event: ['terminal-type-is-status'] },
    on: of('response.completed', 'response.incomplete'),
    event(event, _state, report) {
      if (event.type === 'response.incomplete' && !isCancelled(event)) return
      const { error = null, incomplete_details = null } = responseOf(event)
      if (error !== null) report('no error', error)
      if (incomplete_details !== null) report('no incomplete_details', incomplete_details)
    },
  },
  {
    id: 'failure-says-why',
    sentence:
      'A failed response has an error with a message, and an incomplete one has incomplete_details with a reason: clients ' +
      'have nothing else to show.',
    causes: { event: ['terminal-type-is-status', 'event-shape:response.status'] },
    on: of('response.failed', 'response.incomplete'),
    event(event, _state, report) {
      const { error, incomplete_details } = responseOf(event)
      if (event.type === 'response.failed') {
        if (asString(asFields(error)['message']) === '') report('error.message', error)
      } else if (!isCancelled(event) && asString(asFields(incomplete_details)['reason']) === '') {
        report('incomplete_details.reason', incomplete_details)
      }
    },
  },
  {
    id: 'no-output-text',
    sentence: 'The response has no output_text: the SDKs compute it, and use one that the server sends instead.',
    neededBy: ['openai'],
    fields: ['response.output_text'],
    on: isLifecycle,
    event(event, _state, report) {
      const { output_text } = responseOf(event)
      if (output_text !== undefined) report('no output_text', output_text)
    },
  },
  {
    id: 'error-then-failed',
    sentence: 'Only response.failed may follow an error event.',
    needsOrder: true,
    causes: { event: ['terminal-type-is-status'], stream: ['one-terminal-event-last'] },
    event({ type }, { previousKind }, report) {
      if (previousKind?.type === 'error' && type !== 'response.failed') report('response.failed', type)
    },
  },
  {
    id: 'failed-after-error',
    sentence: 'response.failed follows an error event; OpenAI omits it if it cannot keep the response.',
    neededBy: ['open-responses'],
    end({ previousKind }, report) {
      if (previousKind?.type === 'error') report('response.failed', undefined, 'the end of the stream')
    },
  },
  {
    id: 'usage-at-the-end',
    sentence: 'A completed response has usage.',
    neededBy: ['openai'],
    fields: ['response.usage'],
    causes: { event: ['terminal-type-is-status'] },
    on: of('response.completed'),
    event(event, _state, report) {
      const { usage = null } = responseOf(event)
      if (usage === null) report('usage', usage)
    },
  },
  {
    id: 'usage-adds-up',
    sentence:
      'Usage has three totals and their details, the totals add up, input_tokens include cached_tokens, and output_tokens ' +
      'reasoning_tokens.',
    fields: ['response.usage'],
    on: isTerminal,
    event(event, _state, report) {
      const { usage = null } = responseOf(event)
      if (usage === null) return
      const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = asFields(usage)
      const counts = [input_tokens, output_tokens, total_tokens]
      if (!counts.every(Number.isInteger)) report('input_tokens, output_tokens and total_tokens', usage)
      else if (Number(input_tokens) + Number(output_tokens) !== total_tokens) {
        report(`total_tokens ${Number(input_tokens) + Number(output_tokens)}`, total_tokens)
      }
      const { cached_tokens } = asFields(input_tokens_details)
      const { reasoning_tokens } = asFields(output_tokens_details)
      if (typeof cached_tokens !== 'number') report('input_tokens_details.cached_tokens', cached_tokens)
      else if (typeof input_tokens === 'number' && cached_tokens > input_tokens)
        report(`at most ${input_tokens} cached_tokens`, cached_tokens)
      if (typeof reasoning_tokens !== 'number') report('output_tokens_details.reasoning_tokens', reasoning_tokens)
      else if (typeof output_tokens === 'number' && reasoning_tokens > output_tokens)
        report(`at most ${output_tokens} reasoning_tokens`, reasoning_tokens)
    },
  },
  {
    id: 'usage-counts-output',
    sentence: 'A response with text has output_tokens.',
    neededBy: ['openai'],
    severity: 'warning',
    on: of('response.completed'),
    event(event, _state, report) {
      const { output_tokens: count } = asFields(responseOf(event)['usage'])
      const hasText = itemsInResponse(event).some(({ type }) => type === 'message')
      if (count === 0 && hasText) report('output_tokens', count)
    },
  },
  {
    id: 'every-item-done',
    sentence: 'Every added item of a completed response is done, except the tool lists of further MCP servers.',
    needsOrder: true,
    causes: { item: [...MISPLACED, 'item-identity'], event: ['terminal-type-is-status'] },
    on: of('response.completed'),
    event(_event, state, report) {
      for (const item of state.open.values()) {
        const { at, index, type, id } = item
        if (isOtherMcpListDone(item, state)) continue
        report(`output_item.done of item ${index}`, undefined, `an open ${type} ${id}`, {
          about: aboutItem(index, id, at),
        })
      }
    },
  },
  {
    id: 'stream-not-empty',
    sentence: 'A stream has at least one event.',
    end({ count }, report) {
      if (count === 0) report('response.created', undefined, 'no event')
    },
  },
])

/** Whether a number is a time in whole seconds: one in milliseconds would be thousands of years away. */
const isSeconds = (time: unknown): boolean => Number.isInteger(time) && Number(time) < 1e11

/** Reports the fields of a response that differ from those of the first event. */
function reportChanges(
  event: StreamEvent,
  created: Fields | undefined,
  isConstant: (name: string) => boolean,
  report: ReportViolation,
): void {
  const differs = created === undefined ? [] : differingFields(created, responseOf(event)).filter(isConstant)
  if (differs.length > 0) report('the response of response.created', undefined, `a different ${differs.join(', ')}`)
}
