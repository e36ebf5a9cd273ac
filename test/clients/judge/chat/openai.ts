import { APIError } from 'openai'
import { parsed } from '../meant.js'
import { answeredWith, messageOf } from '../openai.js'
import type { Outcome, Replayer } from '../replay.js'

interface Message {
  readonly content: unknown
  readonly refusal: unknown
  readonly function_call?: { readonly name: unknown; readonly arguments: unknown }
  readonly tool_calls?: readonly {
    readonly type: unknown
    readonly function?: { readonly name: unknown; readonly arguments: unknown }
    readonly custom?: { readonly name: unknown; readonly input: unknown }
  }[]
}

/** `chat.completions.stream()`: text as its events show it, the rest as `finalChatCompletion()` has it. */
export const openaiReplayer: Replayer = {
  client: 'openai',
  async replay(body) {
    let streamed = ''
    try {
      const messages = [{ role: 'user' as const, content: 'Hello' }]
      const stream = answeredWith(body).chat.completions.stream({ model: 'model', messages })
      stream.on('content.delta', ({ delta }) => {
        streamed += delta
      })
      stream.on('refusal.delta', ({ delta }) => {
        streamed += delta
      })
      const { choices } = await stream.finalChatCompletion()
      const said = choices.map(({ message }) => message as unknown as Message)
      return {
        streamed,
        final: said.map(({ content, refusal }) => `${content ?? ''}${refusal ?? ''}`).join(''),
        reasoning: '',
        calls: said.flatMap(callsOf),
        citations: [],
        ending: endingOf(choices[0]?.finish_reason),
        ...finishOf(choices[0]?.finish_reason),
      }
    } catch (error) {
      // An error that the server sends is an API error; input that the SDK refuses is an error of its own.
      const ending = error instanceof APIError ? 'failed' : 'threw'
      return { streamed, reasoning: '', calls: [], citations: [], ending, error: messageOf(error) }
    }
  },
}

function callsOf({ function_call: old, tool_calls: calls }: Message): Outcome['calls'][number][] {
  if (old !== undefined) return [{ name: `${old.name}`, arguments: parsed(`${old.arguments}`) }]
  return (calls ?? []).map(({ type, function: named, custom }) =>
    type === 'custom'
      ? { name: `${custom?.name}`, arguments: parsed(`${custom?.input}`) }
      : { name: `${named?.name}`, arguments: parsed(`${named?.arguments}`) },
  )
}

function endingOf(reason: unknown): Outcome['ending'] {
  if (reason === 'length' || reason === 'content_filter') return 'incomplete'
  return reason === 'stop' || reason === 'tool_calls' || reason === 'function_call' ? 'completed' : 'open'
}

/** Whether the application is told that there are calls to run. */
function finishOf(reason: unknown): Pick<Outcome, 'finish'> {
  if (reason === 'stop') return { finish: 'stop' }
  return reason === 'tool_calls' || reason === 'function_call' ? { finish: 'tool-calls' } : {}
}
