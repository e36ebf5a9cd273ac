import type { Arguments } from './arguments-of.js'

/*
 * What the model asks a shell to run. The tool that gpt-oss knows (container.exec) takes the arguments of a program as
 * `cmd`; models also write `command`, or one string.
 */

/** The argument that says what is to be run. */
export const COMMAND = 'cmd'

/**
 * A program and its arguments: `["bash", "-lc", "ls"]`. One string is a script for a shell. What is a list or an object
 * itself is no word of a command.
 */
export function commandOf({ cmd, command }: Arguments): string[] | undefined {
  const given = command ?? cmd
  if (typeof given === 'string' && given !== '') return ['bash', '-lc', given]
  const isCommand = Array.isArray(given) && given.length > 0 && given.every((word) => Object(word) !== word)
  return isCommand ? given.map(String) : undefined
}

/** The same as a line for a shell: a shell's script as it is, anything else with its words quoted as they need it. */
export function commandLineOf(command: readonly string[]): string {
  const [program = '', option = '', script] = command
  if (/(^|\/)(ba|z)?sh$/.test(program) && /^-l?c$/.test(option) && command.length === 3) return script as string
  return command.map(quoted).join(' ')
}

/** A first word with `=` in it would be an assignment. */
function quoted(word: string, position: number): string {
  const isPlain = (position === 0 ? /^[\w@%+:,./-]+$/ : /^[\w@%+=:,./-]+$/).test(word)
  return isPlain ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
