import type { HarmonyMessage } from '../../../harmony/events.js'
import { FUNCTIONS, PYTHON } from '../../../harmony/namespaces.js'
import { answer, call, type ScriptedMessage, type ScriptedPrompt, think } from '../../../testing/index.js'
import { exampleArguments } from './example-arguments.js'
import { type TaughtCallee, taughtCallees } from './taught-tools.js'

/** How much of what others wrote is repeated. */
const QUOTED = 200

/**
 * What the model says to a prompt that no recording answers: it thinks, calls a tool if the user names one or the host
 * has begun its call, and answers when the tool has. It depends on the prompt alone.
 */
export function scriptedTurn({ messages, opening }: ScriptedPrompt): readonly ScriptedMessage[] {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'assistant')
  const asked = messages[lastOther]
  const callees = taughtCallees(messages.filter(({ role }) => role === 'system' || role === 'developer'))
  const callee = asked?.role === 'tool' ? undefined : choose(callees, asked, opening)
  const pieces = asked?.role === 'tool' ? afterTool(asked) : callee ? calling(callee) : answering(asked)
  // What it has said of this turn already: it was cut off to go on.
  return pieces.slice(Math.min(messages.length - 1 - lastOther, pieces.length - 1))
}

/**
 * The tool that the host has begun to call, or that the user's words name: wholly, by a word of its name, or by a word of
 * its server's label. Undefined where nothing asks for a call: a model says hello to a hello, too.
 */
function choose(
  callees: readonly TaughtCallee[],
  asked: HarmonyMessage | undefined,
  opening: string,
): TaughtCallee | undefined {
  const [, demanded, anyOf] = / to=([^\s<]*)()/.exec(opening) ?? []
  const said = (asked?.content ?? '').slice(0, READ)
  const words = new Set(wordsIn(said))
  const isSaid = (name: string): boolean => wordsIn(name).some((word) => words.has(word))
  return (
    callees.find(({ recipient }) => recipient === demanded) ??
    callees.find((one) => said.includes(nameOf(one))) ??
    callees.find((one) => ALIASES.get(one.recipient)?.some((word) => words.has(word)) ?? isSaid(nameOf(one))) ??
    callees.find((one) => isSaid(namespaceOf(one))) ??
    (anyOf === undefined ? undefined : callees[0])
  )
}

/** How much of what the user says is searched for a name, in characters. */
const READ = 10_000
/** Words that ask for a tool whose name is none of them. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([[PYTHON, ['python', 'code', 'calculate', 'compute']]])

function nameOf({ recipient }: TaughtCallee): string {
  return recipient.slice(recipient.indexOf('.') + 1)
}

/** The label of its server, or a declared namespace; empty for what is in none. */
function namespaceOf({ recipient }: TaughtCallee): string {
  const [namespace = '', tool] = recipient.split('.')
  return tool === undefined || namespace === FUNCTIONS ? '' : namespace
}

/** The words of a text or of a name, such as `getWeather`; shorter ones (`get`, `the`) are in everything. */
function wordsIn(text: string): string[] {
  const apart = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return apart.split(/[^\p{L}\d]+/u).filter((word) => word.length >= 4)
}

function calling({ recipient, type }: TaughtCallee): ScriptedMessage[] {
  const said = think(`A script plays the model. It calls ${recipient} with an example of its arguments.`)
  if (recipient === PYTHON) return [said, call(PYTHON, 'print(6 * 7)')]
  return [said, call(recipient, type === 'string' ? 'example' : exampleArguments(type ?? ''))]
}

function afterTool({ name = 'tool', content }: HarmonyMessage): ScriptedMessage[] {
  return [
    think(`The tool has answered, so the script ends.`),
    answer(`${name} answered: ${quoted(content)}\n\nA script plays the model: no recording has this request.`),
  ]
}

function answering(asked: HarmonyMessage | undefined): ScriptedMessage[] {
  return [
    think('A script plays the model. No tool is named, so it answers.'),
    answer(`You said: ${quoted(asked?.content ?? '')}\n\nA script plays the model: no recording has this request.`),
  ]
}

function quoted(text: string): string {
  return text.length <= QUOTED ? text : `${text.slice(0, QUOTED).replace(/[\ud800-\udbff]$/, '')}…`
}
