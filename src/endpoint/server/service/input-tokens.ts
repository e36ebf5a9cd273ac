import type { ResponseRequest } from '../../../core/responses/request.js'
import { randomResponseId } from '../../../defaults.js'
import { merged } from '../../../shared/merged.js'
import { countInputTokens } from '../../respond/index.js'
import type { Caller } from './caller.js'
import { inConversation } from './in-conversation.js'
import { operatorOptions } from './operator-options.js'
import { parseBody } from './parse-body.js'
import type { Setup } from './setup.js'

/** The answer of `POST /v1/responses/input_tokens`. */
export interface InputTokens {
  readonly object: 'response.input_tokens'
  /** The number of tokens of the prompt. */
  readonly input_tokens: number
}

/** Counts the tokens of a request's prompt. @throws RequestError */
export async function inputTokensOf(setup: Setup, body: unknown, caller: Caller): Promise<InputTokens> {
  const request = await parseBody(setup, body, caller)
  const engine = setup.guard(setup.engineOf(request.model ?? setup.models[0] ?? ''))
  const responseId = randomResponseId()
  return inConversation(setup, request, responseId, caller, async ({ request: resolved, history, began }) => {
    const { owner, signal } = caller
    const options = setup.respondOptions(responseId, owner, request as ResponseRequest)
    const operator = await operatorOptions(setup.options, request, caller)
    const counting = merged(options, {
      ...operator,
      engine,
      history,
      ...(signal && { signal }),
      ...(began !== undefined && { began }),
    })
    const { inputTokens } = await countInputTokens(resolved, counting)
    return { object: 'response.input_tokens', input_tokens: inputTokens }
  })
}
