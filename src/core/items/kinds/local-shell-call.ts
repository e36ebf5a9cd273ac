import type { Arguments } from '../../recipients/arguments.js'
import { COMMAND, commandOf } from '../../recipients/shell-command.js'
import { copyOf } from '../../responses/copy-of.js'
import type { LocalShellCallItem } from '../../responses/items.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'
import { argumentsOf, numberOf } from '../parts/arguments-of.js'

/*
 * local_shell_call: a command for the client's machine (container.exec, if the request declares local_shell)
 *
 *     output_item.added               at the terminator, with the whole command
 *     output_item.done
 */

export interface LocalShellCall extends ItemState {
  type: 'local_shell_call'
  callId: string
  action: LocalShellCallItem['action']
}

export const localShellCall: ItemKind<LocalShellCall> = {
  prefix: 'lsh',
  opens: 'terminator',
  isRunByClient: true,

  create: () => ({ callId: '', action: actionOf([], {}) }),

  finish(item, context) {
    item.action = argumentsOf(item, COMMAND, (given) => actionOf(commandOf(given), given), context) ?? item.action
  },

  wire: (item) => ({ call_id: item.callId, action: copyOf(item.action) }),
}

function actionOf(command: string[], given: Arguments): LocalShellCallItem['action']
function actionOf(command: string[] | undefined, given: Arguments): LocalShellCallItem['action'] | undefined
function actionOf(command: string[] | undefined, given: Arguments): LocalShellCallItem['action'] | undefined {
  const { env, user } = given
  const timeout = numberOf(given['timeout_ms'] ?? given['timeout'])
  const folder = given['working_directory'] ?? given['workdir']
  // Absent options are omitted: the AI SDK rejects the item if one of these is null.
  return (
    command && {
      type: 'exec',
      command,
      env: environmentOf(env),
      ...(timeout !== null && { timeout_ms: timeout }),
      ...(typeof user === 'string' && { user }),
      ...(typeof folder === 'string' && { working_directory: folder }),
    }
  )
}

function environmentOf(env: unknown): { [name: string]: string } {
  const entries = typeof env === 'object' && !Array.isArray(env) ? Object.entries(env ?? {}) : []
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (Object(value) === value ? [] : [[name, String(value)]])),
  )
}
