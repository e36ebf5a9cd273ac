import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createSqliteStore } from '../../../../src/endpoint/stores/sqlite/index.js'
import { answer, call } from '../../../../src/testing/index.js'
import { endpoint } from '../../server/endpoint.js'
import { describeWithSqlite, sqliteProgram } from './program.js'

describeWithSqlite('a response with store: false', () => {
  test('it leaves nothing in the files of the database: no text, no id, no owner', async () => {
    const program = await sqliteProgram()
    onTestFinished(() => program.remove())
    const file = program.file()
    const store = await createSqliteStore({ file, worker: program.worker })
    const { create, drain } = endpoint(
      ({ messages }) => {
        const asked = messages.findLast(({ role }) => role === 'user')?.content ?? ''
        return asked.includes('call') ? call('functions.f', { asked }) : answer(`You said: ${asked}`)
      },
      { store },
    )
    const f = { type: 'function', name: 'f', parameters: { type: 'object' } }
    const about = async (word: string, stores: boolean): Promise<readonly string[]> => {
      const headers = { authorization: `Bearer ${word}-owner` }
      const ids: string[] = []
      for (const input of [`${word}-question`, `${word}-question, call`]) {
        const { body } = await create(
          { input, tools: [f], store: stores, metadata: { at: `${word}-metadata` } },
          headers,
        )
        expect(body.status).toBe('completed')
        ids.push(body.id, body.output.at(-1).id)
      }
      return ids
    }
    const words = (word: string): string[] => ['question', 'owner', 'metadata'].map((what) => `${word}-${what}`)
    const kept = [...words('kept'), ...(await about('kept', true))]
    const left = [...words('secret'), ...(await about('secret', false))]
    await drain()
    // Before it is closed, its files have all that it ever wrote.
    const bytes = Buffer.concat(['', '-wal'].map((suffix) => readFileSync(file + suffix)))
    await store.close()
    const found = [...kept, ...left].filter((text) => bytes.includes(text))
    // What is kept can be read there, so that this test would find the rest.
    expect(found).toEqual(kept)
  })
})
