import { listOf } from '../../options/check-list.js'
import type { Arguments } from '../../recipients/arguments.js'
import { COMMAND, commandLineOf, commandOf } from '../../recipients/shell-command.js'
import { copyOf } from '../../responses/copy-of.js'
import type { ShellCallItem } from '../../responses/items.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'
import { argumentsOf, numberOf } from '../parts/arguments-of.js'
import { containerIdOf } from '../parts/container-id.js'

/*
 * shell_call: commands for a shell (container.exec, if the request declares shell)
 *
 *     output_item.added
 *       shell_call_command.added      at the terminator
 *       shell_call_command.delta
 *       shell_call_command.done
 *     output_item.done
 *
 * The model writes the command inside JSON, so it is known only when the JSON is complete. If the tool's environment is
 * a container, the host runs it and its result becomes a shell_call_output; otherwise the client runs it.
 */

export interface ShellCall extends ItemState {
  type: 'shell_call'
  callId: string
  action: ShellCallItem['action']
  environment: ShellCallItem['environment']
}

export const shellCall: ItemKind<ShellCall> = {
  prefix: 'sh',
  result: 'own item',
  lists: { shell: listOf('stdout', 'stderr') },
  isRunByClient: true,

  isHosted: ({ environment }) => environment === 'container',

  create: ({ environment }, context) => ({
    callId: '',
    action: { commands: [], timeout_ms: null, max_output_length: null },
    ...(environment === 'container'
      ? { environment: { type: 'container_reference', container_id: containerIdOf('shell', context) } }
      : { environment: environment && { type: environment } }),
  }),

  finish(item, context) {
    item.action = argumentsOf(item, COMMAND, actionOf, context) ?? item.action
  },

  answer: (call, result) => ({ kind: 'shell_call_output', call, result }),

  wire: (item) => ({
    call_id: item.callId,
    action: copyOf(item.action),
    environment: copyOf(item.environment),
  }),
}

function actionOf(given: Arguments): ShellCallItem['action'] | undefined {
  const { timeout, max_output_length } = given
  const command = commandOf(given)
  return (
    command && {
      commands: [commandLineOf(command)],
      timeout_ms: numberOf(given['timeout_ms'] ?? timeout),
      max_output_length: numberOf(max_output_length),
    }
  )
}
