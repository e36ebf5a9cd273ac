import { isFields } from '../../../shared/fields.js'
import { asFields, asString, type StreamEvent } from '../stream-event.js'
import { type ClientModel, rulesOf } from './client.js'
import { concatenated } from './mutable-text.js'
import { type RunResult, runOf } from './openai-agents/run.js'
import { ThrowingReader } from './throwing-reader.js'
import { Thrown } from './thrown.js'

const RULES = rulesOf({
  'openai-agents-error-key': 'Only an error event has an error: the Agents SDK throws it, whatever the event is.',
  'openai-agents-terminal':
    'A stream ends with response.completed and its response: a run of the Agents SDK throws otherwise. It also throws at ' +
    'response.incomplete and response.failed, which is its way to report them.',
  'openai-agents-response':
    'The response in response.completed has an id, and an array as its output: a run of the Agents SDK throws otherwise. ' +
    'It reads items from no other event.',
  'openai-agents-usage':
    'Usage, if there is any, has only numbers, including its details: a run of the Agents SDK throws otherwise.',
  'openai-agents-item':
    'An item in response.output has the fields of its type: a run of the Agents SDK throws otherwise, and also at null in ' +
    'many optional fields. It reads no other items.',
  'openai-agents-call':
    'A call has a name and a unique call_id, and an approval request an id, a name and a server_label: a run of the ' +
    'Agents SDK throws otherwise.',
  'openai-agents-sends-back':
    'A hosted call has a status that the Agents SDK can send back: a run that continues, such as after a function call, ' +
    'throws otherwise.',
  'openai-agents-refusal': {
    sentence: 'The answer is not a refusal: a run of the Agents SDK throws ModelRefusalError otherwise.',
    fault: 'model',
  },
})

/**
 * A streamed run of the Agents SDK, with an agent that has the called tools. It reads the text deltas, and the items in
 * response.completed, and ignores all other events. After a tool call the run continues, and sends the items back.
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
    // The exception reports the ending.
    incomplete: 'threw',
    failed: 'threw',
    cancelled: 'threw',
  },
  rules: RULES,
  begin: (reportBreak) => new AgentsReader(reportBreak),
}

class AgentsReader extends ThrowingReader<StreamEvent> {
  /** The result from the last response.completed. */
  #result: RunResult | undefined
  /** The event with which the response ended badly. It throws at that, and does not see what went wrong. */
  #failedAt: string | undefined

  override read(event: StreamEvent): void {
    if (this.isOver && event.type === 'error' && this.#failedAt !== undefined)
      this.reportBreak('openai-agents-terminal', `the error event before ${this.#failedAt}`, undefined, 'after it')
    else super.read(event)
  }

  #throw(error: string): void {
    this.isOver = true
    this.seen.ending = 'threw'
    this.seen.error = error
  }

  protected take(event: StreamEvent): void {
    const { type, error, response } = event
    if (type === 'error' || error) {
      this.#throw(asString(isFields(error) ? error['message'] : event['message']))
      if (asString(type).startsWith('response.')) this.reportBreak('openai-agents-error-key', 'no error', error)
    } else if (type === 'response.output_text.delta') this.seen.streamed.append(concatenated(event['delta']))
    else if (UNSUCCESSFUL.test(type)) {
      this.#failedAt = type
      this.#throw(`it ended with ${type}`)
    } else if (type === 'response.completed') {
      if (!response) throw new Thrown('openai-agents-terminal', 'response.completed with a response', response)
      const { status } = asFields(response)
      if (status === 'failed' || status === 'incomplete') this.#throw(`it ended with response.${status}`)
      else this.#result = runOf(asFields(response))
    }
  }

  protected finish(): void {
    const { seen } = this
    if (this.#result === undefined) {
      throw new Thrown('openai-agents-terminal', 'response.completed', undefined, 'the end')
    }
    const { text, reasoning, calls, citations } = this.#result
    seen.final = text
    seen.reasoning.join(reasoning)
    for (const call of calls) seen.calls.push(call)
    for (const citation of citations) seen.citations.push(citation)
    seen.ending = 'completed'
  }
}

const UNSUCCESSFUL = /^response\.(failed|incomplete|error)$/
