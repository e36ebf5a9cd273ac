import type { Arguments } from './arguments.js'

/*
 * Reads and writes the commands of shells. gpt-oss's own tool (container.exec) takes the program and its arguments as
 * `cmd`; models also write `command`, or a single string.
 */

/** The argument that holds the command. */
export const COMMAND = 'cmd'

/**
 * Returns a program and its arguments: `["bash", "-lc", "ls"]`. A single string is a shell script. Undefined if a word
 * is a list or an object.
 */
export function commandOf({ cmd, command }: Arguments): string[] | undefined {
  const given = command ?? cmd
  if (typeof given === 'string' && given !== '') return ['bash', '-lc', given]
  const isCommand = Array.isArray(given) && given.length > 0 && given.every((word) => Object(word) !== word)
  return isCommand ? given.map(String) : undefined
}

/** Returns the command as one line for a shell: a script unchanged, other commands with their words quoted. */
export function commandLineOf(command: readonly string[]): string {
  const [program = '', option = '', script] = command
  if (/(^|\/)(ba|z)?sh$/.test(program) && /^-l?c$/.test(option) && command.length === 3) return script as string
  return command.map(quoted).join(' ')
}

/** Quotes a first word with `=` too, because the shell would read it as an assignment. */
function quoted(word: string, position: number): string {
  const isPlain = (position === 0 ? /^[\w@%+:,./-]+$/ : /^[\w@%+=:,./-]+$/).test(word)
  return isPlain ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
