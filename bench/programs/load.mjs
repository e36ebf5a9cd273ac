// Clients of a server, in a process of their own: node load.mjs, with an IPC channel.
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
let open = []
/** For each watched stream: when its latest token came, and the longest gap since it was asked. */
let watched = []

/** The prefix of a text token's frame. */
const DELTA = 'event: response.output_text.delta'

/** Sends one request. Resolves at the end of its answer, with its length, when it was sent, and the time of each token. */
function ask(
  port,
  {
    path = '/responses',
    stream,
    store = false,
    owner = 'anonymous',
    isPaused = false,
    isSlow = false,
    isTimed = false,
    onToken,
    ...fields
  },
) {
  const body = JSON.stringify({ model: 'gpt-oss', input: 'Go on.', stream, store, ...fields })
  const sent = Number(process.hrtime.bigint()) / 1e6
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...{ agent, port, host: '127.0.0.1', method: 'POST', path: `/v1${path}` },
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          authorization: `Bearer ${owner}`,
        },
      },
      (answer) => {
        let [bytes, tail, rest] = [0, '', '']
        const times = []
        if (isPaused) return
        if (isSlow) {
          const reading = setInterval(() => answer.read(1), 1_000)
          answer.on('close', () => clearInterval(reading))
          return
        }
        answer.on('data', (chunk) => {
          bytes += chunk.length
          tail = (tail + chunk.subarray(-200).toString()).slice(-200)
          onToken?.(Number(process.hrtime.bigint()) / 1e6)
          if (isTimed) {
            const now = Number(process.hrtime.bigint()) / 1e6
            const text = rest + chunk.toString('latin1')
            for (let at = text.indexOf(DELTA); at !== -1; at = text.indexOf(DELTA, at + 1)) times.push(now)
            rest = text.slice(1 - DELTA.length)
          }
        })
        answer.on('end', () => resolve({ bytes, status: answer.statusCode, isWhole: isWhole(tail), sent, times }))
        answer.on('error', reject)
      },
    )
    asked.on('error', reject)
    open.push(asked)
    asked.end(body)
  })
}

/** `3 x 200, 1 x 429` */
function countsOf(answers) {
  const counts = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return Object.entries(counts)
    .map(([status, times]) => `${times} x ${status}`)
    .join(', ')
}

const isWhole = (tail) => /\}(?:\n\n(?:data: \[DONE\]\n\n)?)?$/.test(tail)

/** Reads a stream up to a number of tokens. Returns the response's id, and the number of the latest event. */
async function readEvents(answer, isEnough) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true })
    const numbers = [...text.matchAll(/"sequence_number":(\d+)[^\n]*\n\n/g)]
    const latest = { id: /"id":"(resp_\w+)"/.exec(text)?.[1], seen: Number(numbers.at(-1)?.[1] ?? -1) }
    if (isEnough(latest)) return latest
  }
  throw new Error(`the stream ended before it had enough: ${text.slice(-500)}`)
}

const commands = {
  /** Reads streams in parallel, all to their ends; they begin at once, or some milliseconds after one another. */
  async streams({ port, count, isTimed, store, apartMs = 0 }) {
    const begin = async (_, at) => {
      if (apartMs > 0) await new Promise((resolve) => setTimeout(resolve, at * apartMs))
      return await ask(port, { stream: true, isTimed, store })
    }
    const answers = await Promise.all(Array.from({ length: count }, begin))
    open = []
    const wrong = answers.filter(({ status, isWhole }) => status !== 200 || !isWhole).length
    const times = isTimed ? answers.map(({ times }) => times) : []
    return { wrong, bytes: answers[0].bytes, times, sent: answers.map(({ sent }) => sent) }
  },
  /** Requests complete answers, some at a time. */
  async requests({ port, count, atOnce, store }) {
    let [wrong, next] = [0, 0]
    const work = async () => {
      while (next++ < count) {
        const { status, isWhole } = await ask(port, { stream: false, store })
        if (status !== 200 || !isWhole) wrong++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    open = []
    return { wrong }
  },
  /** Opens streams that do not end, or whose readers read one byte a second. */
  async hold({ port, count, ...fields }) {
    for (let at = 0; at < count; at++) ask(port, { stream: true, ...fields }).catch(() => {})
    return {}
  },
  /** Sends bodies at once: requests, whose fields may be functions' text. Returns how often each status came. */
  async bodies({ port, count, owner, path, fields }) {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(port, { owner, path, ...fields })))
    return { statuses: countsOf(answers) }
  },
  /** Reads a stored response's stream by many readers at once, to its end. */
  async follow({ port, count, owner, fields }) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${owner}` }
    const body = JSON.stringify({ input: 'Go on.', background: true, stream: true, ...fields })
    const begun = await fetch(`http://127.0.0.1:${port}/v1/responses`, { method: 'POST', headers, body })
    const { id } = await readEvents(begun, ({ seen }) => seen > 2)
    const one = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/responses/${id}?stream=true`, { headers })
      for await (const _ of answer.body);
      return answer
    }
    return { statuses: countsOf(await Promise.all(Array.from({ length: count }, one))) }
  },
  /** Opens endless streams, and watches the gaps between their tokens. */
  async watch({ port, count, owner, store, model = 'gpt-oss' }) {
    watched = Array.from({ length: count }, () => ({ latest: undefined, gap: 0, isOver: false }))
    for (const stream of watched) {
      const onToken = (now) => {
        stream.gap = Math.max(stream.gap, now - (stream.latest ?? now))
        stream.latest = now
      }
      const onEnd = () => {
        stream.isOver = true
      }
      ask(port, { stream: true, owner, store, model, onToken }).then(onEnd, onEnd)
    }
    return {}
  },
  /** The longest gap of any watched stream since the last call, and the number of open streams. */
  async gap() {
    const now = Number(process.hrtime.bigint()) / 1e6
    const gap = Math.max(...watched.map(({ gap, latest }) => Math.max(gap, now - (latest ?? now))))
    for (const stream of watched) stream.gap = 0
    return { gap, open: watched.filter(({ isOver }) => !isOver).length }
  },
  /** Begins a background response, and leaves it after some tokens. */
  async begin({ port }) {
    const body = JSON.stringify({ model: 'gpt-oss', input: 'Go on.', stream: true, background: true })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${port}/v1/responses`, { method: 'POST', headers, body })
    return await readEvents(answer, ({ seen }) => seen > 20)
  },
  /** The number of the latest event of a response that is not running. */
  async written({ port, id, seen, ms }) {
    const signal = AbortSignal.timeout(ms)
    let latest = { id, seen }
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/responses/${id}?stream=true&starting_after=${seen}`, {
        signal,
      })
      await readEvents(answer, (found) => {
        latest = { id, seen: Math.max(seen, found.seen) }
        return false
      })
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return latest
  },
  /** Waits for the next event of a response. */
  async next({ port, id, seen }) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/responses/${id}?stream=true&starting_after=${seen}`)
    return await readEvents(answer, (latest) => latest.seen > seen)
  },
  /** Requests one complete answer. */
  async one({ port, owner, input }) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${owner}` }
    const body = JSON.stringify({ model: 'gpt-oss', input })
    const answer = await fetch(`http://127.0.0.1:${port}/v1/responses`, { method: 'POST', headers, body })
    return await answer.json()
  },
  /** Continues a response by many requests at once, each for a few tokens. Returns how often each status came. */
  async continue({ port, owner, previous, count, model = 'gpt-oss' }) {
    const fields = { model, previous_response_id: previous, max_output_tokens: 16 }
    const one = () => ask(port, { stream: false, store: true, owner, ...fields })
    const answers = await Promise.all(Array.from({ length: count }, one))
    return { statuses: countsOf(answers) }
  },
  async release() {
    for (const asked of open) asked.destroy()
    open = []
    return {}
  },
}

process.on('message', async ({ command, options }) => process.send(await commands[command](options)))
process.send({})
