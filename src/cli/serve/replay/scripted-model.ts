import type { HarmonyMessage } from '../../../core/harmony/events.js'
import { FUNCTIONS, PYTHON } from '../../../core/harmony/namespaces.js'
import { typescriptOf } from '../../../endpoint/prompt/schema/typescript.js'
import { answer, call, type ScriptedMessage, type ScriptedPrompt, think } from '../../../testing/index.js'
import { exampleArguments } from './example-arguments.js'
import { type TaughtCallee, taughtCallees, taughtFormat } from './taught-tools.js'

/** The maximum number of quoted characters. */
const QUOTED = 200

/**
 * Returns the scripted answer to a prompt without a recording: it thinks, calls a tool if the user names one or the
 * host has begun its call, and answers once the tool has. It depends on the prompt alone.
 */
export function scriptedTurn({ messages, opening }: ScriptedPrompt): readonly ScriptedMessage[] {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'assistant')
  const input = messages[lastOther]
  const head = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const callee = input?.role === 'tool' ? undefined : choose(taughtCallees(head), input, opening)
  const said = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const format = taughtFormat(head)
  const pieces = callee
    ? calling(callee, said)
    : format !== undefined
      ? inFormat(format.schema, said)
      : input?.role === 'tool'
        ? afterTool(input)
        : answering(input)
  // Pieces of this turn that it has already written: the turn was interrupted and continues.
  return pieces.slice(Math.min(messages.length - 1 - lastOther, pieces.length - 1))
}

/**
 * Returns the tool whose call the host has begun, or that the user's text names: by its full name, a word of it, or a
 * word of its server's label. Undefined if nothing asks for a call, so that a greeting gets a greeting.
 */
function choose(
  callees: readonly TaughtCallee[],
  input: HarmonyMessage | undefined,
  opening: string,
): TaughtCallee | undefined {
  const [, demanded, anyOf] = / to=([^\s<]*)()/.exec(opening) ?? []
  const text = (input?.content ?? '').slice(0, READ)
  const words = new Set(wordsIn(text))
  const isSaid = (name: string): boolean => wordsIn(name).some((word) => words.has(word))
  return (
    callees.find(({ recipient }) => recipient === demanded) ??
    callees.find((one) => text.includes(nameOf(one))) ??
    callees.find((one) => ALIASES.get(one.recipient)?.some((word) => words.has(word)) ?? isSaid(nameOf(one))) ??
    callees.find((one) => isSaid(namespaceOf(one))) ??
    (anyOf === undefined ? undefined : callees[0])
  )
}

/** The number of the user's characters that are searched for a name. */
const READ = 10_000
/** Words that select a tool although its name lacks them. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([[PYTHON, ['python', 'code', 'calculate', 'compute']]])

function nameOf({ recipient }: TaughtCallee): string {
  return recipient.slice(recipient.indexOf('.') + 1)
}

/** Returns the label of its server, or a declared namespace; empty without one. */
function namespaceOf({ recipient }: TaughtCallee): string {
  const [namespace = '', tool] = recipient.split('.')
  return tool === undefined || namespace === FUNCTIONS ? '' : namespace
}

/**
 * Splits a text or a name such as `getWeather` into words, without short ones (`get`, `the`), which occur everywhere.
 */
function wordsIn(text: string): string[] {
  const apart = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return apart.split(/[^\p{L}\d]+/u).filter((word) => word.length >= 4)
}

function calling({ recipient, type }: TaughtCallee, said: string): ScriptedMessage[] {
  const reasoning = think(`A script plays the model. It calls ${recipient} with an example of its arguments.`)
  if (recipient === PYTHON) return [reasoning, call(PYTHON, 'print(6 * 7)')]
  return [reasoning, call(recipient, type === 'string' ? quoted(said) : exampleArguments(type ?? '', said))]
}

/** A grammar may hold the answer to more than its type says: the engine then completes it. */
function inFormat(schema: object | undefined, said: string): ScriptedMessage[] {
  const reasoning = think('A script plays the model. It answers in the format that the request demands.')
  const value = schema === undefined ? { answer: quoted(said) } : exampleArguments(typescriptOf(schema), said)
  return [reasoning, answer(JSON.stringify(value))]
}

function afterTool({ name = 'tool', content }: HarmonyMessage): ScriptedMessage[] {
  return [
    think(`The tool has answered, so the script ends.`),
    answer(`${name} answered: ${quoted(content)}\n\nA script plays the model: no recording contains this request.`),
  ]
}

function answering(input: HarmonyMessage | undefined): ScriptedMessage[] {
  return [
    think('A script plays the model. No tool is named, so it answers.'),
    answer(
      `You said: ${quoted(input?.content ?? '')}\n\nA script plays the model: no recording contains this request.`,
    ),
  ]
}

function quoted(text: string): string {
  return text.length <= QUOTED ? text : `${text.slice(0, QUOTED).replace(/[\ud800-\udbff]$/, '')}…`
}
