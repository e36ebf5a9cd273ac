import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, win32 } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { mcpTools } from '../../../../src/endpoint/tools/mcp/index.js'
import { batchFlaw, type Command, type CommandSystem } from '../../../../src/shared/system/platform/batch-files.js'
import { runs } from '../../../support/runs.js'
import { type Started, startBatchFile } from './cmd-exe.js'

const NODE = 'C:\\Program Files\\nodejs'
const FILES = ['node.exe', 'npx.cmd', 'tool.bat', 'old.com'].map((name) => `${NODE}\\${name}`)

function systemOf(platform: string, files: readonly string[] = FILES): CommandSystem {
  const env = { Path: `C:\\Windows;"${NODE}"`, PATHEXT: '.COM;.EXE;.BAT;.CMD' }
  const names = files.map((file) => win32.normalize(file).toLowerCase())
  return { platform, env, isFile: (path) => names.includes(win32.normalize(path).toLowerCase()) }
}
const flawOf = (command: Command, platform = 'win32'): string | undefined => batchFlaw(command, systemOf(platform))

const ATTACKS = [
  ['a"&calc&"', 'a quote'],
  ['{"city":"Oslo"}', 'a quote'],
  ['a\ncalc', 'a line break'],
  ['a\r', 'a line break'],
  ['%CMDCMDLINE:~-1%&calc&%CMDCMDLINE:~-1%', '%…:…%'],
  ['C:\\My Files\\\\', 'two backslashes at its end'],
] as const

describe('a batch file', () => {
  test.each(ATTACKS)('is not given %j', (attack, what) => {
    for (const command of [
      'npx',
      'npx.cmd',
      'NPX',
      `${NODE}\\npx.cmd`,
      'tool',
      'missing',
      'C:/Program Files/nodejs/npx',
    ]) {
      const reason = `expected arguments that cmd.exe can be given, since ${command} is a batch file, got one with ${what}`
      expect(flawOf({ command, args: ['-y', attack] })).toBe(reason)
    }
  })

  test.each(['a&b', 'a|b>c', '%PATH%', '100%', '^', '^^&', "it's", 'C:\\My Files\\', '(x)', '!x!', '', 'a b', '*'])(
    'is given %j',
    (arg) => {
      expect(flawOf({ command: 'npx', args: ['-y', arg] })).toBeUndefined()
    },
  )

  test('is not given a part of a variable that begins in one argument and ends in another', () => {
    expect(flawOf({ command: 'npx', args: ['%PATH:~0', '1%'] })).toContain('%…:…%')
  })
})

test('a program is given anything: no cmd.exe reads it', () => {
  for (const command of ['node', 'node.exe', 'NODE', 'old', `${NODE}\\node.exe`, 'C:/Program Files/nodejs/node']) {
    for (const [attack] of ATTACKS) expect(flawOf({ command, args: [attack] })).toBeUndefined()
  }
})

test('a command is looked for where it would be started: in its folder, then in its own PATH', () => {
  const args = ['"']
  const system = systemOf('win32', [...FILES, 'D:\\work\\npx.exe', 'E:\\bin\\npx.exe'])
  expect(batchFlaw({ command: 'npx', args }, system)).toContain('a quote')
  expect(batchFlaw({ command: 'npx', args, cwd: 'D:\\work' }, system)).toBeUndefined()
  expect(batchFlaw({ command: '.\\npx', args, cwd: 'D:\\work' }, system)).toBeUndefined()
  expect(batchFlaw({ command: 'npx', args, env: { PATH: 'E:\\bin' } }, system)).toBeUndefined()
  expect(batchFlaw({ command: `npx`, args, env: { PATH: 'F:\\bin' } }, system)).toContain('a quote')
})

test.each(['linux', 'darwin'])('on %s every argument is given as it is', (platform) => {
  for (const [attack] of ATTACKS) expect(flawOf({ command: 'npx', args: [attack] }, platform)).toBeUndefined()
})

describe('by a model of cmd.exe, as the MCP SDK starts a batch file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batch-files-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  /** Those of installed packages are escaped once more. */
  const places = ['tools', 'node_modules/.bin'].map((place) => {
    mkdirSync(join(folder, place), { recursive: true })
    const file = join(folder, place, 'npx.cmd')
    writeFileSync(file, '')
    return file
  })

  /** Returns what starts when the SDK starts a command. */
  function starter(): (command: string, args: readonly string[]) => Started {
    pretendWindows()
    const lineOf = linesOfSdk()
    return (command, args) => startBatchFile(lineOf(command, args))
  }

  test('every argument that we let through arrives as it is, and nothing else runs', () => {
    const piece = fc.constantFrom(
      ...'&|<>^%!"\'\\ ()=;,*?:~-1aZ',
      '%PATH%',
      '%CMDCMDLINE:~-1%',
      '\\"',
      '&calc',
      '\n',
      'ü',
    )
    const arg = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    const started = starter()
    fc.assert(
      fc.property(fc.array(arg, { maxLength: 4 }), fc.constantFrom(...places), (args, command) => {
        fc.pre(batchFlaw({ command, args }, systemOf('win32', places)) === undefined)
        expect(started(command, args)).toEqual({ commands: 1, args })
      }),
      { numRuns: runs(40) },
    )
  })

  test.each(ATTACKS.filter(([attack]) => attack.includes('calc')))('%j would run another program', (attack) => {
    expect(starter()(places[0] as string, [attack]).commands).toBeGreaterThan(1)
  })
})

test('an MCP server whose arguments cmd.exe cannot be given is not started, and the host is told why', async () => {
  const errors: unknown[] = []
  const servers = { weather: { command: 'npx', args: ['a"&calc&"'] } }
  const tools = mcpTools({ servers, onError: (error) => errors.push(error) })
  onTestFinished(() => tools.close())
  pretendWindows()
  await tools.listings({ tools: [{ type: 'mcp', server_label: 'weather' }] }, { signal: AbortSignal.timeout(60_000) })
  const message =
    'mcpTools: expected arguments that cmd.exe can be given, since npx is a batch file, got one with a quote'
  expect(errors).toMatchObject([{ name: 'HarmonyResponsesError', code: 'bad_option', message }])
})

/** Returns the line that cross-spawn of the MCP SDK gives cmd.exe, by its own code, loaded as on Windows. */
function linesOfSdk(): (command: string, args: readonly string[]) => string {
  const require = createRequire(createRequire(import.meta.url).resolve('@modelcontextprotocol/client/stdio'))
  for (const file of Object.keys(require.cache)) if (/cross-spawn|which|isexe/.test(file)) delete require.cache[file]
  const { _parse: parse } = require('cross-spawn') as {
    _parse(command: string, args: readonly string[]): { command: string; args: string[] }
  }
  return (command, args) => {
    const parsed = parse(command, [...args])
    expect([parsed.command, ...parsed.args.slice(0, 3)]).toEqual(['cmd.exe', '/d', '/s', '/c'])
    return parsed.args[3] as string
  }
}

/** Lets the code of this test believe that it runs on Windows. */
function pretendWindows(): void {
  const { platform } = process
  Object.defineProperty(process, 'platform', { value: 'win32' })
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }))
}
