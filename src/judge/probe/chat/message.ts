import { type Fields, isFields } from '../../../shared/fields.js'
import { asFields, asList, asString } from '../../conformance/stream-event.js'
import type { AnswerContent } from '../conversation/api-server.js'

/** The content of a chat completion, streamed or not. */
export interface ChatMessage extends AnswerContent {
  readonly reasoning: string
  /** The names of the fields that contain reasoning. */
  readonly reasoningFields: readonly string[]
  /** The token counts, if they came. */
  readonly usage: Fields | undefined
}

const REASONING = ['reasoning_content', 'reasoning'] as const

/** Assembles the chunks of a stream, as clients do. */
export function messageOfChunks(chunks: readonly Fields[]): ChatMessage {
  const texts = { content: '', refusal: '', reasoning_content: '', reasoning: '' }
  const calls = new Map<number, { id: string; name: string; arguments: string }>()
  let finish = ''
  let usage: Fields | undefined
  for (const chunk of chunks) {
    if (isFields(chunk['usage'])) usage = chunk['usage']
    const [choice] = asList(chunk['choices']).map(asFields)
    if (choice === undefined) continue
    const delta = asFields(choice['delta'])
    for (const name of ['content', 'refusal', ...REASONING] as const) texts[name] += asString(delta[name])
    for (const one of asList(delta['tool_calls']).map(asFields)) {
      const named = asFields(one['function'])
      const index = Number(one['index'] ?? calls.size)
      const call = calls.get(index) ?? { id: '', name: '', arguments: '' }
      calls.set(index, call)
      call.id ||= asString(one['id'])
      call.name ||= asString(named['name'])
      call.arguments += asString(named['arguments'])
    }
    finish ||= asString(choice['finish_reason'])
  }
  return { ...parts(texts), ...ended(finish, usage), calls: [...calls.values()] }
}

/** Returns the content of a completion that was not streamed. */
export function messageOfCompletion(completion: Fields): ChatMessage {
  const choice = asFields(asList(completion['choices'])[0])
  const message = asFields(choice['message'])
  const calls = asList(message['tool_calls'])
    .map(asFields)
    .map(({ id, function: named }) => {
      const { name, arguments: given } = asFields(named)
      return { id: asString(id), name: asString(name), arguments: asString(given) }
    })
  const { usage } = completion
  return { ...parts(message), ...ended(asString(choice['finish_reason']), isFields(usage) ? usage : undefined), calls }
}

function ended(
  ending: string,
  usage: Fields | undefined,
): Pick<ChatMessage, 'ending' | 'isCut' | 'outputTokens' | 'usage'> {
  return { ending, isCut: ending === 'length', outputTokens: usage?.['completion_tokens'], usage }
}

function parts(fields: Fields): Pick<ChatMessage, 'text' | 'isRefusal' | 'reasoning' | 'reasoningFields'> {
  const named = REASONING.filter((name) => asString(fields[name]) !== '')
  const [first] = named
  return {
    text: asString(fields['content']),
    isRefusal: asString(fields['refusal']) !== '',
    reasoning: first === undefined ? '' : asString(fields[first]),
    reasoningFields: named,
  }
}

/** The message as a client sends it back: with its calls, and its reasoning as the server named it. */
export function sentBack({ text, reasoning, reasoningFields, calls }: ChatMessage): Fields {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...Object.fromEntries(reasoningFields.map((name) => [name, reasoning])),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: given },
          })),
        }),
  }
}
