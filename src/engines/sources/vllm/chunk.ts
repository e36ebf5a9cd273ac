import * as z from 'zod'
import { isFields } from '../../../shared/fields.js'
import {
  type Count,
  count,
  isAbsent,
  isTokenIds,
  listOf,
  logprob,
  parseEvent,
  recordOf,
  tokenId,
} from '../http/parse-event.js'

/** A chunk of a stream of `/v1/completions`. */
export interface Chunk {
  /** The last chunk has counts and no choice. */
  readonly choices: readonly Choice[]
  readonly usage?:
    | {
        readonly prompt_tokens?: Count
        readonly prompt_tokens_details?: { readonly cached_tokens?: Count } | null | undefined
      }
    | null
    | undefined
}

export interface Choice {
  readonly token_ids: number[] | null
  readonly logprobs?: LogprobLists | null | undefined
  readonly finish_reason?: string | null | undefined
  /** The id at which it stopped; null for the model's first end-of-sequence token. */
  readonly stop_reason?: number | string | null | undefined
}

interface LogprobLists {
  /** `token_id:976` each. */
  readonly tokens: readonly string[]
  readonly token_logprobs: readonly number[]
  /** Keyed by `token_id:976`; the sampled token is first, whatever its rank. */
  readonly top_logprobs?: readonly (Readonly<Record<string, number>> | null)[] | null | undefined
}

const logprobLists = z.object({
  tokens: listOf(z.string('a string'), 'an array'),
  token_logprobs: listOf(logprob, 'an array'),
  top_logprobs: listOf(recordOf(logprob, 'an object').nullable(), 'an array').nullish(),
})

export const CHUNK: z.ZodType<Chunk> = z.object(
  {
    choices: listOf(
      z.object(
        {
          token_ids: listOf(tokenId, 'an array of token ids (vLLM 0.10.2 or later)').nullable(),
          logprobs: logprobLists.nullish(),
          finish_reason: z.string('a string').nullish(),
          stop_reason: z.union([z.number(), z.string()], 'a token id or a string').nullish(),
        },
        'a choice',
      ),
      'an array',
    ),
    usage: z
      .object({ prompt_tokens: count, prompt_tokens_details: z.object({ cached_tokens: count }).nullish() })
      .nullish(),
  },
  'a chunk of a completion',
)

/** Whether a chunk is as nearly all are: one choice, of tokens alone. */
export function isUsual(event: unknown): boolean {
  if (!isFields(event)) return false
  const { choices, usage } = event
  if (!isAbsent(usage) || !Array.isArray(choices) || choices.length !== 1 || !isFields(choices[0])) return false
  const { token_ids, logprobs, finish_reason, stop_reason } = choices[0]
  return isTokenIds(token_ids) && isAbsent(logprobs) && isAbsent(finish_reason) && isAbsent(stop_reason)
}

/** Reads a chunk of a stream of `/v1/completions`. @throws EngineError `server_error` */
export function readChunk(event: unknown): Chunk {
  return parseEvent(CHUNK, event, 'vLLM', isUsual)
}
