import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { CHAT_CLIENTS, CLIENTS, MESSAGES_CLIENTS } from '../../../src/judge/conformance/index.js'
import { chatReplayers } from './chat/replayers.js'
import { capturedStreams as capturedChats, ownStreams as ownChats } from './chat/streams.js'
import { chatSubject } from './chat/subject.js'
import { type Measured, measure, precision, recall, sumOf } from './measure.js'
import { messagesReplayers } from './messages/replayers.js'
import { ownStreams as ownMessages } from './messages/streams.js'
import { messagesSubject } from './messages/subject.js'
import type { Replayer } from './replay.js'
import { replayers } from './replayers.js'
import { capturedStreams, fixtureStreams, generatedStreams, type NamedStream } from './streams.js'
import { responsesSubject, type Subject } from './subject.js'
import { familiesOf, markdownOf, reportOf } from './table.js'

// Compares the judge's predictions with the real clients. `npm run test:judge` plays thousands of damages for each
// client; without JUDGE_RUNS it is a sample. JUDGE_ONLY=unseen plays only kinds by which no rule was written. JUDGE_SEED draws others, JUDGE_CLIENTS names some profiles alone, and
// JUDGE_OUTPUT is the beginning of the names of files for the result: .md for docs/judge.md, .json, .txt.

const env = (name: string): string | undefined => process.env[name] || undefined
const seed = Number(env('JUDGE_SEED') ?? 1)
const runs = env('JUDGE_RUNS')
const only = env('JUDGE_CLIENTS')?.split(',')
const output = env('JUDGE_OUTPUT')
const onlyUnseen = env('JUDGE_ONLY') === 'unseen'
const measured: Measured[] = []
const measuredChats: Measured[] = []
const measuredMessages: Measured[] = []

/** The share of breaking damages that must be reported, and of reported ones that must break a client. */
const TARGET = 0.97

/** The number of damages of each half of the unseen kinds. */
const unseenOf = (count: number): number => Math.ceil(count / (onlyUnseen ? 1 : 4))

/** The tolerance for a small sample: one of 30 damages is 3 in 100. */
const CHANCE = runs === undefined ? 3 : 0

/** The share of streams for which the model of a client may differ from the client, whatever the verdict. */
const UNFAITHFUL = 0.005

/** The number of streams that were played, of whatever kind. */
function playedOf({ damaged, genuine, families, unseen }: Measured): number {
  return [...families, ...Object.values(unseen)].reduce((sum, { played }) => sum + played, damaged + genuine)
}

/** A process run costs as much as a hundred library runs. */
const runsOf = (client: string): number => {
  if (client === 'codex') return runs === undefined ? 30 : Math.ceil(Number(runs) / 4)
  // The Agents SDK reads so little of a stream that one damage in thirty breaks it.
  if (runs === undefined) return client === 'openai-agents' ? 800 : 400
  return Number(runs)
}

/** The sample's captured streams: every n-th. */
function streamsOf(client: string): readonly NamedStream[] {
  if (runs !== undefined) return [...fixtureStreams(), ...generatedStreams(100, seed), ...capturedStreams()]
  const every = client === 'codex' ? 12 : 8
  const all = [...fixtureStreams(), ...generatedStreams(24, seed), ...capturedStreams()]
  return all.filter((_, at) => (client !== 'codex' && at < 40) || at % every === seed % every)
}

test('every client with a profile is replayed', () => {
  expect(replayers.map(({ client }) => client)).toEqual(CLIENTS)
})

/** Measures a profile with its client, and holds the result to the target. */
async function hold(
  replayer: Replayer<string>,
  subject: Subject,
  streams: readonly NamedStream[],
  runs: number,
  into: Measured[],
): Promise<void> {
  try {
    const result = await measure(replayer, subject, streams, {
      runs: onlyUnseen ? 0 : runs,
      unseen: unseenOf(runs),
      seed,
    })
    into.push(result)
    const report = reportOf([result])
    if (result.missed > CHANCE) expect(recall(result), report).toBeGreaterThanOrEqual(TARGET)
    if (result.accused > CHANCE) expect(precision(result), report).toBeGreaterThanOrEqual(TARGET)
    // Families without rules of their own at first, since a server's next mistake is of no known family, either.
    const all = sumOf(result.families)
    if (all.broken - all.found > CHANCE) expect(recall(all), report).toBeGreaterThanOrEqual(TARGET)
    if (all.accused > CHANCE) expect(precision(all), report).toBeGreaterThanOrEqual(TARGET)
    if (!onlyUnseen)
      expect(result.families.filter(({ played }) => played > 0).length, report).toBeGreaterThanOrEqual(14)
    expect(result.unfaithful / playedOf(result), report).toBeLessThanOrEqual(UNFAITHFUL)
    expect(result.genuineAccused, report).toBe(0)
    expect(result.genuineMissed, report).toBe(0)
  } finally {
    await replayer.close?.()
  }
}

/** Starts a client; without Python, those for it are skipped, and the output says so. */
async function started({ start }: Replayer<string>, skip: (why: string) => void): Promise<void> {
  try {
    await start?.()
  } catch (error) {
    skip(error instanceof Error ? error.message : String(error))
  }
}

const isAsked = (profile: string): boolean => only?.includes(profile) ?? true

describe.each(replayers.filter(({ client }) => isAsked(client)))('client:$client', (replayer) => {
  const { client } = replayer
  test(`${client} breaks exactly where the judge predicts it`, { timeout: 0 }, async ({ skip }) => {
    await started(replayer, skip)
    await hold(replayer, responsesSubject(client), streamsOf(client), runsOf(client), measured)
  })
})

/** Streams of Chat Completions. */
function chats(): readonly NamedStream[] {
  const all = [...ownChats(runs === undefined ? 24 : 100, seed), ...capturedChats()]
  return runs === undefined ? all.filter((_, at) => at < 40 || at % 4 === seed % 4) : all
}

describe.each(CHAT_CLIENTS.filter((client) => isAsked(`chat:${client}`)))('chat:%s', (client) => {
  test(`${client} breaks at Chat Completions exactly where the judge predicts it`, { timeout: 0 }, async ({ skip }) => {
    await started(chatReplayers[client], skip)
    const count = runs === undefined ? 400 : Number(runs)
    await hold(chatReplayers[client], chatSubject(client), chats(), count, measuredChats)
  })
})

describe.each(MESSAGES_CLIENTS.filter((client) => isAsked(`messages:${client}`)))('messages:%s', (client) => {
  test(`${client} breaks at Messages exactly where the judge predicts it`, { timeout: 0 }, async ({ skip }) => {
    await started(messagesReplayers[client], skip)
    const count = runs === undefined ? 400 : Number(runs)
    const streams = ownMessages(runs === undefined ? 24 : 100, seed)
    await hold(messagesReplayers[client], messagesSubject(client), streams, count, measuredMessages)
  })
})

afterAll(() => {
  const all = [measured, measuredChats, measuredMessages].filter((of) => of.length > 0)
  for (const of of all) console.log(reportOf(of, runs === undefined ? 5 : 25))
  if (output === undefined) return
  writeFileSync(`${output}.md`, all.map((of) => `${markdownOf(of)}\n\n${familiesOf(of)}\n`).join('\n'))
  writeFileSync(`${output}.txt`, all.map((of) => `${reportOf(of, Number.POSITIVE_INFINITY)}\n`).join('\n'))
  writeFileSync(`${output}.json`, `${JSON.stringify({ seed, measured: all.flat() }, null, 2)}\n`)
})
