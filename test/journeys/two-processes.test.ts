import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { OwnServer } from '../support/server-program.mjs'
import { shareInstalled } from './installed.js'
import { type Started, start } from './started.js'
import { POSTGRES, REDIS, type StoreServer } from './store-servers.js'

const ANSWER = 'one two three four five six seven eight nine ten'

for (const each of [POSTGRES, REDIS]) {
  const { name, obstacle } = each
  const skipped = obstacle === undefined ? '' : ` (skipped: ${obstacle})`
  describe.skipIf(obstacle !== undefined)(`two processes on ${name}${skipped}`, () => suite(each))
}

function suite({ launch }: StoreServer): void {
  let folder: string
  let server: OwnServer
  const running: Started[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'two-processes-'))
    await shareInstalled(folder, inject('installed').withPeers)
    await writeFile(join(folder, 'script.json'), JSON.stringify([[{ think: 'Ten.' }, { answer: ANSWER }]]))
    server = await launch()
  })
  afterAll(async () => {
    await Promise.all(running.map((each) => each.terminate()))
    await server?.remove()
    await rm(folder, { recursive: true })
  })

  async function serve(options = ''): Promise<Started> {
    const variables = {
      HARMONY_RESPONSES_STORE: server.url,
      HARMONY_RESPONSES_SEAL_KEYS: Buffer.alloc(32, 1).toString('base64'),
    }
    const started = await start(
      `--script script.json --port 0 --limit leaseSeconds=1 ${options}`,
      folder,
      variables,
      [],
    )
    running.push(started)
    return started
  }

  const clientOf = ({ url }: Started): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })

  test('the stream of the SDK goes on at the other process without a gap, if its own is killed in mid-answer', async () => {
    const [first, second] = [await serve('--delay 100'), await serve()]
    const asked = { model: 'gpt-oss', input: 'Count to ten.', background: true, stream: true } as const
    const events: ResponseStreamEvent[] = []
    const read = async (stream: AsyncIterable<ResponseStreamEvent>): Promise<void> => {
      for await (const event of stream) {
        events.push(event)
        if (event.type === 'response.output_text.delta') first.kill()
      }
    }
    await read(await clientOf(first).responses.create(asked)).catch(() => {})
    const [created] = events
    if (created?.type !== 'response.created') throw new Error(`no response: ${first.printed}`)
    const { id } = created.response
    const before = events.length
    expect(events.map(({ type }) => type)).not.toContain('response.completed')

    const other = clientOf(second)
    const after = events.at(-1)?.sequence_number ?? 0
    await read(await other.responses.retrieve(id, { stream: true, starting_after: after }))
    expect(events.length).toBeGreaterThan(before)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
    expect(text).toBe(ANSWER)
    expect(events.at(-1)?.type).toBe('response.completed')
    expect((await other.responses.retrieve(id)).output_text).toBe(ANSWER)
  })

  test('a conversation that began at one process goes on at the other, also after the first was killed in mid-answer', async () => {
    const [first, second] = [await serve('--delay 100'), await serve()]
    const [one, other] = [clientOf(first), clientOf(second)]
    const { id } = await one.conversations.create({ items: [{ type: 'message', role: 'user', content: 'Hi.' }] })
    const asked = { model: 'gpt-oss', conversation: id }
    await one.responses.create({ ...asked, input: 'Count.' })
    await other.responses.create({ ...asked, input: 'Again.' })
    const listed = async (): Promise<string[]> => {
      const types: string[] = []
      for await (const item of other.conversations.items.list(id, { order: 'asc' })) {
        types.push(item.type === 'message' ? item.role : item.type)
      }
      return types
    }
    const turn = ['user', 'reasoning', 'assistant']
    expect(await listed()).toEqual(['user', ...turn, ...turn])

    const stream = await one.responses.create({ ...asked, input: 'Once more.', stream: true })
    const read = async (): Promise<void> => {
      for await (const { type } of stream) if (type === 'response.output_text.delta') first.kill()
    }
    await read().catch(() => {})
    const outcome = (): Promise<string> =>
      other.responses.create({ ...asked, input: 'At last.' }).then(
        () => 'answered',
        (error: { readonly code?: unknown }) => String(error.code),
      )
    const outcomes: string[] = []
    while (outcomes.at(-1) !== 'answered') outcomes.push(await outcome())
    expect(outcomes.slice(0, -1).filter((code) => code !== 'conversation_locked')).toEqual([])
    const items = await listed()
    expect(items.slice(0, 7)).toEqual(['user', ...turn, ...turn])
    // What the killed one said is in it whole, if its client's leave did not end it first, or not at all.
    expect([[...turn], [...turn, ...turn]]).toContainEqual(items.slice(7))
  })
}
