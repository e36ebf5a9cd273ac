import { SCHEMA } from './model.mjs'
import { SERVERS } from './tools.mjs'

/** The kinds of tasks, and how many of twenty tasks are of each kind. */
const KINDS = {
  /** A background response, streamed. */
  background: 6,
  /** A background response that is asked for again and again. */
  polled: 3,
  /** A streamed response that goes on for a while without its client. */
  streamed: 4,
  /** A response whose client waits for all of it. */
  whole: 2,
  /** A background response that is cancelled, at whichever server. */
  cancelled: 1,
  /** A response whose call has to be approved, and the one that runs it, which two clients ask for. */
  approved: 2,
  /** A response, and one that goes on from it. */
  continued: 1,
  /** Responses of two clients on one conversation with an id. */
  conversed: 1,
}
const DECK = Object.entries(KINDS).flatMap(([kind, count]) => Array(count).fill(kind))
/** How many responses a task makes. */
const RESPONSES = { approved: 2, continued: 2, conversed: 4 }

/**
 * The tasks of a run, with so many responses together.
 *
 * @param isPlain - whether the engine enforces no schema, and gives no log-probabilities
 */
export function drawTasks(random, responses, isPlain = false) {
  const tasks = []
  let deck = []
  for (let left = responses; left > 0; ) {
    if (deck.length === 0) deck = random.shuffled(DECK)
    const drawn = deck.pop()
    const kind = (RESPONSES[drawn] ?? 1) <= left ? drawn : 'background'
    left -= RESPONSES[kind] ?? 1
    const task = drawTask(random, kind, tasks.length + 1)
    tasks.push(isPlain ? { ...task, isStrict: false, hasLogprobs: false } : task)
  }
  return tasks
}

function drawTask(random, kind, task) {
  const calls = Array.from({ length: random.between(0, 3) }, () => random.one(['shop.look', 'shop.pay']))
  return {
    kind,
    task,
    calls: kind === 'approved' ? ['vault.open', ...calls] : calls,
    words: random.between(10, 60),
    isStrict: random.chance(0.2),
    hasLogprobs: random.chance(0.1),
    isSerial: random.chance(0.3),
    /** After how many events its client leaves by itself, and comes back. */
    leavesAfter: random.chance(0.4) ? random.between(1, 60) : undefined,
  }
}

/** The body of a task's request. */
export function bodyOf({ kind, task, calls, words, isStrict, hasLogprobs, isSerial }, more = {}) {
  const text = JSON.stringify({ task, calls, words, isStrict })
  return {
    model: 'gpt-oss',
    input: [{ role: 'user', content: text }],
    tools: SERVERS,
    ...(['background', 'polled', 'cancelled'].includes(kind) && { background: true }),
    ...(isSerial && { parallel_tool_calls: false }),
    ...(hasLogprobs && { include: ['message.output_text.logprobs'] }),
    ...(isStrict && { text: { format: { type: 'json_schema', name: 'task', strict: true, schema: SCHEMA } } }),
    ...more,
  }
}
