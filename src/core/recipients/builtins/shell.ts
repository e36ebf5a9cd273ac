import { fieldOf, objectAt, optionalIntegerIn, textsIn } from '../../../shared/request-fields.js'
import { shellText } from '../shell-text.js'
import type { Builtin, DeclaredEnvironment } from './builtin.js'
import { commandShown, container, EXEC } from './container.js'

const LIMITS = {
  max_output_length: { type: 'number', description: 'How many characters of output to return at most' },
}

export const shell: Builtin<
  'shell_call',
  'environment',
  { readonly kind: 'shell_call'; readonly environment: DeclaredEnvironment }
> = {
  item: 'shell_call',
  runBy: 'environment',
  recipients: { [EXEC]: null },
  callee: (_, environment) => ({ kind: 'shell_call', environment }),
  namespace: () => container(LIMITS),
  address: EXEC,
  channel: 'commentary',
  recipientAfter: 'channel',
  body: 'json',
  replacedBy: { label: 'container', tool: 'exec' },
  example: {
    type: 'shell_call',
    id: '',
    status: 'completed',
    call_id: '',
    action: { commands: [], timeout_ms: null, max_output_length: null },
    environment: { type: 'container_reference', container_id: '' },
  },
  isHosted: ({ environment }) => environment?.type === 'container_reference',
  // The status reports only that the command is complete. The result is an item of its own.
  isWaiting: () => true,
  isInsertable: false,
  recipientOf: () => EXEC,
  actionOf: () => undefined,
  asked: ({ action }) => action,
  shown: commandShown,
  // Joins the commands to one script.
  written(item, param) {
    const action = objectAt(fieldOf(item, 'action') ?? {}, `${param}.action`)
    const commands = textsIn(action, 'commands', `${param}.action`)
    const timeout = optionalIntegerIn(action, 'timeout_ms', `${param}.action`)
    const limit = optionalIntegerIn(action, 'max_output_length', `${param}.action`)
    const given = {
      cmd: ['bash', '-lc', commands.join('\n')],
      ...(timeout !== undefined && { timeout_ms: timeout }),
      ...(limit !== undefined && { max_output_length: limit }),
    }
    return { recipient: EXEC, content: JSON.stringify(given) }
  },
  data: ['shell'],
  resultText: ({ shell }) => shell && shellText(shell),
}
