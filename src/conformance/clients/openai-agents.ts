import { type Fields, fieldsOf, isFields, listOf, type StreamEvent, textOf } from '../stream-event.js'
import { readItem } from './agents/read-item.js'
import { requireSendable } from './agents/send-back.js'
import { citationsOf } from './agreement.js'
import { type Breaks, type ClientModel, type ClientReader, type ClientRule, Seen, seenCall } from './client.js'
import { appended } from './grown-text.js'
import { TextDigest } from './text-digest.js'
import { Thrown } from './thrown.js'

const SENTENCES: Readonly<Record<string, string>> = {
  'openai-agents-error-key': 'Only an error event has an error: the Agents SDK throws it, whatever the event is.',
  'openai-agents-terminal':
    'A stream ends with response.completed and its response: a run of the Agents SDK throws without. It throws at ' +
    'response.incomplete and response.failed, too, which is how it says that they came.',
  'openai-agents-response':
    'The response of response.completed has an id and an array as its output: a run of the Agents SDK throws without. ' +
    'It reads no other event for items.',
  'openai-agents-usage':
    'Usage, where it is given, has numbers alone, in its details, too: a run of the Agents SDK throws at anything else.',
  'openai-agents-item':
    'An item of response.output has the fields of its type: a run of the Agents SDK throws at others, and at null where ' +
    'a field may be missing. It reads no item but these.',
  'openai-agents-call': 'A call has a name and a call_id of its own: a run of the Agents SDK throws without.',
  'openai-agents-tool': 'A call is of a tool that an agent can have: a run of the Agents SDK throws at any other.',
  'openai-agents-sends-back':
    'A hosted call has a status that the Agents SDK can send back: a run that goes on throws at any other, as it does ' +
    'after a function call.',
}

const RULES: readonly ClientRule[] = [
  ...Object.entries(SENTENCES).map(([id, sentence]) => ({ id, sentence, severity: 'error' as const })),
  {
    id: 'openai-agents-refusal',
    sentence: 'The answer is no refusal: a run of the Agents SDK throws ModelRefusalError.',
    severity: 'error',
    fault: 'model',
  },
]

/**
 * A run of the Agents SDK with `stream: true`, of an agent that has the tools that are called: the text as it is streamed,
 * and the items of the response of response.completed. It reads nothing of any other event. A run that has called a tool
 * goes on: it sends the items back.
 */
export const openaiAgents: ClientModel = {
  client: 'openai-agents',
  name: 'The Agents SDK',
  versions: { '@openai/agents': '0.20.0' },
  reads: {
    streamed: true,
    final: true,
    refusals: false,
    rawReasoning: false,
    summaries: true,
    functionCalls: true,
    customCalls: false,
    citations: true,
    // It throws, and says so.
    incomplete: 'threw',
    failed: 'threw',
  },
  rules: RULES,
  begin: (breaks) => new AgentsReader(breaks),
}

class AgentsReader implements ClientReader {
  readonly seen = new Seen()
  readonly #breaks: Breaks
  #final: (() => void) | undefined
  #isOver = false

  constructor(breaks: Breaks) {
    this.#breaks = breaks
  }

  read(event: StreamEvent): void {
    if (!this.#isOver) this.#try(() => this.#read(event))
  }

  end(): void {
    if (this.#isOver) return
    this.#try(() => {
      if (this.#final === undefined)
        throw new Thrown('openai-agents-terminal', 'response.completed', undefined, 'the end')
      this.#final()
      this.seen.ending = 'completed'
    })
    this.#isOver = true
  }

  #try(read: () => void): void {
    try {
      read()
    } catch (thrown) {
      if (!(thrown instanceof Thrown)) throw thrown
      this.#throw(`expected ${thrown.expected}`)
      this.#breaks(thrown.rule, thrown.expected, thrown.got, thrown.words)
    }
  }

  #throw(error: string): void {
    this.#isOver = true
    this.seen.ending = 'threw'
    this.seen.error = error
  }

  #read(event: StreamEvent): void {
    const { type, error, response } = event
    if (type === 'error' || error) {
      this.#throw(textOf(isFields(error) ? error['message'] : event['message']))
      if (textOf(type).startsWith('response.')) this.#breaks('openai-agents-error-key', 'no error', error)
    } else if (type === 'response.output_text.delta') this.seen.streamed.append(appended(event['delta']))
    else if (UNSUCCESSFUL.test(type)) this.#throw(`it ended with ${type}`)
    else if (type === 'response.completed') {
      if (!response) throw new Thrown('openai-agents-terminal', 'response.completed with a response', response)
      const { status } = fieldsOf(response)
      if (status === 'failed' || status === 'incomplete') this.#throw(`it ended with response.${status}`)
      else this.#final = finalOf(fieldsOf(response), this.seen)
    }
  }
}

const UNSUCCESSFUL = /^response\.(failed|incomplete|error)$/

/** Reads the response, of which there is one but the last; what it says is done at the end. */
function finalOf(response: Fields, seen: Seen): () => void {
  const { id, output, usage } = response
  if (!Array.isArray(output)) throw new Thrown('openai-agents-response', 'response.output as an array', output)
  const items = output.map((item, index) => readItem(item, `response.output[${index}]`))
  if (typeof id !== 'string') throw new Thrown('openai-agents-response', 'response.id as a string', id)
  requireUsage(usage)
  const result = new Seen()
  result.final = new TextDigest()
  const run = startRun(items, result)
  return () => {
    seen.final = result.final
    seen.reasoning.join(result.reasoning)
    seen.citations.push(...result.citations)
    run(seen)
  }
}

function requireUsage(usage: unknown): void {
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = fieldsOf(usage)
  for (const [name, count] of Object.entries({ input_tokens, output_tokens, total_tokens })) {
    const isCount = count === undefined || count === null || typeof count === 'number'
    if (!isCount) throw new Thrown('openai-agents-usage', `usage.${name} as a number`, count)
  }
  for (const [name, details] of Object.entries({ input_tokens_details, output_tokens_details })) {
    // It spreads them: a string becomes one entry for each character.
    const counts = typeof details === 'object' || typeof details === 'string' ? Object.values(details ?? {}) : []
    for (const count of counts) {
      if (typeof count !== 'number') throw new Thrown('openai-agents-usage', `numbers in usage.${name}`, count)
    }
  }
}

/** What the run makes of the items: what it shows at once, and what it does. */
function startRun(items: readonly Fields[], { final, reasoning, citations }: Seen): (seen: Seen) => void {
  const thrown: Thrown[] = []
  const calls: { readonly name: string; readonly given: string }[] = []
  const known = new Map<string, string>()
  let [goesOn, lastHasText, lastIsRefusal, hasMessage] = [false, false, false, false]
  for (const [index, item] of items.entries()) {
    const { type, content, summary, status } = item
    const place = `response.output[${index}]`
    if (type === 'message') {
      const parts = listOf(content).map(fieldsOf)
      const texts = parts.filter((part) => part['type'] === 'output_text')
      for (const { text, annotations } of texts) {
        final?.append(textOf(text))
        citations.push(...citationsOf(listOf(annotations)).filter((source) => source !== ''))
      }
      hasMessage = true
      lastHasText = texts.length > 0
      lastIsRefusal = parts.some(({ refusal }) => textOf(refusal) !== '')
    } else if (type === 'reasoning') {
      for (const part of listOf(summary)) reasoning.append(textOf(fieldsOf(part)['text']))
    } else if (type === 'function_call') {
      goesOn = true
      const { name, namespace, call_id: id, arguments: given } = item
      if (name === '') thrown.push(new Thrown('openai-agents-call', `${place}.name`, name))
      else if (id === '') thrown.push(new Thrown('openai-agents-call', `${place}.call_id`, id))
      const called = typeof namespace === 'string' && namespace !== '' ? `${namespace}.${textOf(name)}` : textOf(name)
      const invocation = `${called} ${textOf(given)}`
      // The same call again is taken for one that it has run.
      if (known.get(textOf(id)) !== invocation) calls.push({ name: called, given: textOf(given) })
      known.set(textOf(id), invocation)
    } else if (type === 'mcp_approval_request') {
      goesOn = true
      const { server_label: label } = item
      if (typeof label !== 'string') thrown.push(new Thrown('openai-agents-tool', `${place}.server_label`, label))
    } else if (type === 'shell_call') {
      if ((status ?? 'in_progress') === 'in_progress') goesOn = true
    } else if (type === 'shell_call_output' && status === 'in_progress') goesOn = true
  }
  // Without an answer it asks again.
  const asksAgain = goesOn || !lastHasText
  if (!goesOn && hasMessage && !lastHasText && lastIsRefusal) {
    thrown.push(new Thrown('openai-agents-refusal', 'an answer', undefined, 'a refusal'))
  } else if (asksAgain) {
    for (const [index, item] of items.entries()) {
      try {
        requireSendable(item, `response.output[${index}]`)
      } catch (one) {
        thrown.push(one as Thrown)
      }
    }
  }
  const [first] = thrown
  const ran = calls.filter(({ given }) => isJSON(given)).map(({ name, given }) => seenCall(name, given))
  return (seen) => {
    if (first === undefined || /(sends-back)$/.test(first.rule)) seen.calls.push(...ran)
    if (first !== undefined) throw first
  }
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
