import { describe, expect, test } from 'vitest'
import { openAudit } from '../../../src/cli/serve/audit-file.js'
import type { CallRecord } from '../../../src/endpoint/server/index.js'
import { fakeIo } from '../io.js'

const RECORD: CallRecord = {
  ...{ at: 1_700_000_000, owner: 'ann', responseId: 'resp_1', itemId: 'mcp_1', type: 'mcp_call', serverLabel: 'a' },
  ...{ name: 'b', allowedBy: 'request', seconds: 0.0123, outcome: 'completed' },
}

describe('the file of --audit', () => {
  test('names that a model or a client made up begin no line and act on no terminal, and are read back as they were', async () => {
    const io = fakeIo()
    const audit = await openAudit('calls', io)
    const name = 'b\n{"owner":"root"}\u001b[2J\u009b31m\u202eevil\u2028\u{e0041}'
    audit?.write({ ...RECORD, name, owner: name })
    await audit?.flush()
    const { calls = '' } = io.written
    expect(calls).toMatch(/^[\x20-\x7e]+\n$/)
    expect(JSON.parse(calls)).toMatchObject({ name, owner: name })
  })

  test('lines come in the order of their calls, and a line that fails is reported and keeps no later one', async () => {
    const io = fakeIo()
    let times = 0
    const { appendFile } = io
    io.appendFile = async (path, text) => {
      const time = times++
      if (time === 2) throw new Error("ENOSPC: no space left on device, write '/calls'")
      // Each line takes fewer turns than the one before.
      for (let turn = time; turn < 10; turn++) await null
      await appendFile(path, text)
    }
    const audit = await openAudit('/calls', io)
    for (const itemId of ['1', '2', '3', '4']) audit?.write({ ...RECORD, itemId })
    await audit?.flush()
    const lines = (io.written['/calls'] ?? '').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).item_id)).toEqual(['1', '3', '4'])
    expect(io.err).toBe('harmony-responses: cannot write /calls: no space left on device\n')
  })

  test('a line has the time of the call in UTC, and its duration in whole milliseconds, never 0', async () => {
    const io = fakeIo()
    const audit = await openAudit('calls', io)
    audit?.write({ ...RECORD, seconds: 0.0001 })
    await audit?.flush()
    expect(JSON.parse(io.written['calls'] ?? '')).toMatchObject({ time: '2023-11-14T22:13:20Z', ms: 1 })
  })
})
