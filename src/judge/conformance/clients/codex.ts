import { type Fields, isFields } from '../../../shared/fields.js'
import { parseJson } from '../read/parse-json.js'
import { asFields, asList, asString, type StreamEvent, stringOrDescription } from '../stream-event.js'
import { BaseReader, type ClientModel, rulesOf, type SeenCall, seenCall } from './client.js'
import { type Flaw, flawOfCompleted, flawOfItem, halfCharacterIn } from './codex-shapes.js'

/**
 * Codex, as `codex exec`. It reads only `output_item.done` and the terminal event, so that faults in other events,
 * including deltas, do not matter. It ignores an item that it cannot read.
 */
export const codex: ClientModel = {
  client: 'codex',
  name: 'Codex',
  versions: { '@openai/codex': '0.171.0' },
  reads: {
    wholeMessages: true,
    streamed: true,
    final: false,
    refusals: false,
    rawReasoning: false,
    summaries: true,
    functionCalls: true,
    customCalls: true,
    namespaces: true,
    citations: false,
    incomplete: 'incomplete',
    failed: 'failed',
    cancelled: 'incomplete',
  },
  rules: rulesOf({
    'codex-reads-message':
      'A done message has role "assistant", phase "commentary", "final_answer" or none, and output_text parts with text, without half of a surrogate pair: Codex silently drops the whole message otherwise.',
    'codex-refusal': {
      sentence:
        'A done message has no refusal part: otherwise Codex silently drops the whole message, and its user sees no answer.',
      severity: 'warning',
    },
    'codex-reads-call':
      'A done call has a name, a call_id and its arguments or input as strings, and its namespace if the added item has one: otherwise Codex silently drops the call, and the run ends there, or it does not find the tool without its namespace.',
    'codex-reads-reasoning': {
      sentence:
        'A done reasoning item has a summary, which may be empty, and content of reasoning_text: otherwise Codex drops the item, shows no summary, and sends nothing of it back in the next turn.',
      severity: 'warning',
    },
    'codex-reads-completed':
      'response.completed has a response with an id, and its usage, if there is any, has the three totals, cached_tokens and reasoning_tokens as integers: otherwise Codex fails the turn after retries.',
    'codex-reads-error':
      'The error of response.failed has its code and message as strings: otherwise Codex only says "response.failed event received", and not what went wrong.',
    'codex-reads-reason':
      'response.incomplete has incomplete_details.reason, unless the response was cancelled: otherwise Codex fails the turn with "reason: unknown".',
  }),
  begin: (reportBreak) => new CodexReader(reportBreak),
}

class CodexReader extends BaseReader {
  /** Calls that were cut off. */
  readonly #cut = new Set<SeenCall>()
  /**
   * The namespaces of added calls, by output_index. Codex does not read them, but they show if one is missing later.
   */
  readonly #namespaces = new Map<unknown, unknown>()
  /** The types of open items, by output_index, to tell calls from other items. */
  readonly #types = new Map<unknown, unknown>()
  /** The code of the last error event. */
  #code = ''

  read(event: StreamEvent): void {
    // Codex ignores an event if a known field has the wrong type.
    if (this.isOver || !isReadable(event)) return
    const { type, item, response = null } = event
    if (type === 'response.output_item.added') this.#announced(event)
    else if (type === 'response.output_item.done') this.#item(asFields(item), event['output_index'])
    else if (type === 'response.completed') this.#completed(response)
    else if (type === 'response.incomplete') this.#incomplete(response)
    else if (type === 'response.failed') this.#failed(response)
    else if (type === 'error') this.#error(event)
  }

  end(): void {
    const { seen } = this
    if (seen.ending === 'completed') return
    if (seen.ending === 'open') seen.error = 'stream closed before response.completed'
    // A failed turn sends nothing back, so calls that were cut off did not run.
    const whole = seen.calls.filter((call) => !this.#cut.has(call))
    seen.calls.length = 0
    for (const call of whole) seen.calls.push(call)
  }

  #announced({ item, output_index: index }: StreamEvent): void {
    const { namespace = null, type } = asFields(item)
    this.#types.set(index, type)
    if (namespace !== null) this.#namespaces.set(index, namespace)
  }

  #item(item: Fields, index: unknown): void {
    const { type, name, namespace, content, summary } = item
    const flaw = flawOfItem(item)
    const announcedType = this.#types.get(index) ?? type
    this.#types.delete(index)
    if (type === 'message') {
      const parts = asList(content).map(asFields)
      if (flaw !== undefined) {
        // The loss of an empty message is harmless.
        if (parts.some(({ type }) => type === 'refusal')) this.#drops('codex-refusal', flaw)
        else if (parts.some(({ text, refusal }) => Boolean(text ?? refusal))) this.#drops('codex-reads-message', flaw)
        return
      }
      for (const { type, text } of parts) if (type === 'output_text') this.seen.streamed.append(asString(text))
    } else if (type === 'reasoning') {
      if (flaw !== undefined) this.#drops('codex-reads-reasoning', flaw)
      else for (const part of asList(summary)) this.seen.reasoning.append(asString(asFields(part)['text']))
    } else if (type === 'function_call' || type === 'custom_tool_call') {
      if (flaw !== undefined) {
        if (isCall(announcedType)) this.#drops('codex-reads-call', flaw)
        return
      }
      const announced = this.#namespaces.get(index)
      this.#namespaces.delete(index)
      if (announced !== undefined && typeof namespace !== 'string') {
        const expected = `namespace: ${stringOrDescription(announced)}, as in the added item`
        this.#drops('codex-reads-call', { expected, got: namespace })
      }
      const given = asString(item[type === 'function_call' ? 'arguments' : 'input'])
      const full = typeof namespace === 'string' ? `${namespace}.${asString(name)}` : asString(name)
      const call: SeenCall = { ...seenCall(full, given), type }
      this.seen.calls.push(call)
      if (type === 'function_call' ? parseJson(given) === undefined : item['status'] === 'incomplete')
        this.#cut.add(call)
    }
  }

  #drops(rule: string, { expected, got }: Flaw): void {
    this.reportBreak(rule, expected, got)
  }

  #completed(response: unknown): void {
    // Codex ignores the event.
    const half = halfCharacterIn(response)
    if (response === null || half !== undefined) {
      this.reportBreak('codex-reads-completed', half?.expected ?? 'a response', half?.got ?? response)
      return
    }
    const flaw = flawOfCompleted(response)
    if (flaw === undefined) {
      this.#end()
      return
    }
    this.reportBreak('codex-reads-completed', flaw.expected, flaw.got)
    this.seen.ending = 'threw'
    this.seen.error = `failed to parse ResponseCompleted: ${flaw.expected}`
  }

  #incomplete(response: unknown): void {
    const { incomplete_details: details, status } = asFields(response)
    const { reason } = asFields(details)
    if (asString(reason) === '' && status !== 'cancelled')
      this.reportBreak('codex-reads-reason', 'incomplete_details.reason', reason)
    const error = `Incomplete response returned, reason: ${typeof reason === 'string' ? reason : 'unknown'}`
    this.seen.ending = 'incomplete'
    // Unlike after a failed response, it reads no further, except after a content filter: it waits for the end there.
    this.isOver = reason !== 'content_filter'
    this.seen.error = this.isOver ? error : `stream disconnected before completion: ${error}`
  }

  /** Codex ignores error events except one code, as response.failed repeats the error. */
  #error(event: StreamEvent): void {
    this.#code = asString(asFields(event['error'] ?? event)['code'])
    if (asFields(event['error'])['code'] === CONTEXT_TOO_LONG) this.#fail(WORDS[CONTEXT_TOO_LONG] as string)
  }

  #failed(response: unknown): void {
    const { error } = asFields(response)
    const { code = null, message = null } = asFields(error)
    if (!isFields(error) || !isTextOrNone(code) || !isTextOrNone(message)) {
      this.reportBreak('codex-reads-error', 'an error with code and message as strings', error)
      this.#fail('response.failed event received')
      return
    }
    if (
      asString(code) !== this.#code &&
      SPECIFIC_CODES.includes(this.#code) &&
      !SPECIFIC_CODES.includes(asString(code))
    ) {
      this.reportBreak('codex-reads-error', `the code ${this.#code}, as in the error event`, code)
    }
    this.#fail(WORDS[asString(code)] ?? asString(message))
  }

  /** Codex continues reading after this. A later response.completed wins. */
  #fail(message: string): void {
    this.seen.ending = 'failed'
    this.seen.error = message
  }

  #end(): void {
    this.seen.ending = 'completed'
    this.seen.error = undefined
    this.isOver = true
  }
}

/** Whether Codex can read the fields that it knows in any event. */
function isReadable({ delta = null, summary_index = null, content_index = null }: StreamEvent): boolean {
  const isIndex = (index: unknown): boolean => index === null || Number.isInteger(index)
  return isTextOrNone(delta) && isIndex(summary_index) && isIndex(content_index)
}

const isCall = (type: unknown): boolean => type === 'function_call' || type === 'custom_tool_call'

const isTextOrNone = (value: unknown): boolean => value === null || typeof value === 'string'

const CONTEXT_TOO_LONG = 'context_length_exceeded'

/** The codes for which Codex has its own messages. For all others it prints the server's message. */
const WORDS: Readonly<Record<string, string>> = {
  [CONTEXT_TOO_LONG]: "Codex ran out of room in the model's context window.",
  insufficient_quota: 'Quota exceeded.',
  usage_not_included: 'The plan does not include it.',
  server_is_overloaded: 'The model is at capacity.',
}

/** The codes that do not count as a disconnected stream. */
const SPECIFIC_CODES: readonly string[] = [
  ...Object.keys(WORDS),
  'invalid_prompt',
  'cyber_policy',
  'bio_policy',
  'rate_limit_exceeded',
  'slow_down',
]
