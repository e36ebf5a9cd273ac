import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import OpenAI from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PostgresCluster, postgresObstacle, startPostgres } from '../support/postgres-cluster.mjs'
import { createDesk, type Desk, env, versions } from './project.js'
import { type Started, start } from './started.js'
import { type } from './terminal.js'

const obstacle = postgresObstacle()
const ANSWER = 'one two three four five six seven eight nine ten'

describe.skipIf(obstacle)(`two processes on a Postgres${obstacle ? ` (skipped: ${obstacle})` : ''}`, () => {
  let desk: Desk
  let folder: string
  let cluster: PostgresCluster
  const running: Started[] = []

  beforeAll(async () => {
    desk = await createDesk()
    folder = await desk.createFolder('two-processes')
    const packages = `../harmony-responses/*.tgz pg@${versions['pg']}`
    const installing = type(`npm install --silent --prefer-offline ${packages}`, folder, env)
    expect(await installing.exit, installing.printed).toBe(0)
    await writeFile(join(folder, 'script.json'), JSON.stringify([[{ think: 'Ten.' }, { answer: ANSWER }]]))
    cluster = await startPostgres()
  })
  afterAll(async () => {
    await Promise.all(running.map((each) => each.terminate()))
    await cluster?.remove()
    await desk?.remove()
  })

  async function serve(options = ''): Promise<Started> {
    const variables = {
      HARMONY_RESPONSES_STORE: cluster.url,
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
})
