import { expect, test } from 'vitest'
import { openResponses } from '../../../../src/dialects/index.js'
import { checkEvents } from '../../../../src/judge/conformance/index.js'
import { answer, call, type ScriptedTurn, scriptedEngine, think } from '../../../../src/testing/index.js'
import { capturedCreateRequests, describeWithShared } from '../../../support/shared-data.js'
import { connect, echo, type Frame, faultsIn, type RawClient, responseOf, serve } from './sockets.js'

type Body = Readonly<Record<string, unknown>>

/** What a client sent over one connection, by `CLIENT.SCENARIO`. */
function captured(): Map<string, Body[]> {
  const sequences = new Map<string, Body[]>()
  for (const { name, body } of capturedCreateRequests()) {
    const [, scenario] = /^(.+)\.ws-\d+$/.exec(name) ?? []
    if (scenario !== undefined) sequences.set(scenario, [...(sequences.get(scenario) ?? []), body])
  }
  return sequences
}

function itemsOf({ input }: Body): readonly Record<string, unknown>[] {
  return Array.isArray(input) ? input : []
}

/** Whether the message answers a call of the response before. */
function isResult(body: Body | undefined): boolean {
  return body?.['previous_response_id'] !== undefined && itemsOf(body)[0]?.['type'] === 'function_call_output'
}

/** The message with the ids of the response that this server gave. */
function rewritten(body: Body, previous: readonly Frame[]): Body {
  if (body['previous_response_id'] === undefined) return body
  const { id, output } = responseOf(previous)
  const { call_id } = (output.at(-1) ?? {}) as { call_id?: string }
  const input = itemsOf(body).map((item) => (item['type'] === 'function_call_output' ? { ...item, call_id } : item))
  return { ...body, previous_response_id: id, ...(input.length > 0 && { input }) }
}

/** The message with a compaction that this server sealed, for one that another did. */
function withOwnCompaction(body: Body, compacted: object | undefined): Body {
  if (!itemsOf(body).some(({ type }) => type === 'compaction')) return body
  return { ...body, input: itemsOf(body).map((item) => (item['type'] === 'compaction' ? compacted : item)) }
}

describeWithShared('what clients sent over a WebSocket', () => {
  const sequences = [...captured()].filter(([name]) => !/^(openresponses|openai-js)/.test(name))

  test.each(sequences)('%s is answered, each message by a whole response', async (_name, messages) => {
    let turn: ScriptedTurn = []
    const client = await connect(await serve({ engine: scriptedEngine(() => turn) }))
    let last: Frame[] = []
    for (const [index, body] of messages.entries()) {
      turn = isResult(messages[index + 1])
        ? [think('Hm.'), call('functions.exec_command', { cmd: 'ls' })]
        : [think('Hm.'), answer('Done.')]
      client.send(rewritten(body, last))
      last = await client.answer()
      expect(faultsIn(last)).toEqual([])
      const { status, output } = responseOf(last)
      expect(status).toBe('completed')
      const types = output.map(({ type }) => type)
      if (body['generate'] === false) expect(types).toEqual([])
      else if (itemsOf(body).at(-1)?.['type'] === 'compaction_trigger') expect(types).toEqual(['compaction'])
      else expect(types).toEqual(['reasoning', isResult(messages[index + 1]) ? 'function_call' : 'message'])
    }
  })

  test('the SDK continues from its first response, and not from one that there never was', async () => {
    const client = await connect(await serve({ engine: scriptedEngine(echo) }))
    const [first, second, third] = captured().get('openai-js-ws.plain') as [Body, Body, Body]
    client.send(first)
    const before = await client.answer()
    client.send(rewritten(second, before))
    expect(responseOf(await client.answer()).status).toBe('completed')
    client.send(third)
    expect(await client.answer()).toMatchObject([NOT_FOUND])
  })

  test('the scenarios of the Open Responses suite end as the suite asks', async () => {
    const server = await serve({ engine: scriptedEngine(echo), dialect: openResponses })
    const { output } = await server.service.compact({ model: 'gpt-oss', input: 'Hi' }, { owner: 'anonymous' })
    const [compacted] = output as readonly object[]
    const messages = (captured().get('openresponses') as Body[]).map((body) => withOwnCompaction(body, compacted))
    const client = await connect(server)
    const play = async (index: number, previous?: readonly Frame[], socket: RawClient = client): Promise<Frame[]> => {
      const body = messages[index - 1] as Body
      socket.send(previous === undefined ? body : { ...body, previous_response_id: responseOf(previous).id })
      const frames = await socket.answer()
      if (frames[0]?.type !== 'error') expect(checkEvents(frames as never, { profile: 'open-responses' })).toEqual([])
      return frames
    }
    for (const index of [1, 2, 5]) expect(responseOf(await play(index)).status).toBe('completed')
    expect(responseOf(await play(11)).status).toBe('completed')
    const [first, second, third] = [await play(3), await play(4), await play(8)]
    expect(responseOf(await play(6, first)).status).toBe('completed')
    expect(await play(7)).toMatchObject([NOT_FOUND])
    expect(await play(9, third)).toMatchObject([{ type: 'error', status: 400 }])
    expect(await play(10, third)).toMatchObject([NOT_FOUND])
    const again = await connect(server)
    expect(await play(12, second, again)).toMatchObject([NOT_FOUND])
  })
})

const NOT_FOUND = { type: 'error', status: 400, error: { code: 'previous_response_not_found' } }
