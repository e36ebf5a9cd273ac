import type { Builtin } from './builtin.js'
import { container, EXEC } from './container.js'

const SETTINGS = {
  workdir: { type: 'string', description: 'The folder to run in' },
  env: { type: 'object', additionalProperties: { type: 'string' } },
  user: { type: 'string', description: 'The user to run as' },
}

export const localShell: Builtin<'local_shell_call', 'client'> = {
  item: 'local_shell_call',
  runBy: 'client',
  callee: () => ({ kind: 'local_shell_call' }),
  namespace: () => container(SETTINGS),
  address: EXEC,
  channel: 'commentary',
  body: 'json',
  replacedBy: null,
  example: null,
  isHosted: () => false,
  isWaiting: () => false,
  isInsertable: false,
  recipientOf: () => EXEC,
  actionOf: () => undefined,
}
