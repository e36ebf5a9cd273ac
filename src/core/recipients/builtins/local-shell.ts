import {
  fieldOf,
  objectAt,
  optionalIntegerIn,
  optionalTextIn,
  textIn,
  textsIn,
} from '../../../shared/request-fields.js'
import type { Builtin } from './builtin.js'
import { commandShown, container, EXEC } from './container.js'

const SETTINGS = {
  workdir: { type: 'string', description: 'The folder to run in' },
  env: { type: 'object', additionalProperties: { type: 'string' } },
  user: { type: 'string', description: 'The user to run as' },
}

export const localShell: Builtin<'local_shell_call', 'client'> = {
  item: 'local_shell_call',
  runBy: 'client',
  recipients: { [EXEC]: null },
  callee: () => ({ kind: 'local_shell_call' }),
  namespace: () => container(SETTINGS),
  address: EXEC,
  channel: 'commentary',
  recipientAfter: 'channel',
  body: 'json',
  replacedBy: null,
  example: null,
  isHosted: () => false,
  isWaiting: () => false,
  isInsertable: false,
  recipientOf: () => EXEC,
  actionOf: () => undefined,
  asked: ({ action }) => action,
  shown: commandShown,
  written(item, param) {
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
    return { recipient: EXEC, content: JSON.stringify(given) }
  },
  data: [],
  resultText: () => undefined,
}
