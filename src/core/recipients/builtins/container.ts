import { CONTAINER } from '../../harmony/namespaces.js'
import { parseArguments } from '../arguments.js'
import { COMMAND, commandLineOf, commandOf } from '../shell-command.js'
import type { BuiltinNamespace } from './builtin.js'

/** The recipient of both shells. Pure, so that the core can leave it out. */
export const EXEC: string = /* @__PURE__ */ (() => `${CONTAINER}.exec`)()

/** No official text exists. The arguments are those that a `shell_call` or a `local_shell_call` can carry. */
export function container(settings: Record<string, object>): BuiltinNamespace {
  return {
    name: CONTAINER,
    description: 'Runs commands on a computer. Files and changes stay there between calls.',
    tools: [
      {
        name: 'exec',
        description: 'Runs a program and returns its output.',
        parameters: {
          type: 'object',
          properties: {
            [COMMAND]: {
              type: 'array',
              items: { type: 'string' },
              description: 'The program and its arguments. For a line of shell script: ["bash", "-lc", "ls | wc -l"]',
            },
            timeout: { type: 'number', description: 'In milliseconds' },
            ...settings,
          },
          required: [COMMAND],
        },
      },
    ],
  }
}

/** Returns the command line of a shell call, the only part that its item shows. */
export function commandShown(content: string): string {
  const command = commandOf(parseArguments(content, COMMAND) ?? {})
  return command === undefined ? '' : commandLineOf(command)
}
