// The Responses API in Next, as a route handler: next build, then next start
import { collectResponse, translate } from 'harmony-responses'
import { toSseResponse } from 'harmony-responses/sse'
import { generate } from '../../../model.mjs'
import { refusal } from '../../../refusal.mjs'

export async function POST(incoming) {
  try {
    const request = await incoming.json()
    const { signal } = incoming // aborts when the client leaves
    const events = translate(generate(request, signal), { request, signal })
    return request.stream ? toSseResponse(events) : Response.json(await collectResponse(events))
  } catch (error) {
    const { status, body } = refusal(error)
    return Response.json(body, { status })
  }
}
