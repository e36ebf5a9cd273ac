import { check } from './check-command.js'
import { type Command, parse } from './command.js'
import { corpus } from './corpus-command.js'
import { explain } from './explain-command.js'
import { complaint, errorCode, type Io, UsageError } from './io.js'
import { probe } from './probe-command.js'
import { prompt } from './prompt-command.js'
import { replay } from './replay-command.js'
import { serve } from './serve-command.js'

export type { Io } from './io.js'

const COMMANDS: readonly Command[] = [serve, replay, check, explain, probe, corpus, prompt]

const COMMON = {
  help: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
} as const

/**
 * Runs the command line.
 *
 * @param argv - the arguments alone
 * @returns the exit code: 0; 1 if the input is invalid or a check finds something; 2 for wrong usage or an unreadable
 * file
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await execute(argv, io)
  } catch (error) {
    if (errorCode(error) === 'EPIPE') return 0
    io.complain(complaint(error))
    return error instanceof UsageError ? 2 : 1
  }
}

async function execute(argv: readonly string[], io: Io): Promise<number> {
  const all = Object.assign({}, COMMON, ...COMMANDS.map(({ options }) => options)) as typeof COMMON
  const { values, positionals } = parse(argv, all)
  const [name] = positionals
  const command = COMMANDS.find((each) => each.name === name)
  if (values.help) return print(command === undefined ? helpOfAll() : helpOf(command), io)
  if (values.version) return print(`${io.version}\n`, io)
  if (name === undefined) {
    const usages = COMMANDS.map((each) => `${each.name} ${each.operands}`.trimEnd())
    throw new UsageError(`expected a command: ${usages.join(', ')} (see --help)`)
  }
  if (command === undefined) {
    const names = COMMANDS.map((each) => each.name).join(', ')
    throw new UsageError(`command: expected one of ${names}, got ${JSON.stringify(name)}`)
  }
  return command.run(argv.toSpliced(argv.indexOf(name), 1), io)
}

function helpOfAll(): string {
  const commands = COMMANDS.map(({ name, operands, summary }) => `  ${`${name} ${operands}`.padEnd(14)}  ${summary}\n`)
  return `harmony-responses COMMAND: gpt-oss models behind the Responses API: prompts, events, and checks of them

Commands:
${commands.join('')}
A FILE of - is standard input. COMMAND --help lists the options of a command.

  --help
  --version
`
}

function helpOf({ name, operands, summary, help }: Command): string {
  return `${`harmony-responses ${name} ${operands}`.trimEnd()}: ${summary}\n\n${help}`
}

async function print(text: string, io: Io): Promise<number> {
  await io.print(text)
  return 0
}
