import { type Command, defineCommand } from './command.js'
import type { Shell } from './completion/index.js'

/** Returns the command that completes itself and the other commands in a shell. */
export function completionOf(others: readonly Command[]): Command {
  const completion: Command = defineCommand({
    name: 'completion',
    operand: { value: 'SHELL', words: ['bash', 'zsh', 'fish'] satisfies readonly Shell[] },
    summary: 'prints what completes the command line in a shell',
    help: [
      `SHELL is bash, zsh or fish. What it prints completes commands, options, their words, files and folders, for the name
harmony-responses; docs/command-line.md says where it belongs.`,
      'Exit codes: 0 printed, 2 wrong usage.',
    ],
    options: {},
    async run(_values, [shell], io) {
      const { completionScript } = await import('./completion/index.js')
      // Cast: it is one of the words.
      await io.print(completionScript(shell as Shell, [...others, completion]))
      return 0
    },
  })
  return completion
}
