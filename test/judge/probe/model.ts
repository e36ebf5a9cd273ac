import { encodeHarmony } from '../../support/tokens.js'

/** An item of a conversation, or a request, as JSON has it. */
export type Json = { [field: string]: unknown }

/** Unexpected behaviour of a model, which is not its server's fault. */
export type Habit =
  | 'answers in text'
  | 'never comes to its call'
  | 'writes no JSON'
  | 'makes one call'
  | 'calls undeclared tools'
  | 'is brief'
  | 'forgets'
  | 'never reasons'

/** A model that reads its prompt: returns the next sampled token ids. */
export function sample(conversation: readonly Json[], request: Json, habits: readonly Habit[] = []): number[] {
  const has = (habit: Habit): boolean => habits.includes(habit)
  const reasoning = has('never reasons') ? '' : think('The user wants something.')
  const text = conversation.map(inputText).join('\n')
  const last = conversation.at(-1)
  const question = last === undefined ? '' : inputText(last)
  if (last?.['type'] === 'function_call_output' && request['tool_choice'] !== 'required')
    return encodeHarmony(`${reasoning}${answer(`The tool says ${last['output']}.`)}`)

  const called = calledTools(question, request).slice(0, has('makes one call') ? 1 : 5)
  if (called.length > 0 && has('never comes to its call')) return encodeHarmony(think('Let me see. '.repeat(1000)))
  if (called.length > 0 && !has('answers in text')) {
    const good = called[0] === 'book_table' ? BOOKING : '{"city":"Oslo"}'
    const input = has('writes no JSON') ? '{"city": Oslo' : good
    const names = has('calls undeclared tools') ? ['delete_everything'] : called
    return encodeHarmony(`${reasoning}${names.map((name) => call(name, input)).join('<|start|>assistant')}`)
  }
  if (request['text'] !== undefined) {
    const city = '{"city":"Oslo","population":717710}'
    return encodeHarmony(
      `${reasoning}${answer(JSON.stringify(request['text']).includes('"booking"') ? BOOKING : city)}`,
    )
  }
  const [, word] = /Remember this word: ([\w-]+)/.exec(text) ?? []
  if (/^Which word/.test(question)) {
    return encodeHarmony(answer(word === undefined || has('forgets') ? 'I do not know.' : `It was ${word}.`))
  }
  if (/from one to twenty/.test(question) && !has('is brief')) return encodeHarmony(answer(stopped(COUNTED, request)))
  if (/numbers from one/.test(question) && !has('is brief'))
    return encodeHarmony(answer('one, two, three, '.repeat(20)))
  return encodeHarmony(`${has('is brief') ? '' : reasoning}${answer('Hello there!')}`)
}

const BOOKING =
  '{"guests":4,"seating":"outside","wishes":["a high chair"],"contact":{"name":"Kari Nordmann","phone":null}}'

const COUNTED = 'one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen'

/** A text before the first stop string of a request. */
function stopped(text: string, { stop }: Json): string {
  const [first] = Array.isArray(stop) ? stop : []
  return typeof first === 'string' ? (text.split(first)[0] as string) : text
}

/** The names of the tools that the question is about, or that the request demands. */
function calledTools(question: string, { tools, tool_choice: choice, parallel_tool_calls: parallel }: Json): string[] {
  const names = Array.isArray(tools) ? tools.map(({ name }: Json) => String(name)) : []
  if (choice === 'none' || names.length === 0) return []
  if (typeof choice === 'object' && choice !== null) return [String((choice as Json)['name'])]
  const meant = names.filter((name) => question.includes(name.replace('get_', '')))
  if (question.includes('for all five at once'))
    return Array.from({ length: parallel === false ? 1 : 5 }, () => names[0] ?? '')
  return choice === 'required' ? [meant[0] ?? names[0] ?? ''] : meant
}

/** The server's token count of a conversation. */
export const inputTokensOf = (conversation: readonly Json[]): number => conversation.map(inputText).join(' ').length

function inputText({ content, output }: Json): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map((part: Json) => String(part['text'] ?? '')).join('')
  return typeof output === 'string' ? output : ''
}

const think = (text: string): string => `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant`
const answer = (text: string): string => `<|channel|>final<|message|>${text}<|return|>`
const call = (name: string, input: string): string =>
  ` to=functions.${name}<|channel|>commentary <|constrain|>json<|message|>${input}<|call|>`
