import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { merged } from '../../shared/merged.js'
import { RequestError } from '../../shared/request-error.js'
import type { ByteHold } from '../flow/byte-budget.js'
import { encodeJson } from './encode-json.js'
import { UNCOUNTED_BYTES } from './frames.js'
import { nodeBindings } from './node-bindings.js'
import type { Env, ServerContext } from './server-context.js'
import { OUT_OF_MEMORY } from './service/limits/memory.js'

/** The longest text that Node is given whole, in characters: it encodes all of it at once. */
const MAX_AT_ONCE = 1_048_576

/**
 * Answers with JSON. A large answer is counted until the client has read it: otherwise, clients that request it again
 * and again without reading would pile up copies.
 *
 * @throws RequestError with status 429 if there is no room
 */
export async function sendJson(
  context: Context<Env>,
  body: unknown,
  { service }: Pick<ServerContext, 'service'>,
): Promise<Response> {
  const text = await encodeJson(body)
  const { outgoing, isOwn } = nodeBindings(context)
  const whole = (): Response => {
    if (outgoing === undefined || !isOwn) return context.body(text, 200, JSON_TYPE)
    writeOut(outgoing, text, merged(JSON_TYPE, context.get('headers')))
    return RESPONSE_ALREADY_SENT
  }
  if (text.length <= UNCOUNTED_BYTES) return whole()
  const unread = service.holdBytes(context.get('owner'), 'reader')
  if (unread.take(text.length) !== 'taken') {
    throw new RequestError(OUT_OF_MEMORY, { status: 429, code: 'rate_limit_exceeded' })
  }
  if (outgoing === undefined || text.length > MAX_AT_ONCE) return context.body(inSlices(text, unread), 200, JSON_TYPE)
  if (outgoing.closed) unread.end()
  else outgoing.once('close', () => unread.end())
  return whole()
}

const JSON_TYPE = { 'content-type': 'application/json' }

function writeOut(outgoing: ServerResponse, text: string, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
  // With the whole text, Node sends its length.
  outgoing.end(text)
}

/** Streams a text at its reader's pace, which shows how much was read. */
function inSlices(text: string, unread: ByteHold): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  let at = 0
  return new ReadableStream({
    pull(controller) {
      // Avoids cutting between the two halves of a character.
      const isHalf = (text.charCodeAt(at + UNCOUNTED_BYTES - 1) & 0xfc00) === 0xd800
      const end = at + UNCOUNTED_BYTES - (isHalf ? 1 : 0)
      controller.enqueue(utf8.encode(text.slice(at, end)))
      at = end
      if (at < text.length) return
      unread.end()
      controller.close()
    },
    cancel: () => unread.end(),
  })
}
