import type { Command } from '../command.js'
import { bashCompletion } from './bash.js'
import { completed } from './completed.js'
import { fishCompletion } from './fish.js'
import { zshCompletion } from './zsh.js'

/** A shell that can complete the command line. */
export type Shell = 'bash' | 'zsh' | 'fish'

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

/** Returns the script that completes commands in a shell. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return SCRIPTS[shell](commands.map(completed))
}
