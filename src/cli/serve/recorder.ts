import type { HarmonyToken } from '../../core/tokens/token-source.js'
import type { Entry, OpenEntry } from '../../endpoint/journal/entry.js'
import type { FixtureChunk, FixtureSetup, TokenFixture } from '../../engines/sources/token-fixture.js'

/** Records responses as token fixtures, which turn a bug report into a test. */
export interface Recorder {
  take(responseId: string, entry: Entry): void
  /** Ends a response, even if its last entry could not be written. */
  end(responseId: string): void
}

/** A fixture, and a list of its omissions. */
export interface MadeRecording {
  readonly fixture: TokenFixture
  /** In words for the log; undefined if it contains the whole response. */
  readonly lacks: string | undefined
}

/** The maximum number of tokens in a recording: without a limit, responses that never end would fill the memory. */
const MAX_RECORDED_TOKENS = 1_000_000

interface Recording {
  readonly open: OpenEntry & Entry
  readonly tokens: FixtureChunk[]
  count: number
  turns: number
  /** The host's tokens before the model's next one. */
  host: number[]
  insertions: number
  isOver: boolean
}

/**
 * @param beginning - the ids of `<|start|>assistant`, which begin every turn but the first in a fixture
 * @param setup - the translator's options that are not in the entries
 * @param write - receives each recording once, when its response has ended
 */
export function createRecorder(
  beginning: readonly number[],
  setup: FixtureSetup,
  write: (recording: MadeRecording) => void,
): Recorder {
  const recordings = new Map<string, Recording>()

  function end(responseId: string): void {
    const recording = recordings.get(responseId)
    if (recording === undefined) return
    recordings.delete(responseId)
    write(madeOf(recording, setup))
  }

  return {
    take(responseId, entry) {
      if (entry.type === 'open') {
        recordings.set(responseId, begun(entry))
        return
      }
      const recording = recordings.get(responseId)
      if (recording === undefined) return
      add(recording, entry, beginning)
      if (recording.isOver) end(responseId)
    },
    end,
  }
}

function begun(open: OpenEntry & Entry): Recording {
  return { open, tokens: [], count: 0, turns: 0, host: [], insertions: 0, isOver: false }
}

function add(recording: Recording, entry: Exclude<Entry, { type: 'open' }>, beginning: readonly number[]): void {
  switch (entry.type) {
    case 'turn':
      write(recording, entry.reminder ?? [])
      if (recording.turns > 0) write(recording, beginning)
      recording.turns += 1
      return
    case 'host':
      write(recording, entry.tokens)
      return
    case 'tool_result':
      write(recording, entry.transcript)
      return
    case 'chunk':
      push(recording, entry.tokens)
      return
    case 'item':
    case 'compaction':
      recording.insertions += 1
      return
    case 'begin':
    case 'stop':
    case 'usage':
    case 'tool_started':
      return
    case 'end':
    case 'fail':
    case 'abort':
    case 'cancel':
      recording.isOver = true
  }
}

/** Adds tokens of the host's, which stand before the model's next ones. */
function write(recording: Recording, tokens: readonly number[]): void {
  for (const id of tokens) recording.host.push(id)
}

function push(recording: Recording, tokens: readonly HarmonyToken[]): void {
  if (recording.count >= MAX_RECORDED_TOKENS) return
  if (recording.host.length > 0) recording.tokens.push({ host: recording.host })
  recording.count += recording.host.length + tokens.length
  recording.host = []
  recording.tokens.push([...tokens])
}

function madeOf({ open, tokens, count, insertions }: Recording, setup: FixtureSetup): MadeRecording {
  const { responseId, request, listings, approvedCalls, at } = open
  const lacks = [
    ...(insertions === 0 ? [] : [`${insertions === 1 ? 'an item' : `${insertions} items`} of the host's`]),
    ...(count < MAX_RECORDED_TOKENS ? [] : [`what follows ${MAX_RECORDED_TOKENS} tokens`]),
  ]
  return {
    lacks: lacks.length === 0 ? undefined : lacks.join(' and '),
    fixture: {
      version: 1,
      name: responseId,
      origin: 'recorded by serve',
      request,
      setup: {
        ...setup,
        ...(listings.length > 0 && { mcpListings: listings }),
        ...(approvedCalls.length > 0 && { approvedCalls }),
      },
      created_at: at,
      tokens,
    },
  }
}
