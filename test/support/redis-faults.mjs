import { createClient, RESP_TYPES } from 'redis'

/*
 * Reads every key of a store in Redis, and computes what it counts and lists from the responses themselves, in its own way.
 */

/** @param {(client: import('redis').RedisClientType) => Promise<unknown>} work - answers are bytes */
async function withClient(url, work) {
  const client = createClient({ url, RESP: 2, commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    client.destroy()
  }
}

async function readAll(client, prefix) {
  const keys = (await client.sendCommand(['KEYS', `${prefix}*`])).map(String).sort()
  const found = { hashes: new Map(), sets: new Map(), sorted: new Map(), streams: new Map(), texts: new Map() }
  for (const key of keys) {
    const name = key.slice(prefix.length)
    const type = String(await client.sendCommand(['TYPE', key]))
    if (type === 'hash') found.hashes.set(name, pairs(await client.sendCommand(['HGETALL', key])))
    if (type === 'set') found.sets.set(name, (await client.sendCommand(['SMEMBERS', key])).map(String))
    if (type === 'zset') found.sorted.set(name, (await client.sendCommand(['ZRANGE', key, '0', '-1'])).map(String))
    if (type === 'stream') found.streams.set(name, await client.sendCommand(['XRANGE', key, '-', '+']))
    if (type === 'string') found.texts.set(name, await client.sendCommand(['GET', key]))
  }
  return found
}

function pairs(list) {
  const map = new Map()
  for (let at = 0; at < list.length; at += 2) map.set(String(list[at]), list[at + 1])
  return map
}

const numberIn = (hash, field) => Number(hash?.get(field)?.toString() ?? 0)
const textIn = (hash, field) => hash?.get(field)?.toString()

export function redisFaults(url, prefix = 'harmony-responses:') {
  return withClient(url, async (client) => faultsIn(await readAll(client, prefix)))
}

/** What still runs. */
export function redisRunning(url, prefix = 'harmony-responses:') {
  return withClient(url, async (client) => {
    const { hashes, sorted, streams } = await readAll(client, prefix)
    const running = [...hashes].filter(([key, row]) => key.startsWith('r:') && textIn(row, 'state') === 'running')
    return [
      ...(sorted.get('leases') ?? []).map((row) => `row ${row} has a lease`),
      ...running.map(([key]) => `${key} has no end`),
      ...[...streams.keys()].map((key) => `${key} is not one block`),
    ]
  })
}

function faultsIn({ hashes, sets, sorted, streams, texts }) {
  const faults = []
  const expect = (what, got, expected) => {
    const [one, other] = [JSON.stringify(got), JSON.stringify(expected)]
    if (one !== other) faults.push(`${what}: expected ${other}, got ${one}`)
  }
  const kind = (name, map = hashes) => [...map].filter(([key]) => key.startsWith(`${name}:`))
  const rows = kind('r').map(([key, row]) => [key.slice(2), row])
  const byRow = new Map(rows)
  const sizes = new Map()
  const items = new Map()
  for (const [row, response] of rows) {
    const state = textIn(response, 'state')
    const blocks = (streams.get(`e:${row}`) ?? []).map(([, [, bytes]]) => bytes.length)
    const entries = blocks.reduce((sum, size) => sum + size, response.get('block')?.length ?? 0)
    const content = (response.get('head')?.length ?? 0) + (texts.get(`b:${row}`)?.length ?? 0)
    expect(`bytes of row ${row}`, numberIn(response, 'bytes'), content)
    if (state !== 'deleted') expect(`bytes of the entries of row ${row}`, numberIn(response, 'entryBytes'), entries)
    sizes.set(row, content + (state === 'ended' ? entries : 0))
    if (state !== 'ended') continue
    let start = 0
    for (const [id, isOutput, size] of JSON.parse(textIn(response, 'items'))) {
      const where = JSON.stringify([textIn(response, 'owner'), id])
      if (id !== null) items.set(where, [...(items.get(where) ?? []), [row, isOutput, start, size]])
      start += size
    }
    expect(`size of the items of row ${row}`, texts.get(`b:${row}`)?.length, start)
  }
  const owners = new Map()
  for (const [key, conversation] of kind('c')) {
    const cid = key.slice(2)
    const members = sets.get(`m:${cid}`) ?? []
    const expected = rows.filter(([, row]) => textIn(row, 'cid') === cid).map(([row]) => row)
    expect(`members of conversation ${cid}`, members.sort(), expected.sort())
    const running = members.filter((row) => textIn(byRow.get(row), 'state') === 'running').length
    expect(`running ones of conversation ${cid}`, numberIn(conversation, 'running'), running)
    const bytes = members.reduce((sum, row) => sum + (sizes.get(row) ?? 0), 0)
    expect(`bytes of conversation ${cid}`, numberIn(conversation, 'bytes'), bytes)
    const owner = textIn(conversation, 'owner')
    const { count, sum, cids } = owners.get(owner) ?? { count: 0, sum: 0, cids: [] }
    owners.set(owner, { count: count + 1, sum: sum + bytes, cids: [...cids, cid] })
  }
  for (const [key, names] of kind('n')) {
    const owner = key.slice(2)
    for (const [, packed] of names) {
      const { count = 0, sum = 0, cids = [] } = owners.get(owner) ?? {}
      owners.set(owner, { count, sum: sum + factsSize(packed), cids })
    }
  }
  const hash = (name) =>
    Object.fromEntries([...(hashes.get(name) ?? [])].map(([field]) => [field, numberIn(hashes.get(name), field)]))
  const counted = (pick) =>
    [...owners].filter(([, owner]) => pick(owner) > 0).map(([name, owner]) => [name, pick(owner)])
  expect('conversations of owners', sortedEntries(hash('owners')), counted(({ count }) => count).sort())
  expect('bytes of owners', sortedEntries(hash('bytes')), counted(({ sum }) => sum).sort())
  for (const [owner, { cids }] of owners)
    expect(`list of ${owner}`, [...(sorted.get(`u:${owner}`) ?? [])].sort(), cids.sort())
  const cids = kind('c').map(([key]) => key.slice(2))
  expect('list of conversations', [...(sorted.get('used') ?? [])].sort(), cids.sort())
  const there = rows.filter(([, row]) => textIn(row, 'state') !== 'deleted')
  expect('total of responses', numberIn(hashes.get('meta'), 'responses'), there.length)
  expect(
    'total of bytes',
    numberIn(hashes.get('meta'), 'bytes'),
    [...owners.values()].reduce((all, { sum }) => all + sum, 0),
  )
  const running = there.filter(([, row]) => textIn(row, 'state') === 'running').map(([row]) => row)
  expect('list of leases', [...(sorted.get('leases') ?? [])].sort(), running.sort())
  expect(
    'ids',
    sortedEntries(Object.fromEntries([...(hashes.get('ids') ?? [])].map(([id, row]) => [id, String(row)]))),
    rows.map(([row, response]) => [textIn(response, 'id'), row]).sort(),
  )
  const listed = kind('i').flatMap(([key, holders]) =>
    [...holders].map(([id, value]) => [JSON.stringify([key.slice(2), id]), holdersIn(String(value))]),
  )
  expect(
    'items',
    listed.map(([where, held]) => [where, held.map(([row, , start, size]) => [row, start, size])]).sort(),
    [...items]
      .map(([where, held]) => [where, held.map(([row, , start, size]) => [row, start, size]).sort(byNumber)])
      .sort(),
  )
  for (const key of [...streams.keys(), ...texts.keys(), ...kind('g').map(([name]) => name)]) {
    if (!byRow.has(key.slice(2))) faults.push(`${key} belongs to nothing`)
  }
  return faults
}

const byNumber = ([one], [other]) => Number(one) - Number(other)
const sortedEntries = (object) => Object.entries(object).sort()

function holdersIn(text) {
  return [...text.matchAll(/(\d+)([a-z])(\d+)\+(\d+);/g)].map(([, row, kind, start, size]) => [
    row,
    kind,
    Number(start),
    Number(size),
  ])
}

/** The size of `facts` in a map of MessagePack. */
function factsSize(packed) {
  const at = packed.indexOf('\xa5facts', 0, 'latin1') + 6
  const first = packed[at]
  if (first >= 0xa0 && first <= 0xbf) return first & 0x1f
  if (first === 0xd9) return packed[at + 1]
  if (first === 0xda) return packed.readUInt16BE(at + 1)
  return packed.readUInt32BE(at + 1)
}
