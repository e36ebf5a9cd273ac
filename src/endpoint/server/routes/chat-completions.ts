import type { Hono } from 'hono'
import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import { resolveAnswerOptions } from '../../../dialects/chat/answer-options.js'
import { chatRequestInSlices } from '../../../dialects/chat/request.js'
import { createChatSseEncoder, toChatCompletion } from '../../../dialects/index.js'
import { RequestError } from '../../../shared/request-error.js'
import { withPauses } from '../../../shared/slices.js'
import { nextTurn } from '../../flow/next-turn.js'
import { endedResponse } from '../../respond/terminal.js'
import { answerEvents } from '../answer-events.js'
import { answerResponse } from '../answer-response.js'
import { callerOf, type Env, type ServerContext } from '../server-context.js'
import type { LiveResponse } from '../service/running/live-response.js'

/**
 * Adds `POST /chat/completions`, for clients of the older API: it creates a response, and answers in that API's form.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function chatCompletionsRoute(app: Hono<Env>, server: ServerContext): void {
  const { hostedTurns: turns } = server
  const { reasoning, hostedCalls } = resolveAnswerOptions('chat', server.options.chat ?? {})
  app.post('/chat/completions', async (context) => {
    const owner = context.get('owner')
    const reading = chatRequestInSlices(await server.readJson(context), {
      ...server.unknownOptions,
      before: (callId) => turns.before(callId, owner),
    })
    const chat = await withPauses(reading, server.options.pause ?? nextTurn)
    // The client's wishes take precedence: it may not want to see the reasoning.
    const answer = { reasoning, hostedCalls, ...chat.answer }
    let live: LiveResponse
    try {
      live = await server.service.create(chat.request, {
        ...callerOf(context),
        approvals: 'refuse',
        getsHiddenCalls: true,
      })
    } catch (error) {
      throw error instanceof RequestError ? chat.refusal(error) : error
    }
    return answerResponse(context, live, server, {
      events(events) {
        const write = createChatSseEncoder(answer)
        return answerEvents(context, events, server, {
          encode(sent) {
            const event = sent as ResponseStreamEvent
            const ended = endedResponse(event)
            if (ended !== undefined) turns.note(ended.output, owner)
            return write(event)
          },
          done: true,
        })
      },
      whole(response) {
        turns.note(response.output, owner)
        return toChatCompletion(response, answer)
      },
    })
  })
}
