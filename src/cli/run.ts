import { check } from './check-command.js'
import { type Command, parse } from './command.js'
import { completionOf } from './completion-command.js'
import { corpus } from './corpus-command.js'
import { explain } from './explain-command.js'
import { complaint, errorCode, type Io, UsageError } from './io.js'
import { helpOf, usageOf } from './options/help.js'
import { probe } from './probe-command.js'
import { prompt } from './prompt-command.js'
import { replay } from './replay-command.js'
import { serve } from './serve-command.js'
import { store } from './store-command.js'

export type { Io } from './io.js'

const OTHERS: readonly Command[] = [serve, replay, check, explain, probe, corpus, prompt, store]
const COMMANDS: readonly Command[] = [...OTHERS, completionOf(OTHERS)]

const COMMON = {
  help: { takes: 'nothing', about: '' },
  version: { takes: 'nothing', about: '' },
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
  const { typed, operands } = parse(argv, all)
  const [name] = operands
  const command = COMMANDS.find((each) => each.name === name)
  if (typed.help) return print(command === undefined ? helpOfAll() : helpOf(command), io)
  if (typed.version) return print(`${io.version}\n`, io)
  if (name === undefined) {
    throw new UsageError(`expected a command: ${COMMANDS.map(usageOf).join(', ')} (see --help)`)
  }
  if (command === undefined) {
    const names = COMMANDS.map((each) => each.name).join(', ')
    throw new UsageError(`command: expected one of ${names}, got ${JSON.stringify(name)}`)
  }
  return command.run(argv.toSpliced(argv.indexOf(name), 1), io)
}

function helpOfAll(): string {
  const commands = COMMANDS.map((command) => `  ${usageOf(command).padEnd(16)}  ${command.summary}\n`)
  return `harmony-responses COMMAND: gpt-oss models behind the Responses API: prompts, events, and checks of them

Commands:
${commands.join('')}
A FILE of - is standard input. COMMAND --help lists the options of a command.

  --help
  --version
`
}

async function print(text: string, io: Io): Promise<number> {
  await io.print(text)
  return 0
}
