import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { scriptedServer } from '../support/scripted-server.js'
import type { OwnServer } from '../support/server-program.mjs'
import { ENDED_COMMANDS, ENDED_SERVES } from './ended-commands.js'
import { shareInstalled, writeFiles } from './installed.js'
import { ABOUT, PLAYED } from './played-engines.js'
import { env, freePorts } from './project.js'
import { FILES, otherDayZone, ROBOTS, STARTS, VARIABLES } from './serve-starts.js'
import { inTime, type Started, start, typeIn } from './started.js'
import { type } from './terminal.js'

// A command that hangs does not hold the other journeys up.
vi.setConfig({ testTimeout: 30_000 })

const engines = scriptedServer(ABOUT, ROBOTS)

const installed = inject('installed')
/** A folder with the packed library alone, and one with optional packages beside it. */
let bare: string
let withPeers: string

beforeAll(async () => {
  bare = await createFolder(installed.library)
  withPeers = await createFolder(installed.withPeers)
})
afterAll(() => Promise.all([bare, withPeers].map((folder) => rm(folder, { recursive: true }))))

async function createFolder(from: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'serve-options-'))
  await shareInstalled(folder, from)
  await writeFiles(folder, FILES)
  return folder
}

for (const { options, engine, storeServer, variables: own, needsPeers, obstacle, effects } of STARTS) {
  const typed = options.replace(/\s+/g, ' ')
  const skipped = obstacle === undefined ? '' : ` (skipped: ${obstacle})`
  describe.skipIf(obstacle !== undefined)(`serve ${typed}${skipped}`, () => {
    let started: Started | undefined
    let store: OwnServer | undefined

    beforeAll(async () => {
      const [port] = await freePorts(1)
      const { url, asked } = engines.script(engine ?? PLAYED.vllm)
      store = await storeServer?.launch()
      const ofStore = store && { STORE: store.url }
      const ofEngine = { ENGINE: url, ENGINE_HOST: new URL(url).host }
      const variables = {
        ...VARIABLES,
        ...own,
        ...ofEngine,
        ...ofStore,
        PORT: `${port}`,
        TIME_ZONE: otherDayZone(new Date()),
      }
      const withPort = typed.includes('--port ') ? typed : `--port 0 ${typed}`
      started = await start(withPort, needsPeers ? withPeers : bare, variables, asked)
    })
    afterAll(async () => {
      if (started) expect(await started.terminate(), started.printed).toBe(0)
      await store?.remove()
    })

    test.each(Object.entries(effects))('%s', (_, effect) => effect(started as Started))
  })
}

describe('commands that end', () => {
  let server: Started | undefined

  beforeAll(async () => {
    server = await start('--port 0 --replay', bare, {}, [])
  })
  afterAll(() => server?.terminate())

  test.each(Object.entries({ ...ENDED_COMMANDS, ...ENDED_SERVES }))('%s', async (_, { typed, exitCode, printed }) => {
    const terminal = typeIn(bare, typed, { SERVER: server?.url ?? '' })
    const code = await inTime(terminal, terminal.exit)
    expect(terminal.printed).toMatch(printed)
    expect(code).toBe(exitCode)
  })
})

test('serve ends with exit code 0 at SIGTERM, after a stream', async () => {
  const { post, terminate } = await start('--port 0 --replay', bare, {}, [])
  const { text } = await post('/v1/responses', { input: 'What is the capital of France?', stream: true })
  const code = await terminate()
  expect(text).toMatch(/^event: response\.created\n[\s\S]*\nevent: response\.completed\ndata: .*\n\n$/)
  expect(code).toBe(0)
})

/** The first word of each title. */
const namesOf = (rows: object): string[] => Object.keys(rows).map((title) => title.split(' ')[0] ?? '')

/** The names in the first column of what `npx` prints in the folder. */
async function shownBy(typed: string): Promise<string[]> {
  const terminal = type(`npx harmony-responses ${typed}`, bare, env)
  expect(await inTime(terminal, terminal.exit), terminal.printed).toBe(0)
  return Array.from(terminal.printed.matchAll(/^ {2}((?:--)?[a-z]\S*)/gm), ([, name = '']) => name)
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].toSorted()

test('every option that serve --help shows has a row here with an effect, and no other has', async () => {
  const rows = [...STARTS.map(({ effects }) => effects), ENDED_SERVES].flatMap(namesOf)
  expect(sorted(rows)).toEqual(sorted(await shownBy('serve --help')))
})

test('serve --help shows the options that a configuration may have, --config and --help', async () => {
  const schema = join(bare, 'node_modules/harmony-responses/docs/serve-config.schema.json')
  const { $schema: _, ...options } = JSON.parse(await readFile(schema, 'utf8')).properties
  const names = ['config', ...Object.keys(options), 'help'].map((name) => `--${name}`)
  expect(sorted(await shownBy('serve --help'))).toEqual(sorted(names))
})

test('every command that --help shows has a row here, and no other has', async () => {
  expect(sorted(namesOf(ENDED_COMMANDS))).toEqual(sorted(await shownBy('--help')))
})

test('an option whose effect a row shows is typed in that row', () => {
  const typed = [
    ...STARTS.flatMap(({ options, effects }) => namesOf(effects).map((name) => [name, options])),
    ...Object.entries(ENDED_SERVES).map(([title, row]) => [title.split(' ')[0], row.typed]),
  ]
  expect(typed.filter(([name, line]) => !line?.split(/\s+/).includes(name ?? ''))).toEqual([])
})
