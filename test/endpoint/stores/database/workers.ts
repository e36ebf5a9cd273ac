import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { checkEvents } from '../../../../src/judge/conformance/index.js'
import { freePort, type OwnServer } from '../../../support/server-program.mjs'
import { checkoutAndServer, SEAL } from './checkout-and-server.js'
import { eventsIn, killAll, refused, type Served, serve } from './served.js'

/** Where a suite of `serve --workers` runs: a built checkout, and a store of its own for each test. */
export interface WorkersPlace {
  readonly folder: string
  readonly store: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

const ANSWER = 'one two three four five six seven eight nine ten'
const FIXTURE_SERVER = new URL('../../tools/mcp/fixture-server.mjs', import.meta.url).pathname

/** With it, SIGUSR2 takes the program of new processes away, and gives it back. */
const WITHOUT_NODE = `
  let other = '/missing'
  process.on('SIGUSR2', () => {
    const { execPath } = process
    process.execPath = other
    other = execPath
  })`

/** The suite on a store in a server. */
export function serverWorkersSuite(start: () => Promise<OwnServer>): void {
  const place = checkoutAndServer(start)
  workersSuite(() => {
    const { folder, server } = place()
    return { folder, store: [], env: { HARMONY_RESPONSES_STORE: server.url, ...SEAL } }
  })
}

/** What `serve --workers` keeps on any store that processes share. */
export function workersSuite(place: () => WorkersPlace): void {
  afterEach(killAll)

  function file(name: string, text: string): string {
    const path = join(mkdtempSync(join(place().folder, 'workers-')), name)
    writeFileSync(path, text)
    return path
  }
  const script = (...turns: readonly unknown[]): string => file('script.json', JSON.stringify(turns))

  /** Starts `serve` with workers, and waits until all of them listen. */
  async function serveBy(
    workers: number,
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
  ): Promise<Served & { readonly pids: readonly number[] }> {
    const { folder, store, env } = place()
    const served = await serve(folder, [...store, '--workers', String(workers), ...args], { ...env, ...more })
    const started = await served.until(/worker started {2}\d {2}process (\d+)/g, workers)
    return Object.assign(served, { pids: started.map(([, pid]) => Number(pid)) })
  }

  /** Posts over a connection of its own, so that the next worker gets it. */
  const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${url}/v1/responses`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { connection: 'close', 'content-type': 'application/json', ...headers },
    })

  /** Reads a stream until it ends or breaks, and says each time what has come. */
  async function readEvents(response: Response, onText: (text: string) => void = () => {}) {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true })
        onText(text)
      }
    } catch {}
    return eventsIn(text.slice(0, text.lastIndexOf('\n\n') + 2))
  }

  /** Posts, and reads the whole answer. */
  async function statusOf(...asked: Parameters<typeof post>): Promise<number> {
    const response = await post(...asked)
    await response.text()
    return response.status
  }

  const metricsOf = async ({ url }: Served): Promise<string> =>
    (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()
  const countOf = (metrics: string, sample: string): number =>
    Number(new RegExp(`^${sample.replace(/[{}"]/g, '\\$&')} (.*)$`, 'm').exec(metrics)?.[1])

  test('a response whose worker is killed in mid-answer goes on in another one before its lease expires, and its client misses no event', async () => {
    const options = ['--script', script([{ think: 'Hm.' }, { answer: ANSWER }]), '--delay', '150']
    const served = await serveBy(2, [...options, '--limit', 'leaseSeconds=3600'])
    const [first, second] = served.pids as [number, number]
    const stream = await post(served.url, { input: 'Count.', background: true, stream: true })
    let isBroken = false
    let killed = 0
    const before = await readEvents(stream, (text) => {
      const deltas = text.split('event: response.output_text.delta\n').length - 1
      // One of the two has it.
      if (deltas === 1 && killed === 0) process.kill(first, 'SIGKILL')
      if (deltas === 3 && killed === 1) process.kill(second, 'SIGKILL')
      killed = deltas >= 3 ? 2 : deltas >= 1 ? 1 : 0
    }).finally(() => {
      isBroken = true
    })
    expect(isBroken).toBe(true)
    expect(before.at(-1)?.type).not.toBe('response.completed')
    const [created] = before as unknown as [{ readonly response: { readonly id: string } }]
    await served.until(/worker ended/g)
    const from = `${served.url}/v1/responses/${created.response.id}?stream=true&starting_after=`
    const rest = await readEvents(await fetch(`${from}${before.at(-1)?.sequence_number}`))
    const all = [...before, ...rest]
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at))
    expect(checkEvents(all)).toEqual([])
    expect(all.at(-1)?.type).toBe('response.completed')
    expect(JSON.stringify(all.at(-1))).toContain(ANSWER)
    const ended = await served.until(/worker ended {2}(\d) {2}SIGKILL {2}starts again in 250 ms/g)
    await served.until(/worker started/g, 2 + ended.length)
    expect(countOf(await metricsOf(served), 'harmony_workers')).toBe(2)
    await served.kill('SIGTERM')
  })

  test('responses whose workers are all killed at once go on in the next ones before their leases expire', async () => {
    const options = ['--script', script([{ think: 'Hm.' }, { answer: ANSWER }]), '--delay', '100']
    // Without a worker, nothing listens: one that starts again takes the same port.
    const listening = ['--limit', 'leaseSeconds=3600', '--port', String(await freePort())]
    const served = await serveBy(2, [...options, ...listening])
    const ids: string[] = []
    const streams = [1, 2, 3, 4].map(async () => {
      const stream = await post(served.url, { input: 'Count.', background: true, stream: true })
      let isWriting = false
      await readEvents(stream, (text) => {
        if (isWriting || !text.includes('event: response.output_text.delta\n')) return
        isWriting = true
        ids.push(/"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '')
        if (ids.length === 4) for (const pid of served.pids) process.kill(pid, 'SIGKILL')
      })
    })
    await Promise.all(streams)
    await served.until(/worker started/g, 3)
    for (const id of ids) {
      const all = await readEvents(await fetch(`${served.url}/v1/responses/${id}?stream=true`))
      expect(checkEvents(all)).toEqual([])
      expect(all.at(-1)?.type).toBe('response.completed')
      expect(JSON.stringify(all.at(-1))).toContain(ANSWER)
    }
    expect(served.errors.match(/taken over.*its process stopped; it continues/g)).toHaveLength(4)
    await served.kill('SIGTERM')
  })

  test('SIGTERM lets the responses of all workers end, and then ends all of them with 0', async () => {
    const served = await serveBy(2, ['--script', script([{ answer: ANSWER }]), '--delay', '30'])
    const begun: Promise<unknown>[] = []
    const reads = [1, 2, 3, 4].map(async () => {
      const stream = await post(served.url, { input: 'Count.', stream: true })
      return await new Promise<string>((resolve) => {
        begun.push(
          new Promise<void>((begins) => {
            readEvents(stream, () => begins()).then((events) => resolve(String(events.at(-1)?.type)))
          }),
        )
      })
    })
    while (begun.length < reads.length) await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.all(begun)
    const errors = await served.kill('SIGTERM')
    expect(await Promise.all(reads)).toEqual(reads.map(() => 'response.completed'))
    expect(errors).not.toContain('worker ended')
    for (const pid of served.pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('SIGHUP reads the files of keys again in all workers', async () => {
    const hash = (key: string): string => createHash('sha256').update(key).digest('hex')
    const keys = file('keys.txt', `ann ${hash('the-first-key-of-ann')}\n`)
    const served = await serveBy(3, ['--script', script([{ answer: 'Hi!' }]), '--api-keys', keys])
    const statuses = (key: string): Promise<number[]> =>
      Promise.all(
        [1, 2, 3, 4, 5, 6].map(() => statusOf(served.url, { input: 'Hi.' }, { authorization: `Bearer ${key}` })),
      )
    expect(await statuses('the-second-key-of-ann')).toEqual(Array(6).fill(401))
    writeFileSync(keys, `ann ${hash('the-second-key-of-ann')}\n`)
    process.kill(served.pid, 'SIGHUP')
    await served.until(/keys read again/g, 3)
    expect(await statuses('the-second-key-of-ann')).toEqual(Array(6).fill(200))
    expect(await statuses('the-first-key-of-ann')).toEqual(Array(6).fill(401))
    await served.kill('SIGTERM')
  })

  test('/metrics adds up over the workers at whichever answers, and no counter falls when one is killed', async () => {
    const served = await serveBy(2, ['--script', script([{ answer: 'Hi!' }])])
    for (let request = 0; request < 7; request++) expect(await statusOf(served.url, { input: 'Hi.' })).toBe(200)
    const counted = 'harmony_requests_total{method="POST",route="/v1/responses",status="200"}'
    const observed = 'harmony_request_seconds_count{route="/v1/responses"}'
    for (let time = 0; time < 3; time++) {
      const metrics = await metricsOf(served)
      expect([countOf(metrics, counted), countOf(metrics, observed)]).toEqual([7, 7])
    }
    process.kill(served.pids[0] as number, 'SIGKILL')
    await served.until(/worker started/g, 3)
    const metrics = await metricsOf(served)
    expect([countOf(metrics, counted), countOf(metrics, observed)]).toEqual([7, 7])
    expect(countOf(metrics, 'harmony_workers_ended_total')).toBe(1)
    await served.kill('SIGTERM')
  })

  test('a worker that does not answer delays /metrics by a second, and counts as it was', async () => {
    const served = await serveBy(2, ['--script', script([{ answer: 'Hi!' }])])
    for (let request = 0; request < 4; request++) await statusOf(served.url, { input: 'Hi.' })
    const counted = 'harmony_requests_total{method="POST",route="/v1/responses",status="200"}'
    expect(countOf(await metricsOf(served), counted)).toBe(4)
    const [paused] = served.pids as [number]
    process.kill(paused, 'SIGSTOP')
    try {
      // Of two connections, one may wait for the worker that sleeps.
      const metrics = await Promise.any([metricsOf(served), metricsOf(served)])
      expect(countOf(metrics, counted)).toBe(4)
      expect(countOf(metrics, 'harmony_workers')).toBe(1)
    } finally {
      process.kill(paused, 'SIGCONT')
    }
    await served.kill('SIGTERM')
  })

  test('the operator reads the figures of all workers at whichever answers, and cancels a response of any', async () => {
    const options = ['--script', script([{ answer: ANSWER.repeat(500) }]), '--delay', '100', '--no-key']
    const operator = { authorization: 'Bearer the-key-of-the-operator', connection: 'close' }
    const served = await serveBy(2, options, { HARMONY_RESPONSES_OPERATOR_KEY: 'the-key-of-the-operator' })
    const asked = async (path: string, method = 'GET') => {
      const response = await fetch(`${served.url}/admin/${path}`, { method, headers: operator })
      return { status: response.status, body: (await response.json()) as { readonly data: readonly object[] } }
    }
    const begun: string[] = []
    for (let request = 0; request < 4; request++) {
      begun.push(((await (await post(served.url, { input: 'Go.', background: true })).json()) as { id: string }).id)
    }
    for (let time = 0; time < 2; time++) {
      const { body } = (await asked('now')) as unknown as { body: { readonly running: readonly { id: string }[] } }
      expect(body.running.map(({ id }) => id).toSorted()).toEqual(begun.toSorted())
    }
    for (const id of begun) {
      expect(await asked(`responses/${id}/cancel`, 'POST')).toMatchObject({
        status: 200,
        body: { id, status: 'cancelled' },
      })
    }
    expect(await asked('responses/resp_1/cancel', 'POST')).toMatchObject({ status: 404 })
    for (let time = 0; time < 2; time++) {
      const { body } = await asked('requests')
      expect(body.data.filter((each) => Object.entries(each).some(([, value]) => value === 'cancelled'))).toHaveLength(
        4,
      )
    }
    expect((await asked('parts')).body.data).toMatchObject([
      { type: 'engine', health: 'ok' },
      { type: 'store', health: 'ok' },
    ])
    await served.kill('SIGTERM')
  })

  test('the lines of the log and of the audit do not mix, however long they are', async () => {
    const text = 'otters hold hands while they sleep, '.repeat(300)
    const calls = { call: 'odd.echo', arguments: { text } }
    const audit = file('audit.jsonl', '')
    const served = await serveBy(4, [
      ...['--script', script(calls, { answer: 'Done.' }), '--offer', `odd=${process.execPath} ${FIXTURE_SERVER} stdio`],
      ...['--approval', 'never', '--audit', audit, '--audit-arguments'],
    ])
    const sent = Array.from({ length: 40 }, () => statusOf(served.url, { input: 'Go.' }))
    expect(await Promise.all(sent)).toEqual(sent.map(() => 200))
    const errors = await served.kill('SIGTERM')
    const lines = readFileSync(audit, 'utf8').trimEnd().split('\n')
    // Responses of one worker take turns of one script: some call more than once.
    expect(lines.length).toBeGreaterThanOrEqual(40)
    for (const line of lines) expect(JSON.parse(JSON.parse(line).arguments)).toEqual({ text })
    const requests = errors.split('\n').filter((line) => line.includes('POST /v1/responses 200'))
    expect(requests).toHaveLength(40)
    for (const line of errors.trimEnd().split('\n')) expect(line).toMatch(/^\d\d:\d\d:\d\d {2}\S/)
  })

  test('a socket stays with its worker, which remembers its last response without storing it', async () => {
    const served = await serveBy(3, ['--script', script([{ answer: 'Hi!' }])])
    const turns = [1, 2, 3, 4, 5, 6].map(async () => {
      const socket = new WebSocket(`${served.url.replace('http', 'ws')}/v1/responses`)
      await once(socket, 'open')
      const ask = (body: object) =>
        new Promise<{ readonly id: string; readonly status: string }>((resolve, reject) => {
          socket.on('message', (data) => {
            const event = JSON.parse(String(data))
            if (event.type === 'response.completed') resolve(event.response)
            if (event.type === 'error') reject(new Error(String(data)))
          })
          socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-oss', store: false, ...body }))
        })
      const { id } = await ask({ input: 'Hi.' })
      const { status } = await ask({ input: 'And?', previous_response_id: id })
      socket.close()
      return status
    })
    expect(await Promise.all(turns)).toEqual(turns.map(() => 'completed'))
    await served.kill('SIGTERM')
  })

  test('the calls of a response reach the MCP server that its own worker started', async () => {
    const call = { call: 'odd.pid' }
    const served = await serveBy(2, [
      ...[
        '--script',
        script(call, call, { answer: 'Done.' }),
        '--offer',
        `odd=${process.execPath} ${FIXTURE_SERVER} stdio`,
      ],
      ...['--approval', 'never'],
    ])
    const pids = new Set<string | undefined>()
    for (let request = 0; request < 4; request++) {
      const { output } = (await (await post(served.url, { input: 'Who?' })).json()) as {
        readonly output: readonly { readonly type: string; readonly output?: string }[]
      }
      const called = output.flatMap(({ type, output: said }) => (type === 'mcp_call' ? [said] : []))
      expect(called).toEqual([expect.any(String), called[0]])
      pids.add(called[0])
    }
    expect(pids.size).toBe(2)
    await served.kill('SIGTERM')
  })

  test('workers whose first process is killed hand their responses over at once, and end', async () => {
    const long = ['--script', script([{ think: 'Hm.' }, { answer: ANSWER }]), '--limit', 'leaseSeconds=3600']
    const served = await serveBy(2, [...long, '--delay', '200'])
    const stream = await post(served.url, { input: 'Count.', background: true, stream: true })
    const before = await readEvents(stream, (text) => {
      if (text.includes('event: response.output_text.delta\n')) {
        try {
          process.kill(served.pid, 'SIGKILL')
        } catch {}
      }
    })
    const { store, folder, env } = place()
    const other = await serve(folder, [...store, ...long], env)
    const [created] = before as unknown as [{ readonly response: { readonly id: string } }]
    const from = `${other.url}/v1/responses/${created.response.id}?stream=true&starting_after=`
    const rest = await readEvents(await fetch(`${from}${before.at(-1)?.sequence_number}`))
    expect(rest.at(-1)?.type).toBe('response.completed')
    await other.kill('SIGTERM')
    for (const pid of served.pids) {
      for (;;) {
        try {
          process.kill(pid, 0)
        } catch {
          break
        }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  })

  test('a worker that does not start is named in the log, tried again, and not waited for at the end', async () => {
    const options = `--import=${file('without-node.mjs', WITHOUT_NODE)}`
    const served = await serveBy(2, ['--script', script([{ answer: 'Hi!' }])], { NODE_OPTIONS: options })
    const replaced = async (worker: 1 | 2): Promise<void> => {
      process.kill(served.pid, 'SIGUSR2')
      process.kill(served.pids[worker - 1] as number, 'SIGKILL')
      await served.until(
        new RegExp(`worker ended {2}${worker} {2}does not start: spawn /missing ENOENT {2}starts again`, 'g'),
      )
    }
    await replaced(1)
    expect(await statusOf(served.url, { input: 'Hi.' })).toBe(200)
    process.kill(served.pid, 'SIGUSR2')
    await served.until(/worker started {2}1/g, 2)
    await replaced(2)
    expect(await served.kill('SIGTERM')).not.toContain('unsettled')
  })

  test('workers that cannot listen exit with 2 and one line', async () => {
    const { folder, store, env } = place()
    const args = [...store, '--workers', '2', '--script', script({ answer: 'Hi!' }), '--host', '192.0.2.1', '--no-key']
    const [code, lines] = await refused(folder, args, env)
    expect(lines).toEqual(['harmony-responses: serve: this machine has no address 192.0.2.1'])
    expect(code).toBe(2)
  })
}
