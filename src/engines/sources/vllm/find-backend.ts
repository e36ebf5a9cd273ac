import * as z from 'zod'
import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import { jsonOf } from '../../../shared/json-of.js'
import { EngineError } from '../../contract/engine-error.js'
import { TransientError } from '../http/failure-of.js'
import { type HttpClient, lostConnection } from '../http/http-client.js'
import { readText } from '../http/read-text.js'
import type { GrammarBackend } from '../structured-outputs/backends.js'

const WORD = 'harmony'
const MAX_TOKENS = 16
const MAX_ANSWER_CHARACTERS = 64 * 1024
/** Statuses of a constraint that the backend refuses, or on which its compiler fails. */
const REFUSALS: readonly (number | undefined)[] = [400, 422, 500, 501]

const completion = z.object({ choices: z.array(z.object({ text: z.string() })).min(1) })

/** The questions in order: the first that is answered with exactly the word identifies the backend. */
const QUESTIONS: readonly { readonly backend: GrammarBackend; readonly constraint: object; readonly text: string }[] = [
  {
    // Asked first: if no backend is named, the server's first constrained call chooses it for good, and vLLM's own tool
    // calls are structural tags.
    backend: 'xgrammar',
    constraint: {
      structural_tag: JSON.stringify({
        type: 'structural_tag',
        format: { type: 'json_schema', json_schema: { const: WORD } },
      }),
    },
    text: `"${WORD}"`,
  },
  { backend: 'guidance', constraint: { grammar: `%llguidance {}\nstart: "${WORD}"` }, text: WORD },
  { backend: 'other', constraint: { json: { const: WORD } }, text: `"${WORD}"` },
]

/**
 * Detects the grammar backend of a vLLM server, which no endpoint reports, by at most three calls of a few tokens. It
 * reads the sampled text, not only the status: a server that does not know `structured_outputs` answers in free text.
 *
 * Observed answers (vLLM 0.32): xgrammar accepts the structural tag; guidance refuses it with 400, or fails with 500,
 * and accepts Lark; outlines accepts neither.
 *
 * @throws EngineError if the server takes no calls
 */
export async function findBackend(
  client: HttpClient,
  model: string | undefined,
  signal: AbortSignal,
): Promise<GrammarBackend> {
  for (const { backend, constraint, text } of QUESTIONS) {
    const answer = await answerTo(constraint, client, model, signal)
    if (answer === text) return backend
    // Accepted but not enforced.
    if (answer !== undefined && backend === 'xgrammar' && answer !== '') return 'none'
  }
  return 'none'
}

/** Returns the server's answer under a constraint; undefined if it refuses the constraint. */
async function answerTo(
  constraint: object,
  client: HttpClient,
  model: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const body = {
    ...(model === undefined ? {} : { model }),
    prompt: [SPECIAL.message],
    max_tokens: MAX_TOKENS,
    temperature: 0,
    structured_outputs: constraint,
  }
  try {
    const answer = await client.request('POST', '/v1/completions', signal, body)
    const { text, error } = await readText(answer, MAX_ANSWER_CHARACTERS)
    signal.throwIfAborted()
    if (error !== undefined) throw lostConnection(error)
    return completion.safeParse(jsonOf(text)).data?.choices[0]?.text.trim()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TransientError || !(error instanceof EngineError)) throw error
    if (!REFUSALS.includes(error.status)) throw error
    return undefined
  }
}
