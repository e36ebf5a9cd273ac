import { createServer } from 'node:http'

const [START, RETURN] = [200006, 200002]
const LIST = { object: 'list', data: [{ id: 'gpt-oss', object: 'model', owned_by: 'vllm', max_model_len: 131_072 }] }

/** A server in front of a model, which speaks what vLLM does. @returns its port, and what ends it */
export async function startEngineServer(model) {
  const server = createServer(async (incoming, response) => {
    const json = (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const parts = []
    for await (const part of incoming) parts.push(part)
    if (incoming.method === 'GET') return json(LIST)
    if (incoming.url === '/tokenize') return json({ count: 1, tokens: [START] })
    const { prompt, max_tokens: maxTokens } = JSON.parse(Buffer.concat(parts).toString())
    const send = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`)
    const tokens = model.generate(prompt, { maxTokens })
    response.on('close', () => void tokens.return())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let count = 0
    try {
      for await (const chunk of tokens) {
        const token_ids = [chunk].flat().map((token) => token.id ?? token)
        count += token_ids.length
        const isOver = token_ids.includes(RETURN)
        send({ choices: [{ index: 0, text: '', token_ids, finish_reason: isOver ? 'stop' : null, stop_reason: null }] })
      }
      send({ choices: [{ index: 0, text: '', token_ids: [], finish_reason: 'stop', stop_reason: null }] })
      const usage = { prompt_tokens: prompt.length, completion_tokens: count, total_tokens: prompt.length + count }
      send({ choices: [], usage })
      response.end('data: [DONE]\n\n')
    } catch {
      // As when its process has died.
      response.destroy()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: server.address().port, close: () => server.close() }
}
