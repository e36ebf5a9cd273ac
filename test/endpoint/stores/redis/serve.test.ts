import { afterAll, afterEach, beforeAll } from 'vitest'
import { checkoutAndServer } from '../database/checkout-and-server.js'
import { killAll } from '../database/served.js'
import { type Refusals, sharedServeLaws } from '../database/shared-serve-laws.js'
import { describeWithRedis, type RedisServer, startRedis } from './server.js'

describeWithRedis('serve --store redis://', suite)

function suite(): void {
  const written = { appendonly: 'yes' }
  const place = checkoutAndServer(() => startRedis({ settings: { ...written, appendfsync: 'always' } }))
  let unsafe: RedisServer
  let cluster: RedisServer
  beforeAll(async () => {
    ;[unsafe, cluster] = await Promise.all([
      startRedis({ settings: { ...written, appendfsync: 'everysec' } }),
      startRedis({ settings: { 'cluster-enabled': 'yes' } }),
    ])
  })
  afterEach(killAll)
  afterAll(async () => {
    await Promise.all([unsafe, cluster].map((each) => each.remove()))
  })

  const REFUSALS: Refusals = {
    'no server is there': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(/:\d+$/, ':1') }),
      'HARMONY_RESPONSES_STORE: the database 127.0.0.1:1/0: connect ECONNREFUSED 127.0.0.1:1',
    ],
    'the password is wrong': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace('swordfish', 'hunter2') }),
      '/0: WRONGPASS invalid username-password pair or user is disabled.',
    ],
    'the password is missing': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(':swordfish@', '') }),
      '/0: NOAUTH Authentication required.',
    ],
    'the database is missing': [
      (url) => ({ HARMONY_RESPONSES_STORE: `${url}/77` }),
      '/77: ERR DB index is out of range',
    ],
    'the user may run no scripts': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(':swordfish', 'guest:hunter2') }),
      "/0: NOPERM this user has no permissions to run the 'evalsha' command",
    ],
    'the user may write no keys of that name': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(':swordfish', 'other:hunter2') }),
      "can't access at least one of the keys mentioned in the command arguments",
    ],
    'the server has no TLS, which the URL demands': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace('redis:', 'rediss:') }),
      'HARMONY_RESPONSES_STORE: the database 127.0.0.1',
    ],
    'the keys are of a newer version': [
      (url) => ({ HARMONY_RESPONSES_STORE: `${url}/3` }),
      'HARMONY_RESPONSES_STORE: expected data of version 1 or older, got version 999',
    ],
    'the server may drop keys': [
      (url) => ({ HARMONY_RESPONSES_STORE: url }),
      'HARMONY_RESPONSES_STORE: expected maxmemory-policy noeviction, got volatile-lru, which may drop responses that clients',
    ],
    'the server is a Cluster': [
      () => ({ HARMONY_RESPONSES_STORE: cluster.url }),
      'HARMONY_RESPONSES_STORE: expected a server that is no Cluster, whose slots no step can span',
    ],
    'the server is a replica': [
      () => ({ HARMONY_RESPONSES_STORE: unsafe.url }),
      'HARMONY_RESPONSES_STORE: expected the server that takes writes, got a replica of it',
    ],
    'a power failure would lose a second, which is not allowed': [
      () => ({ HARMONY_RESPONSES_STORE: unsafe.url }),
      'HARMONY_RESPONSES_STORE: expected appendfsync always, got everysec, for durability power',
      ['--durability', 'power'],
    ],
    'the server writes no file, and a power failure may lose nothing': [
      () => ({ HARMONY_RESPONSES_STORE: unsafe.url }),
      'HARMONY_RESPONSES_STORE: expected appendonly yes for durability power',
      ['--durability', 'power'],
    ],
    'the user may not see how it writes its file, and a power failure may lose nothing': [
      (url) => ({
        HARMONY_RESPONSES_STORE: url.replace(':swordfish', 'blind:hunter2'),
      }),
      'HARMONY_RESPONSES_STORE: expected a user that may read appendfsync (CONFIG GET) for durability power',
      ['--durability', 'power'],
    ],
    'the URL has an unknown parameter': [
      (url) => ({ HARMONY_RESPONSES_STORE: `${url}?password=hunter2` }),
      'HARMONY_RESPONSES_STORE: expected no parameters but cacert, cert, key',
    ],
    'the password has a slash that is not escaped': [
      () => ({ HARMONY_RESPONSES_STORE: 'redis://:12/hunter2@localhost' }),
      'HARMONY_RESPONSES_STORE: expected redis://USER:PASSWORD@HOST:PORT/DATABASE, or rediss:// with TLS',
    ],
    'the URL names no database by its number': [
      (url) => ({ HARMONY_RESPONSES_STORE: `${url}/hunter2` }),
      'HARMONY_RESPONSES_STORE: expected the number of a database after the host',
    ],
    'it has no seal keys that others have': [
      (url) => ({ HARMONY_RESPONSES_STORE: url, HARMONY_RESPONSES_SEAL_KEYS: undefined }),
      'machines that share a store need the same keys: --seal-keys FILE or HARMONY_RESPONSES_SEAL_KEYS',
    ],
  }

  async function prepare(what: string): Promise<void> {
    const policy = what === 'the server may drop keys' ? 'volatile-lru' : 'noeviction'
    const rights = ['on', '>hunter2', '~*', '&*', '+@all']
    await place().server.send(
      ['CONFIG', 'SET', 'maxmemory-policy', policy],
      ['ACL', 'SETUSER', 'guest', ...rights, '-@scripting'],
      ['ACL', 'SETUSER', 'other', 'on', '>hunter2', '~other:*', '&*', '+@all'],
      ['ACL', 'SETUSER', 'blind', ...rights, '-config'],
      ['SELECT', '3'],
      ['HSET', 'harmony-responses:meta', 'version', '999'],
    )
    const isReplica = what === 'the server is a replica'
    const replicates = isReplica ? ['127.0.0.1', '1'] : ['NO', 'ONE']
    const written = what === 'the server writes no file, and a power failure may lose nothing' ? 'no' : 'yes'
    await unsafe.send(['REPLICAOF', ...replicates], ['CONFIG', 'SET', 'appendonly', written])
  }

  sharedServeLaws(
    'a shared Redis',
    () => ({ ...place(), shown: `redis://127.0.0.1:${place().server.port}/0` }),
    REFUSALS,
    prepare,
  )
}
