import { type FunctionTools, functionTools } from '../../../src/endpoint/tools/functions.js'
import { answer, call, type Script, type ScriptedEngine, think } from '../../../src/testing/index.js'

/* A conversation in which the model calls the server's tool, which its client is not shown, and then the client's. */

export const dice: FunctionTools = functionTools('dice', {
  roll: { description: 'Rolls a die.', parameters: { type: 'object', properties: {} }, run: () => '4' },
})

export const MIXED: Script = [
  [think('I roll.'), call('dice.roll', {})],
  [think('The weather.'), call('functions.get_weather', {})],
  answer('A 4 and rain.'),
  answer('As I said.'),
]

/** The model's prompt after the client has sent the result of its call. */
export const CONVERSATION: readonly string[] = [
  'user: Roll, and the weather?',
  'assistant: I roll.',
  'assistant: {}',
  'tool: 4',
  'assistant: The weather.',
  'assistant: {}',
  'tool: rain',
]

/** The model's messages of a conversation, without the first two. */
export const readBy = ({ engine }: { readonly engine: ScriptedEngine }): string[] =>
  (engine.calls.at(-1)?.messages ?? []).slice(2).map(({ role, content }) => `${role}: ${content}`)
