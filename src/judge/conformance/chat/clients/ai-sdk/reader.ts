import { type Fields, isFields } from '../../../../../shared/fields.js'
import { BaseReader, runByAi, seenCall } from '../../../clients/client.js'
import { faultOf } from '../../../clients/schema-fault.js'
import { Thrown } from '../../../clients/thrown.js'
import { asFields, asList, asString } from '../../../stream-event.js'
import { endingBy } from '../finish-reasons.js'
import { type CallDelta, CallTracker, type TrackedCall } from './call-tracker.js'
import { chunkSchema, errorSchema } from './chunk-schema.js'

/** Simulates `streamText` of ai with the stream reader of @ai-sdk/openai-compatible. */
export class AiSdkReader extends BaseReader<unknown> {
  readonly #tracker = new CallTracker()
  /** Whether the SDK showed an error of its own, not one of the server. */
  #isBroken = false
  /** The last finish_reason; undefined if there is none since the last error. */
  #finish: string | undefined
  #hasFailed = false

  read(chunk: unknown): void {
    if (this.isOver) return
    const isChunk = chunkSchema.safeParse(chunk).success
    if (!isChunk && !errorSchema.safeParse(chunk).success) {
      const isError = isFields(chunk) && chunk['choices'] === undefined && 'error' in chunk
      const { expected, got } = faultOf(isError ? errorSchema : chunkSchema, chunk, '') ?? { expected: '', got: chunk }
      this.reportBreak('chat-ai-sdk-validates', expected, got)
      this.#break('Type validation failed')
      this.#finish = undefined
      return
    }
    const fields = chunk as Fields
    if ('error' in fields) this.#fail(fields, isChunk)
    else if (isFields(asList(fields['choices'])[0])) this.#take(asList(fields['choices'])[0] as Fields)
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    const { seen } = this
    this.#try(() => {
      for (const call of this.#tracker.end()) this.#run(call)
    })
    if (seen.ending === 'threw') return
    if (this.#finish === undefined && !this.#hasFailed && !this.#isBroken) {
      this.reportBreak('chat-ai-sdk-finish', 'a finish_reason', undefined, 'none')
      this.#break('Response stream ended without a finish reason.')
    }
    const ending = this.#finish === undefined && this.#hasFailed ? 'failed' : endingBy(this.#finish)
    seen.ending = this.#isBroken ? 'threw' : ending
    seen.finish = this.#finish
  }

  /** Runs a step in which the SDK may throw: that ends the stream. */
  #try(step: () => void): void {
    try {
      step()
    } catch (thrown) {
      if (!(thrown instanceof Thrown)) throw thrown
      this.reportBreak(thrown.rule, thrown.expected, thrown.got, thrown.words)
      this.#break(`expected ${thrown.expected}`)
      this.isOver = true
      this.seen.ending = 'threw'
    }
  }

  #break(message: string): void {
    this.#isBroken = true
    this.seen.error ??= message
  }

  #fail({ error, choices }: Fields, isChunk: boolean): void {
    this.#finish = undefined
    this.#hasFailed = true
    this.seen.error ??= asString(asFields(error)['message'])
    if (isChunk) this.reportBreak('chat-ai-sdk-error-key', 'no error beside choices', error)
    if (isChunk && choices !== undefined && typeof asFields(error)['message'] !== 'string') this.#isBroken = true
  }

  #take({ finish_reason: reason, delta: given }: Fields): void {
    if (typeof reason === 'string') this.#finish = reason
    if (!isFields(given)) return
    const { content, reasoning_content, reasoning, refusal, tool_calls: calls } = given
    this.seen.reasoning.append(asString(reasoning_content ?? reasoning))
    if (typeof content === 'string') this.seen.streamed.append(content)
    for (const part of asList(content).map(asFields)) this.#part(part)
    this.seen.streamed.append(asString(refusal))
    this.#try(() => {
      for (const call of asList(calls)) this.#tracker.take(call as CallDelta)
    })
  }

  #part({ type, text, thinking }: Fields): void {
    if (type === 'text' && typeof text === 'string') this.seen.streamed.append(text)
    if (type !== 'thinking') return
    for (const one of asList(thinking).map(asFields)) {
      if (one['type'] === 'text') this.seen.reasoning.append(asString(one['text']))
    }
  }

  #run({ name, given }: TrackedCall): void {
    if (!runByAi(this.seen, seenCall(name, given), given))
      this.reportBreak('chat-ai-sdk-tool-input', 'arguments as valid JSON', given)
  }
}
