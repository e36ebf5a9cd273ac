import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ask } from './ask.mjs'
import { bodyOf } from './tasks.mjs'

/**
 * A connection on which nothing comes for so long is dead: servers that live send a comment twice a second. It is longer after each
 * that was, and so is the wait before the next one: a machine with much to do is not given more.
 */
const IDLE_MS = 2500
const WAIT_MS = 20
const MAX_DOUBLINGS = 4
const TERMINAL = ['response.completed', 'response.incomplete', 'response.failed']
/** The store or the server is busy, or stopping: the client may try again. */
const AGAIN = [429, 500, 503]

/** Something that a client may not see. */
export class Broken extends Error {}

/**
 * A client, which does its task and reconnects until the task is done.
 *
 * @param world - `port` of the proxy, `counts`, `responses` that receives what came of each, and `signal` that ends the wait
 */
export async function runTask(world, task) {
  if (task.kind === 'approved') return await approve(world, task)
  if (task.kind === 'conversed') return await converse(world, task)
  const first = await respond(world, task, bodyOf(task), `task-${task.task}`)
  if (task.kind !== 'continued') return
  const next = { ...task, task: task.task + 1_000_000 }
  await respond(world, next, bodyOf(next, { previous_response_id: first.id }), `task-${next.task}`)
}

/** Two clients ask for responses on one conversation, in which one at a time is open. */
async function converse(world, task) {
  const { body: made } = await askUntil(world, 'POST', '/v1/conversations', { body: {} })
  const tasks = [0, 1, 2, 3].map((nth) => ({ ...task, task: task.task + nth * 1_000_000, conversation: made.id }))
  const client = async (own) => {
    for (const each of own) await respond(world, each, bodyOf(each, { conversation: made.id }), `task-${each.task}`)
  }
  await Promise.all([client(tasks.slice(0, 2)), client(tasks.slice(2))])
  world.conversations.push({ id: made.id })
}

async function respond(world, task, body, key) {
  const how = { polled, whole, cancelled }[task.kind] ?? streamed
  const response = { task, ...(await how(world, task, body, key)) }
  world.responses.push(response)
  return response
}

/** Two clients approve one call: one of them gets the response, and the other an error that it was already answered. */
async function approve(world, task) {
  const { id, last } = await respond(world, task, bodyOf(task), `task-${task.task}`)
  const request = last.output.find(({ type }) => type === 'mcp_approval_request')
  if (request === undefined) throw new Broken(`${id} asks for no approval`)
  const input = [{ type: 'mcp_approval_response', approval_request_id: request.id, approve: true }]
  const body = bodyOf(task, { input, previous_response_id: id })
  const isRefused = ({ status, body: { error } }) => status === 400 && /answered before/.test(error?.message)
  const tries = ['one', 'other'].map(async (who) => {
    try {
      return await streamed(world, { ...task, approval: request.id }, body, `approval-${task.task}-${who}`)
    } catch (error) {
      if (error instanceof Refused && isRefused(error.answer)) return undefined
      throw error
    }
  })
  const got = (await Promise.all(tries)).filter((response) => response !== undefined)
  if (got.length !== 1) throw new Broken(`${got.length} clients approved ${request.id}`)
  world.responses.push({ task: { ...task, approval: request.id }, ...got[0] })
}

/** The server's refusal of a request, which is final. */
class Refused extends Broken {
  constructor(answer, what) {
    super(`${what} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
    this.answer = answer
  }
}

/** Whether the client may try again: also while another response is open in its conversation. */
function isToTryAgain({ status, body }) {
  return AGAIN.includes(status) || (status === 409 && body?.error?.code === 'conversation_locked')
}

/** The patience of a client after a number of failed tries. */
function patience(tries) {
  const times = 2 ** Math.min(tries, MAX_DOUBLINGS)
  return { idleMs: IDLE_MS * times, waitMs: WAIT_MS * times }
}

/** Asks until there is an answer. */
async function askUntil(world, method, path, { least = 0, ...options } = {}) {
  for (let tries = 0; ; tries++) {
    world.signal.throwIfAborted()
    const { idleMs, waitMs } = patience(tries)
    const answer = await ask(world.port, method, path, { idleMs: Math.max(least, idleMs), ...options })
    if (answer?.status === 200) return answer
    if (answer !== undefined && !isToTryAgain(answer)) throw new Refused(answer, `${method} ${path}`)
    world.counts[answer === undefined ? 'broken' : 'refused'] += 1
    await wait(waitMs)
  }
}

async function streamed(world, { leavesAfter }, body, key) {
  const events = []
  let left = leavesAfter
  const last = () => events.at(-1)
  const isOver = () => TERMINAL.includes(last()?.type)
  let had = 0
  for (let tries = 0; !isOver(); tries++) {
    world.signal.throwIfAborted()
    if (events.length > had) tries = 0
    had = events.length
    const { idleMs, waitMs } = patience(tries)
    await wait(waitMs)
    const id = events[0]?.response.id
    if (id !== undefined) world.counts.resumptions += 1
    let next = id === undefined ? 0 : events.length
    const onEvent = (event) => {
      // It is not stored, and repeats the last number.
      if (event.type === 'keepalive') return
      if (event.sequence_number !== next) {
        throw new Broken(`${id}: event ${next} was expected, got ${event.sequence_number}`)
      }
      // The request is sent again while its response is unknown: it starts over.
      if (next < events.length && !isDeepStrictEqual(event, events[next])) {
        throw new Broken(`${id}: event ${next} was another one before`)
      }
      if (next >= events.length) events.push(event)
      next += 1
      world.counts.events += 1
      if (left !== undefined && events.length >= left) {
        left = undefined
        world.counts.left += 1
        return false
      }
      return true
    }
    let broken
    const watched = (event) => {
      try {
        return onEvent(event)
      } catch (error) {
        broken = error
        return false
      }
    }
    const options = { idleMs, onEvent: watched }
    const answer =
      id === undefined
        ? await ask(world.port, 'POST', '/v1/responses', {
            ...{ body: { ...body, stream: true }, headers: { 'idempotency-key': key } },
            ...options,
          })
        : await ask(
            world.port,
            'GET',
            `/v1/responses/${id}?stream=true&starting_after=${last().sequence_number}`,
            options,
          )
    if (broken !== undefined) throw broken
    if (answer === undefined) world.counts.broken += 1
    else if (isToTryAgain(answer)) world.counts.refused += 1
    else if (answer.status !== 200) throw new Refused(answer, id === undefined ? 'a request' : `the stream of ${id}`)
  }
  return { id: events[0].response.id, events, last: last().response }
}

async function polled(world, _task, body, key) {
  const created = await askUntil(world, 'POST', '/v1/responses', { body, headers: { 'idempotency-key': key } })
  return await pollEnd(world, created.body.id)
}

async function pollEnd(world, id) {
  for (;;) {
    const { body } = await askUntil(world, 'GET', `/v1/responses/${id}`)
    if (!['queued', 'in_progress'].includes(body.status)) return { id, last: body }
    await wait(200)
  }
}

async function whole(world, _task, body, key) {
  const { body: last } = await askUntil(world, 'POST', '/v1/responses', {
    ...{ body, headers: { 'idempotency-key': key } },
    // No byte comes before it has ended.
    least: 10_000,
  })
  return { id: last.id, last }
}

async function cancelled(world, { leavesAfter = 50 }, body, key) {
  const created = await askUntil(world, 'POST', '/v1/responses', { body, headers: { 'idempotency-key': key } })
  const { id } = created.body
  await wait(leavesAfter * 10)
  await askUntil(world, 'POST', `/v1/responses/${id}/cancel`, { least: 10_000 })
  return await pollEnd(world, id)
}
