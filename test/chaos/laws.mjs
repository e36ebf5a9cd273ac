import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { checkEvents } from '../../dist/judge/conformance/index.js'
import { ask } from './ask.mjs'
import { answerOf } from './model.mjs'

/** The laws that hold once all clients are done. Each returns its violations. */
export const LAWS = {
  'every response ended once, as its clients were told'(world) {
    return world.responses.flatMap(({ id, last, events, kept }) => {
      const ends = (events ?? []).filter(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type)).length
      const broken = []
      if (events !== undefined && ends !== 1) broken.push(`${id}: ended ${ends} times`)
      for (const each of kept) if (!isDeepStrictEqual(each, last)) broken.push(`${id}: ${difference(each, last)}`)
      return broken
    })
  },
  'every response is whole: what its model said, and the result of each call'(world) {
    return world.responses.flatMap(({ id, task, last }) => {
      const expected = task.kind === 'cancelled' ? ['cancelled', 'completed'] : ['completed']
      if (!expected.includes(last.status)) return [`${id}: ${last.status}: ${JSON.stringify(last.error)}`]
      if (last.status !== 'completed') return []
      const asks = last.output.some(({ type }) => type === 'mcp_approval_request')
      if (asks) return task.kind === 'approved' && task.approval === undefined ? [] : [`${id}: asks for an approval`]
      const text = last.output.findLast(({ type }) => type === 'message')?.content[0].text
      const calls = last.output.filter(({ type }) => type === 'mcp_call').length
      const broken = text === answerOf(task) ? [] : [`${id}: said ${JSON.stringify(text)}`]
      return calls === task.calls.length ? broken : [...broken, `${id}: ${calls} calls of ${task.calls.length}`]
    })
  },
  'no client missed a sequence number or had one twice'(world) {
    return world.responses.flatMap(({ id, events = [] }) =>
      events.every(({ sequence_number: number }, at) => number === at) ? [] : [`${id}: out of order`],
    )
  },
  'every stream equals the replay of its journal, at either server'(world) {
    return world.responses.flatMap(({ id, events, replays }) =>
      replays.flatMap((replay) => {
        if (!isDeepStrictEqual(replay, replays[0])) return [`${id}: the servers replay differently`]
        if (events === undefined || isDeepStrictEqual(replay, events)) return []
        const at = events.findIndex((event, index) => !isDeepStrictEqual(event, replay[index]))
        return [`${id}: event ${at}: ${JSON.stringify(events[at])}, replayed ${JSON.stringify(replay[at])}`]
      }),
    )
  },
  'every stream is valid by the judge'(world) {
    return world.responses.flatMap(({ id, replays }) =>
      checkEvents(replays[0]).map((violation) => `${id}: ${JSON.stringify(violation)}`),
    )
  },
  'no tool that may not repeat ran twice, and none says that it ran that did not'(world) {
    const ran = new Map()
    for (const line of readFileSync(world.ledger, 'utf8').split('\n').filter(Boolean)) {
      const { name, order } = JSON.parse(line)
      ran.set(`${name} ${order}`, (ran.get(`${name} ${order}`) ?? 0) + 1)
    }
    world.counts.calls = [...ran.values()].reduce((sum, count) => sum + count, 0)
    const twice = [...ran].filter(([name, count]) => count > 1 && !name.startsWith('look '))
    const claimed = world.responses.flatMap(({ id, last }) =>
      last.output
        .filter(({ type, output }) => type === 'mcp_call' && output?.endsWith(': done'))
        .filter(({ name, arguments: given }) => !ran.has(`${name} ${JSON.parse(given).order}`))
        .map(({ name }) => `${id}: ${name} did not run`),
    )
    return [...twice.map(([name, count]) => `${name} ran ${count} times`), ...claimed]
  },
  'no item of a conversation is lost, there twice, or out of order'(world) {
    return world.conversations.flatMap(({ id, items }) => {
      const [own, ...others] = items
      if (others.some((other) => !isDeepStrictEqual(other, own))) return [`${id}: the servers list other items`]
      const turns = world.responses.filter(({ task }) => task.conversation === id)
      const broken = turns.flatMap(({ id: response, task, last }) => {
        const ids = last.output.map((item) => item.id)
        const at = own.findIndex((item) => item.id === ids[0])
        const asked = own[at - 1]?.content?.[0]?.text
        const isAsked = asked !== undefined && JSON.parse(asked).task === task.task
        const isThere = isDeepStrictEqual(
          own.slice(at, at + ids.length).map((item) => item.id),
          ids,
        )
        return isAsked && isThere ? [] : [`${id}: ${response} is not in it as it was`]
      })
      const count = turns.reduce((sum, { last }) => sum + last.output.length + 1, 0)
      return own.length === count ? broken : [...broken, `${id}: ${own.length} items, of ${count}`]
    })
  },
  'no response, entry or lease is left behind': (world) => world.storeFaults,
  'no client was refused what it may have, or waited for ever': (world) => world.broken,
}

/** The number of responses that are requested at once at the end. */
const AT_ONCE = 16

/** Asks all servers for each response. */
export async function readKept(world) {
  const queue = [...world.responses]
  const reader = async () => {
    for (let response = queue.shift(); response !== undefined; response = queue.shift()) {
      const found = []
      for (const { port } of world.servers) found.push(await keptAt(world, port, response.id))
      response.kept = found.map(({ body }) => body)
      response.replays = found.map(({ replay }) => replay)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, reader))
  for (const conversation of world.conversations) {
    conversation.items = []
    for (const { port } of world.servers) conversation.items.push(await itemsAt(world, port, conversation.id))
  }
}

async function itemsAt({ broken }, port, id) {
  const path = `/v1/conversations/${id}/items?order=asc&limit=100`
  const { status, body } = (await ask(port, 'GET', path, { idleMs: 20_000 })) ?? {}
  if (status === 200 && !body.has_more) return body.data
  broken.push(`${id}: answered with ${status} at the end`)
  return []
}

async function keptAt({ broken }, port, id) {
  const { status, body } = (await ask(port, 'GET', `/v1/responses/${id}`, { idleMs: 20_000 })) ?? {}
  if (status !== 200) broken.push(`${id}: answered with ${status} at the end`)
  const replay = []
  const onEvent = (event) => replay.push(event) > 0
  const answer = await ask(port, 'GET', `/v1/responses/${id}?stream=true`, { idleMs: 20_000, onEvent })
  if (answer?.status !== 200) broken.push(`${id}: replayed with ${answer?.status} at the end`)
  return { body, replay }
}

function difference(one, other) {
  const names = [...new Set([...Object.keys(one ?? {}), ...Object.keys(other)])]
  const differs = names.filter((name) => !isDeepStrictEqual(one?.[name], other[name]))
  return differs
    .map((name) => `${name} is ${JSON.stringify(one?.[name])}, and was ${JSON.stringify(other[name])}`)
    .join('; ')
}
