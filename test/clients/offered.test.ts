import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { call } from '../../src/testing/index.js'
import { codexConfig, playCodex } from './clients/codex.js'
import { askTwice, offeredClients, WEATHER } from './offered-clients.js'
import { ANSWER, offer } from './offering.js'

/*
 * A function of the host and an MCP server, offered to clients that know of neither. In each of two questions the model
 * calls the function, the server's tool and the client's own function, and then answers.
 */

const QUESTIONS = ['Roll, look it up, and tell me the weather.', 'And again?'] as const

/** The passed checks of each client, for the table. */
const rows: string[] = []

test.each(offeredClients.map((client) => [`${client.name} by ${client.api}`, client] as const))(
  '%s has the tools that the server offers, runs its own alone, and continues',
  async (_, client) => {
    const { baseURL, engine, records, errors } = await offer(call('functions.get_weather', { city: 'Oslo' }))
    const { answers, ran } = await askTwice(client, baseURL, QUESTIONS)
    expect(answers).toEqual([ANSWER, ANSWER])
    expect(ran).toEqual(['get_weather', 'get_weather'])
    const offered = ['roll', 'echo', 'roll', 'echo']
    expect(records.map(({ name, allowedBy }) => [name, allowedBy])).toEqual(offered.map((name) => [name, 'operator']))
    expect(errors).toEqual([])
    // Which of the first question's offered calls the model still knows in the second.
    const last = engine.calls.at(-1)?.messages ?? []
    const before = last.slice(
      0,
      last.findLastIndex(({ role }) => role === 'user'),
    )
    const known = before.filter(({ role, content }) => role === 'tool' && content !== WEATHER).length
    expect([0, 2]).toContain(known)
    rows.push(`| ${client.name} | ${client.api} | ✓ | ✓ | ✓ | ${known === 2 ? '✓' : 'the answer alone'} |`)
  },
)

test('Codex has the tools that the server offers, and runs its own alone', async () => {
  const { baseURL, records, errors } = await offer(call('functions.exec_command', { cmd: './get_weather Oslo' }))
  const played = await playCodex(codexConfig(baseURL), { onText: () => {}, signal: new AbortController().signal })
  expect(played.text.at(-1)).toBe(ANSWER)
  expect(records.map(({ name, allowedBy }) => [name, allowedBy])).toEqual([
    ['roll', 'operator'],
    ['echo', 'operator'],
  ])
  expect(errors).toEqual([])
  rows.push('| Codex CLI | Responses | ✓ | ✓ | one question | one question |')
})

afterAll(() => {
  if (rows.length <= offeredClients.length) return
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8')
  const [, found = ''] = /<!-- offered -->\n([\s\S]*?)\n<!-- \/offered -->/.exec(page) ?? []
  const head = [
    '| client | API | offered tools run | its own function runs | a second question | the model then knows of the offered calls |',
    '|---|---|---|---|---|---|',
  ]
  expect(found).toBe([...head, ...rows].join('\n'))
})
