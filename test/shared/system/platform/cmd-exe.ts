/*
 * A model of how Windows starts a batch file: cmd.exe reads the command line, the batch file reads `%*` again as it passes it
 * on, and the C runtime of its program splits the rest into arguments. Written from the descriptions of the three, not from
 * the code that escapes for them.
 */

/** A variable of every cmd.exe: the command line that started it. Its last character is a quote. */
const VARIABLES: Readonly<Record<string, string>> = {
  PATH: 'C:\\Windows;C:\\Program Files\\nodejs',
  CMDCMDLINE: 'cmd.exe /d /s /c "npx.cmd"',
}

/** What a command line starts. */
export interface Started {
  /** The commands that cmd.exe runs, in either reading. One is meant. */
  readonly commands: number
  /** The arguments of the batch file's program. */
  readonly args: readonly string[]
}

/** @param line - after `/d /s /c`, with the quotes that `/s` takes off */
export function startBatchFile(line: string): Started {
  const first = readLine(withVariables(line.slice(1, -1)))
  const [batch = ''] = first
  // The file has `"node.exe" "cli.js" %*`: the parameters are put in after variables were.
  const parameters = batch.slice(/^(?:\^.|[^\s"^])*/.exec(batch)?.[0].length ?? 0)
  const second = readLine(`"node.exe" "cli.js"${parameters}`)
  return { commands: first.length + second.length - 1, args: argumentsOf(second[0] ?? '').slice(2) }
}

/** Puts variables in, as on a line that was typed: where there is none, the text stays. */
function withVariables(line: string): string {
  let text = ''
  for (let at = 0; at < line.length; ) {
    const [given = '', name = '', from, length] =
      /^%([^%:]+)(?::~(-?\d*)[^,%]*(?:,(-?\d*)[^%]*)?)?%/.exec(line.slice(at)) ?? []
    const value = VARIABLES[name.toUpperCase()]
    if (given === '' || value === undefined) {
      text += line[at]
      at += 1
      continue
    }
    const rest = from === undefined ? value : value.slice(Number(from))
    text += length === undefined ? rest : rest.slice(0, Number(length))
    at += given.length
  }
  return text
}

/** Splits a line into its commands, without the carets that escape. A redirection counts as another command. */
function readLine(line: string): string[] {
  const commands = ['']
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string
    // What is behind a line break is another line, which `/c` does not read; a batch file would run it.
    if (/[\r\n\0]/.test(character)) return line.slice(at + 1) === '' ? commands : [...commands, line.slice(at + 1)]
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted || !/[\^&|<>]/.test(character)) commands[commands.length - 1] += character
    else if (character === '^') {
      at += 1
      commands[commands.length - 1] += line[at] ?? ''
    } else commands.push('')
  }
  return commands
}

/** Splits a command line as the C runtime does. */
function argumentsOf(line: string): string[] {
  const args: string[] = []
  let arg: string | undefined
  let isQuoted = false
  for (let at = 0; at < line.length; ) {
    const [slashes = ''] = /^\\*/.exec(line.slice(at)) ?? []
    const next = line[at + slashes.length]
    at += slashes.length + 1
    if (next === '"') {
      arg = (arg ?? '') + '\\'.repeat(slashes.length >> 1)
      if (slashes.length % 2 === 1) arg += '"'
      else isQuoted = !isQuoted
      continue
    }
    if (slashes !== '') arg = (arg ?? '') + slashes
    if (next === undefined) continue
    if (isQuoted || !/[ \t]/.test(next)) arg = (arg ?? '') + next
    else if (arg !== undefined) {
      args.push(arg)
      arg = undefined
    }
  }
  return arg === undefined ? args : [...args, arg]
}
