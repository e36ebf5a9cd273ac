import { traceRecords } from '../../../../core/trace/trace-records.js'
import { merged } from '../../../../shared/merged.js'
import { RequestError } from '../../../../shared/request-error.js'
import { createPace } from '../../../../shared/slices.js'
import { nextTurn } from '../../../flow/next-turn.js'
import type { Entry } from '../../../journal/entry.js'
import { type EntryTranslation, translateEntries } from '../../../respond/index.js'
import { ENTRY_COST, findStored } from '../kept.js'
import { RESPONSE_BYTES, takeOrRefuse } from '../limits/memory.js'
import { costOf } from '../running/follow.js'
import type { Setup } from '../setup.js'
import { followable } from '../storage/stored-entries.js'
import { type HiddenContent, hidingRecorder } from './hidden-tokens.js'
import type { ResponseTrace } from './response-trace.js'
import { type PromptOfResponse, tracedPrompt } from './traced-prompt.js'
import { type TraceQuery, TraceWindow } from './window.js'

/**
 * Returns what became of the tokens of a response so far, a window at a time.
 *
 * @throws RequestError if this owner has no such response, its entries are no longer stored, or another version wrote
 * them; with status 429 if there is no memory for it
 */
export async function traceResponse(
  setup: Setup,
  responseId: string,
  owner: string,
  query: TraceQuery = {},
): Promise<ResponseTrace> {
  await findStored(setup, responseId, owner)
  const stored = await setup.durable.stored.entries(responseId, owner)
  if (stored === undefined) throw notKept(responseId)
  const { offeredCalls, response: { reasoning } = {} } = setup.options
  const hiding: HiddenContent = { reasoning: reasoning === 'hidden', calls: offeredCalls === 'hidden' }
  const window = new TraceWindow(query)
  const recorder = hidingRecorder(hiding, window)
  const options = merged(setup.respondOptions(responseId, owner, { store: true }), traceRecords(recorder.take))
  const translation = translateEntries(options)
  const held = setup.budget.hold(owner, 'reader')
  try {
    takeOrRefuse(held, RESPONSE_BYTES)
    let entries: readonly Entry[] = []
    for await (const added of await followable(stored, responseId)) {
      entries = added
      // Later entries do not count.
      break
    }
    takeOrRefuse(held, costOf(entries))
    await applyAll(translation, entries)
    recorder.end()
    const [open] = entries
    const asked = window.isFirst && open?.type === 'open' ? { responseId, owner, open, hiding, held } : undefined
    return {
      object: 'response.trace',
      response_id: responseId,
      status: translation.response?.status ?? 'queued',
      tokens: window.tokens,
      ...(asked && { prompt: await tracedPrompt(setup, await withResponses(setup, asked)) }),
      data: window.records,
      last: window.last,
      has_more: window.hasMore,
    }
  } finally {
    translation.dispose()
    held.end()
  }
}

async function applyAll(translation: EntryTranslation, entries: readonly Entry[]): Promise<void> {
  const pace = createPace(nextTurn)
  for (const entry of entries) {
    translation.apply(entry)
    await pace(entry.type === 'chunk' ? ENTRY_COST * entry.tokens.length : ENTRY_COST)
  }
}

/** Adds the responses that it continues, which are kept as long as it is. */
async function withResponses(
  { durable }: Setup,
  asked: Omit<PromptOfResponse, 'responses'>,
): Promise<PromptOfResponse> {
  const found = await durable.stored.lineage(asked.responseId, asked.owner)
  const { state, responses = [] } = found ?? {}
  return { ...asked, responses: state === 'finished' ? responses.slice(0, -1) : responses }
}

function notKept(responseId: string): RequestError {
  const message = `The tokens of response '${responseId.slice(0, 80)}' are not kept any more.`
  return new RequestError(message, { status: 404 })
}
