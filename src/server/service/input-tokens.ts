import { randomResponseId } from '../../defaults.js'
import { countInputTokens } from '../../respond/index.js'
import type { ResponseRequest } from '../../responses/request.js'
import type { Caller } from './caller.js'
import { resolveConversation } from './conversation.js'
import { inOwnTerms } from './own-terms.js'
import { parseBody } from './parse-body.js'
import type { Setup } from './setup.js'

/** The answer of `POST /v1/responses/input_tokens`. */
export interface InputTokens {
  readonly object: 'response.input_tokens'
  readonly input_tokens: number
}

/** Counts the tokens of a request's prompt. @throws RequestError */
export async function inputTokensOf(setup: Setup, body: unknown, caller: Caller): Promise<InputTokens> {
  const request = await parseBody(setup, body, caller)
  const engine = setup.engineOf(request.model ?? setup.models[0] ?? '')
  const responseId = randomResponseId()
  const { owner, remembered, signal } = caller
  const { stored: store, seal } = setup
  const conversation = await resolveConversation(request, {
    owner,
    store,
    seal,
    foreignSeals: caller.foreignSeals ?? setup.foreignSeals,
    onUnopened: setup.reportUnopened,
    pause: setup.pause,
    ...(signal && { signal }),
    known: setup.known,
    responseId,
    ...(remembered && { remembered }),
  })
  const options = setup.respondOptions(responseId, owner, request as ResponseRequest)
  try {
    const { history } = conversation
    const counted = await countInputTokens(conversation.request, {
      ...options,
      engine,
      history,
      ...(signal && { signal }),
    })
    return { object: 'response.input_tokens', input_tokens: counted.inputTokens }
  } catch (error) {
    throw inOwnTerms(error, conversation.places)
  }
}
