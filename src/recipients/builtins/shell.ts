import type { Builtin, DeclaredEnvironment } from './builtin.js'
import { container, EXEC } from './container.js'

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
  callee: (_, environment) => ({ kind: 'shell_call', environment }),
  namespace: () => container(LIMITS),
  address: EXEC,
  channel: 'commentary',
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
}
