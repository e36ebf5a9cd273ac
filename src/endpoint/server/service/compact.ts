import { deriveId } from '../../../core/options/ids.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import type { ResponseUsage } from '../../../core/responses/response.js'
import { randomResponseId } from '../../../defaults.js'
import { missingParameter } from '../../../shared/request-error.js'
import { dateOf } from '../../../shared/system/unix-seconds.js'
import { type CompactionItem, compact } from '../../respond/index.js'
import type { ResponseEnding } from '../observe/observe-response.js'
import type { Caller } from './caller.js'
import { engineFor } from './engine-for.js'
import { inConversation } from './in-conversation.js'
import { parseBody } from './parse-body.js'
import type { Setup } from './setup.js'

/** The answer of `POST /v1/responses/compact`. */
export interface CompactedResponse {
  /** The id of the answer. It is not stored. */
  readonly id: string
  readonly object: 'response.compaction'
  /** Unix time in whole seconds. */
  readonly created_at: number
  /** The item that a later request sends in place of the conversation. */
  readonly output: readonly CompactionItem[]
  /** The tokens that the summary took. */
  readonly usage: ResponseUsage
}

/** Compacts a conversation into one sealed item. @throws RequestError; EngineError */
export async function compactConversation(setup: Setup, body: unknown, caller: Caller): Promise<CompactedResponse> {
  const request = await parseBody(setup, body, caller)
  if (request.model === undefined) throw missingParameter('model')
  const engine = await engineFor(setup, request.model, caller)
  const responseId = randomResponseId()
  const { owner, signal } = caller
  const observed = setup.observer?.response({
    ...{ responseId, owner, model: request.model, request: caller.observed, trace: caller.trace },
  })
  let leave = (): void => {}
  let ending: ResponseEnding | undefined
  try {
    leave = await setup.admission.enter(owner, signal)
    observed?.started()
    const { tokenTable, known, sealCompaction } = setup.respondOptions(responseId, owner, request as ResponseRequest)
    const { images, identity, knowledgeCutoff, policy, date = dateOf } = setup.options.response ?? {}
    const seconds = setup.clock()
    const { item, usage } = await inConversation(setup, request, responseId, caller, (conversation) => {
      const told = date(conversation.began ?? seconds)
      return compact(conversation.request, {
        engine: setup.guard(engine, { observed }),
        tokenTable,
        ...(known && { known }),
        pause: setup.pause,
        ...(told !== undefined && { date: told }),
        history: conversation.history,
        sealCompaction: sealCompaction as NonNullable<typeof sealCompaction>,
        itemId: deriveId('cmp', 0, responseId),
        ...(images && { images }),
        ...(identity !== undefined && { identity }),
        ...(knowledgeCutoff !== undefined && { knowledgeCutoff }),
        ...(policy !== undefined && { policy }),
        ...(signal && { signal }),
      })
    })
    const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage
    const compacted: CompactedResponse = {
      id: responseId,
      object: 'response.compaction',
      created_at: seconds,
      output: [item],
      usage: {
        input_tokens: inputTokens,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: outputTokens,
        output_tokens_details: { reasoning_tokens: reasoningTokens },
        total_tokens: inputTokens + outputTokens,
      },
    }
    ending = { status: 'completed', usage: compacted.usage }
    return compacted
  } finally {
    leave()
    observed?.ended(ending)
  }
}
