import { loadTokenTable } from '../../src/index.js'
import { fakeLlamaServer } from '../support/fake-llama-server.js'
import { type Answer, refuse, stream } from '../support/scripted-server.js'
import { encodeHarmony } from '../support/tokens.js'

const TURN = encodeHarmony('<|channel|>final<|message|>Oslo is in Norway.<|return|>')
const START = 200006
const RETURN = 200002
const json = (body: unknown): Answer => refuse(200, body)

/** What each server says of itself to a GET. It names no context length, and a model that may be any. */
export const ABOUT: Readonly<Record<string, unknown>> = {
  '/health': {},
  '/v1/models': { object: 'list', data: [{ id: 'mine' }] },
  '/server_info': { grammar_backend: 'llguidance', max_req_input_len: 8186 },
  '/props': { default_generation_settings: { n_ctx: 8192 } },
}

/** Each server's answers to a POST: one turn, whatever it is asked. That of SGLang was started without a tokenizer. */
export const PLAYED: Readonly<Record<'vllm' | 'sglang' | 'llama-server' | 'chat-server', Answer>> = {
  vllm: byPath({
    '/tokenize': json({ tokens: [START] }),
    '/v1/completions': stream([
      { choices: [{ index: 0, text: '', token_ids: TURN, finish_reason: 'stop', stop_reason: null }] },
      { choices: [], usage: { prompt_tokens: 60, total_tokens: 60 + TURN.length, completion_tokens: TURN.length } },
      '[DONE]',
    ]),
    '/v1/embeddings': json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5] }] }),
  }),
  sglang: byPath({
    '/generate'(response, asked) {
      const { input_ids } = asked.body as { readonly input_ids: readonly number[] }
      const counts = { prompt_tokens: input_ids.length, completion_tokens: TURN.length }
      const meta_info = { finish_reason: { type: 'stop', matched: RETURN }, ...counts }
      return stream([{ output_ids: TURN, meta_info }, '[DONE]'])(response, asked)
    },
  }),
  'chat-server': byPath({
    '/v1/chat/completions': stream([
      { choices: [{ delta: { reasoning: 'A city.' } }] },
      { choices: [{ delta: { content: 'Oslo is in Norway.' }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 12, completion_tokens: 9 } },
      '[DONE]',
    ]),
  }),
  'llama-server': byPath({
    '/tokenize': json({ tokens: [START] }),
    async '/completion'(response, { body }) {
      const { prompt } = body as { readonly prompt: readonly number[] }
      const server = fakeLlamaServer((all) => TURN[all.length - prompt.length] ?? RETURN, await loadTokenTable())
      response.end(await (await server('http://llama.invalid/completion', { body: JSON.stringify(body) })).text())
    },
  }),
}

function byPath(answers: Readonly<Record<string, Answer>>): Answer {
  return (response, asked) =>
    (answers[asked.path] ?? refuse(404, { error: { message: 'no such path' } }))(response, asked)
}
