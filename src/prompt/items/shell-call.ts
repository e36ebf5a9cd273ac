import type { Fields } from '../../fields.js'
import { CONTAINER } from '../../harmony/namespaces.js'
import type { ShellOutput } from '../../responses/items.js'
import { fieldOf, listAt, nameIn, objectAt, optionalIntegerIn, optionalTextIn, textIn, textsIn } from '../fields.js'
import { shellText } from '../result-text.js'
import { CALL, JSON_BODY } from './call-header.js'
import type { ItemReader } from './item-reader.js'

const CALLEE = { recipient: `${CONTAINER}.exec`, channel: 'commentary' } as const

/** Reads shell_call: its commands as one script. */
export const readShellCall: ItemReader = (item, { conversation }, index, param) => {
  const action = objectAt(fieldOf(item, 'action') ?? {}, `${param}.action`)
  const commands = textsIn(action, 'commands', `${param}.action`)
  const timeout = optionalIntegerIn(action, 'timeout_ms', `${param}.action`)
  const limit = optionalIntegerIn(action, 'max_output_length', `${param}.action`)
  const given = {
    cmd: ['bash', '-lc', commands.join('\n')],
    ...(timeout !== undefined && { timeout_ms: timeout }),
    ...(limit !== undefined && { max_output_length: limit }),
  }
  conversation.call('shell call', nameIn(item, 'call_id', param), CALLEE, callWith(given, index), param)
}

/** Reads local_shell_call: its command as words. */
export const readLocalShellCall: ItemReader = (item, { conversation }, index, param) => {
  const action = objectAt(fieldOf(item, 'action') ?? {}, `${param}.action`)
  const variables = objectAt(fieldOf(action, 'env') ?? {}, `${param}.action.env`)
  const env = Object.keys(variables).map((name) => [name, textIn(variables, name, `${param}.action.env`)])
  const folder = optionalTextIn(action, 'working_directory', `${param}.action`)
  const user = optionalTextIn(action, 'user', `${param}.action`)
  const timeout = optionalIntegerIn(action, 'timeout_ms', `${param}.action`)
  const given = {
    cmd: textsIn(action, 'command', `${param}.action`),
    ...(folder !== undefined && { workdir: folder }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(user !== undefined && { user }),
    ...(timeout !== undefined && { timeout }),
  }
  conversation.call('local shell call', nameIn(item, 'call_id', param), CALLEE, callWith(given, index), param)
}

/** Reads shell_call_output: each command's output and exit. */
export const readShellCallOutput: ItemReader = (item, { conversation }, index, param) => {
  const outputs = listAt(fieldOf(item, 'output') ?? [], `${param}.output`)
  const text = shellText(outputs.map((output, at) => outputAt(output, `${param}.output[${at}]`)))
  conversation.output(nameIn(item, 'call_id', param), {
    kind: 'shell call',
    item: index,
    param,
    text,
    isMissing: outputs.length === 0,
  })
}

/** Reads local_shell_call_output, which names its call by `call_id` or, in OpenAI's type, by `id`. */
export const readLocalShellCallOutput: ItemReader = (item, { conversation }, index, param) => {
  const callId = optionalTextIn(item, 'call_id', param) ?? nameIn(item, 'id', param)
  const text = optionalTextIn(item, 'output', param) ?? ''
  conversation.output(callId, { kind: 'local shell call', item: index, param, text })
}

function callWith(given: Fields, item: number) {
  const content = JSON.stringify(given)
  return { ...CALL, ...JSON_BODY, ...CALLEE, content, item } as const
}

function outputAt(output: unknown, param: string): ShellOutput {
  const fields = objectAt(output, param)
  const outcome = objectAt(fieldOf(fields, 'outcome') ?? {}, `${param}.outcome`)
  const code = optionalIntegerIn(outcome, 'exit_code', `${param}.outcome`) ?? 0
  return {
    stdout: optionalTextIn(fields, 'stdout', param) ?? '',
    stderr: optionalTextIn(fields, 'stderr', param) ?? '',
    outcome: fieldOf(outcome, 'type') === 'timeout' ? { type: 'timeout' } : { type: 'exit', exit_code: code },
  }
}
