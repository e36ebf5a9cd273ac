import { expect, test } from 'vitest'
import { serverState } from '../../../../src/endpoint/stores/redis/server-state.js'

const INFO = {
  redis_version: '7.2.4',
  run_id: 'abc',
  loading: '0',
  role: 'master',
  cluster_enabled: '0',
  maxmemory_policy: 'noeviction',
  aof_enabled: '1',
  master_replid2: '0000000000000000000000000000000000000000',
}
const SETTINGS = { appendfsync: 'always', 'no-appendfsync-on-rewrite': 'no' }
type Facts = Readonly<Record<string, string>>

/** What a store makes of a server that says this of itself. */
function stateOf(info: Facts = {}, settings: Facts = {}, durability: 'process' | 'power' = 'power') {
  const lines = Object.entries({ ...INFO, ...info }).map(([name, value]) => `${name}:${value}\r\n`)
  const all: Facts = { ...SETTINGS, ...settings }
  const ask = async (command: string, _get?: string, name = ''): Promise<unknown> => {
    if (command === 'INFO') return `# Server\r\n${lines.join('')}`
    if (all[name] === 'hidden') throw new Error("ERR unknown command 'CONFIG'")
    return [name, all[name]].map((text) => Buffer.from(String(text)))
  }
  return serverState(ask as never, durability)
}

test('a server in order loses nothing, and was never a copy', async () => {
  expect(await stateOf()).toEqual({ run: 'abc', isSafe: true, isOriginal: true })
})

test.each([
  ['is loading its file, and says that it writes none', { loading: '1', aof_enabled: '0' }, {}, /^LOADING /],
  ['is too old', { redis_version: '6.2.14' }, {}, 'createRedisStore: expected Redis 7 or newer, or Valkey, got 6.2.14'],
  ['is a Cluster', { cluster_enabled: '1' }, {}, 'expected a server that is no Cluster'],
  ['is a replica', { role: 'slave' }, {}, 'expected the server that takes writes, got a replica of it'],
  [
    'may drop any key',
    { maxmemory_policy: 'allkeys-lfu' },
    {},
    'noeviction, got allkeys-lfu, which may drop responses',
  ],
  [
    'may drop keys that expire',
    { maxmemory_policy: 'volatile-ttl' },
    {},
    'noeviction, got volatile-ttl, which may drop',
  ],
  ['writes no file', { aof_enabled: '0' }, {}, 'expected appendonly yes for durability power'],
  [
    'writes at times',
    {},
    { appendfsync: 'everysec' },
    'expected appendfsync always, got everysec, for durability power',
  ],
  [
    'does not write while it copies its file',
    {},
    { 'no-appendfsync-on-rewrite': 'yes' },
    'expected no-appendfsync-on-rewrite no for durability power',
  ],
  ['hides its settings', {}, { appendfsync: 'hidden' }, 'expected a user that may read appendfsync (CONFIG GET)'],
] as const)(
  'a server that %s is refused where a power failure may lose nothing',
  async (_what, info, settings, said) => {
    await expect(stateOf(info, settings)).rejects.toThrow(said)
  },
)

test.each([
  ['writes no file', { aof_enabled: '0' }, {}],
  ['writes at times', {}, { appendfsync: 'everysec' }],
  ['does not write while it copies its file', {}, { 'no-appendfsync-on-rewrite': 'yes' }],
  ['hides its settings', {}, { appendfsync: 'hidden' }],
] as const)('a server that %s is taken otherwise, and not believed to lose nothing', async (_what, info, settings) => {
  expect(await stateOf(info, settings, 'process')).toMatchObject({ isSafe: false })
})

test('a server that was made the first one of its copies may lack what these had not got', async () => {
  expect(await stateOf({ master_replid2: 'f00d' })).toMatchObject({ isSafe: true, isOriginal: false })
})
