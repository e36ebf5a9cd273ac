import { problemsOf } from '../../schemas/parse-event.js'
import { asFields, asString } from '../../stream-event.js'
import { chatChunkSchema } from '../chunk-schema.js'
import { type ChatInvariant, chatRules } from '../invariant.js'
import { isAside, isErrorFrame } from '../stream-state.js'

/** Rules for chunks as such, and for the error that ends a stream which fails. */
export const WIRE: readonly ChatInvariant[] = chatRules([
  {
    id: 'chat-chunk-shape',
    sentence: 'Each chunk has id, object, created, model and choices, and every field has its type.',
    namesField: true,
    chunk(chunk, _state, report) {
      if (isErrorFrame(chunk) || isAside(chunk)) return
      for (const { path, expected, got } of problemsOf(chunk, chatChunkSchema)) {
        report(`${path}, ${expected}`, undefined, got)
      }
    },
  },
  {
    id: 'chat-one-completion',
    sentence: 'All chunks of a stream have the same id and model.',
    fields: ['id', 'model'],
    chunk(chunk, { identity }, report) {
      if (identity === undefined || isErrorFrame(chunk) || isAside(chunk)) return
      for (const field of ['id', 'model'] as const) {
        if (isOther(chunk[field], identity[field])) report(`${field} as in the first chunk`, chunk[field])
      }
    },
  },
  {
    id: 'chat-created-constant',
    sentence:
      'All chunks of a stream have the same created: OpenAI documents that. llama-server sends the time of each chunk, and ' +
      'no client reads it.',
    severity: 'warning',
    fields: ['created'],
    causes: { event: ['chat-one-completion'] },
    chunk(chunk, { identity }, report) {
      if (identity === undefined || isErrorFrame(chunk) || isAside(chunk)) return
      const { created } = chunk
      if (isOther(created, identity.created)) report('created as in the first chunk', created)
    },
  },
  {
    id: 'chat-id-named',
    sentence: 'The id of a completion is not empty: the openai SDK skips the usage of a chunk without an id.',
    fields: ['id'],
    chunk(chunk, _state, report) {
      if (chunk['id'] === '' && !isAside(chunk)) report('an id', chunk['id'])
    },
  },
  {
    id: 'chat-no-aside',
    sentence: 'Each chunk is one of the answer: Azure also sends chunks about its content filter, which clients skip.',
    severity: 'warning',
    chunk(chunk, _state, report) {
      if (isAside(chunk)) report('a chunk of the answer', chunk)
    },
  },
  {
    id: 'chat-error-body',
    sentence: 'A stream that fails ends with {"error": {"message", "type", "param", "code"}}.',
    chunk(chunk, _state, report) {
      if (!isErrorFrame(chunk)) return
      const error = asFields(chunk['error'])
      if (chunk['type'] !== undefined) report('an error alone, without a type beside it', chunk['type'])
      if (asString(error['message']) === '') report('error.message, a text', error['message'] ?? chunk['error'])
      else if (typeof error['type'] !== 'string') report('error.type, a string', error['type'])
    },
  },
  {
    id: 'chat-error-ends',
    sentence:
      'An error ends an answer that has no finish_reason: clients take a whole answer for a failed one otherwise.',
    chunk(chunk, { isFinished, hasFailed }, report) {
      if (isErrorFrame(chunk) && isFinished && !hasFailed) report('no error after finish_reason', chunk['error'])
    },
  },
  {
    id: 'chat-error-last',
    sentence: 'Nothing comes after an error: the openai SDK throws it, and has stopped reading.',
    chunk(_chunk, { hasFailed }, report) {
      if (hasFailed) report('nothing after the error', undefined, 'a chunk')
    },
  },
])

/** Whether a value differs from that of the first chunk. A missing one is told by the shape. */
function isOther(value: unknown, first: unknown): boolean {
  return value !== undefined && first !== undefined && value !== first
}
