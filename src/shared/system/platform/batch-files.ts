import { nodeModule } from '../node-module.js'

/** A program and its arguments, as they are started. */
export interface Command {
  readonly command: string
  readonly args?: readonly string[]
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** What decides which file a command is. */
export interface CommandSystem {
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  isFile(path: string): boolean
}

/** What no argument of a batch file may have, by its name in messages. */
const FLAWS: readonly (readonly [name: string, pattern: RegExp])[] = [
  // Ends the quotes of the second reading: what follows could be another command.
  ['a quote', /"/],
  // Ends the line.
  ['a line break', /[\r\n\0]/],
  // A part of a variable, `%NAME:~0,1%`, of which the escape becomes a part.
  ['%…:…%', /%[^%]*:[^%]*%/],
  // Of which cross-spawn 7 doubles the last alone, so that the next argument is joined to this one.
  ['two backslashes at its end', /\\\\$/],
]

/**
 * Returns why a command cannot be started as it is; undefined if it can. On Windows, commands such as `npx` are batch
 * files: cmd.exe reads their line as its own language, and once more what the file passes on. The package cross-spawn, by
 * which the MCP SDK starts programs, escapes everything but {@link FLAWS}.
 */
export function batchFlaw(given: Command, system: CommandSystem = thisSystem()): string | undefined {
  const { command, args = [] } = given
  if (system.platform !== 'win32' || /\.(?:exe|com)$/i.test(fileOf(given, system) ?? '')) return undefined
  const line = [command, ...args].join(' ')
  const found = FLAWS.find(([, pattern]) => [...args, line].some((text) => pattern.test(text)))
  if (found === undefined) return undefined
  return `expected arguments that cmd.exe can be given, since ${command} is a batch file, got one with ${found[0]}`
}

/** Returns the file that Windows runs for a command; undefined if there is none. */
function fileOf({ command, env, cwd = '.' }: Command, system: CommandSystem): string | undefined {
  const paths = Object.entries({ ...system.env, ...env }).filter(([name]) => name.toUpperCase() === 'PATH')
  const extensions = (system.env['PATHEXT'] ?? '.EXE;.CMD;.BAT;.COM').split(';')
  const endings = command.includes('.') ? ['', ...extensions] : extensions
  const isAbsolute = /^(?:[a-z]:)?[\\/]/i.test(command)
  const searched = /[\\/]/.test(command) ? [cwd] : [cwd, ...(paths.at(-1)?.[1] ?? '').split(';')]
  const folders = isAbsolute ? [''] : searched.map((folder) => `${folder.replace(/^"(.*)"$/, '$1')}\\`)
  const files = folders.flatMap((folder) => endings.map((ending) => folder + command + ending))
  return files.find((file) => system.isFile(file))
}

interface Files {
  statSync(path: string, options: { throwIfNoEntry: false }): { isFile(): boolean } | undefined
}

function thisSystem(): CommandSystem {
  const { process } = globalThis as { readonly process?: Partial<Pick<CommandSystem, 'platform' | 'env'>> }
  const { platform = '', env = {} } = process ?? {}
  const files = nodeModule('node:fs') as Files | undefined
  return {
    platform,
    env,
    isFile(path) {
      try {
        return files?.statSync(path, { throwIfNoEntry: false })?.isFile() === true
      } catch {
        return false
      }
    },
  }
}
