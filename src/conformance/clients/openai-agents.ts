import { fieldsOf, isFields, type StreamEvent, textOf } from '../stream-event.js'
import { type RunResult, runOf } from './agents/run.js'
import { type Breaks, type ClientModel, type ClientReader, type ClientRule, Seen } from './client.js'
import { appended } from './grown-text.js'
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
  'openai-agents-call':
    'A call has a name and a call_id of its own, an approval request an id, a name and a server_label: a run of the ' +
    'Agents SDK throws without.',
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
    namespaces: true,
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
  /** What the run makes of the response, of which it takes the last. */
  #result: RunResult | undefined
  #isOver = false

  constructor(breaks: Breaks) {
    this.#breaks = breaks
  }

  read(event: StreamEvent): void {
    if (!this.#isOver) this.#try(() => this.#read(event))
  }

  end(): void {
    if (this.#isOver) return
    this.#try(() => this.#finish())
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
      else this.#result = runOf(fieldsOf(response))
    }
  }

  #finish(): void {
    const { seen } = this
    if (this.#result === undefined) {
      throw new Thrown('openai-agents-terminal', 'response.completed', undefined, 'the end')
    }
    const { text, reasoning, calls, citations } = this.#result
    seen.final = text
    seen.reasoning.join(reasoning)
    seen.calls.push(...calls)
    seen.citations.push(...citations)
    seen.ending = 'completed'
  }
}

const UNSUCCESSFUL = /^response\.(failed|incomplete|error)$/
