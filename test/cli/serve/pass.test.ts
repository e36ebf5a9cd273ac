import { describe, expect, test } from 'vitest'
import { json, upstream } from '../../endpoint/server/passed-upstream.js'
import { refusal, serve } from '../served.js'

const PATHS = ['/v1/embeddings', '/v1/completions', '/v1/rerank', '/tokenize'] as const
const NAMED = PATHS.join(', ')
const post = (url: string, path: string, body: object = {}): Promise<Response> =>
  fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })

describe('serve --pass', () => {
  test.each(['vllm', 'sglang', 'llama-server'])('--%s answers the paths that are named, and no other', async (kind) => {
    const { url: engine, reached } = await upstream(json({ tokens: [1] }))
    const options = ['--pass', '/v1/embeddings', '--pass', '/tokenize', '--pass', '/tokenize']
    const env = { HARMONY_ENGINE_API_KEY: 'the-key-of-the-engine' }
    const { url, io } = await serve([`--${kind}`, engine, '--skip-model-check', ...options], { env })
    const statuses: number[] = []
    for (const path of PATHS) statuses.push((await post(url, path, { prompt: 'Hi', model: 'gpt-oss' })).status)
    expect(statuses).toEqual([200, 404, 404, 200])
    expect(reached.map(({ url: path, json: body, headers }) => [path, body, headers.authorization])).toEqual([
      ['/v1/embeddings', { prompt: 'Hi', model: 'openai/gpt-oss-20b' }, 'Bearer the-key-of-the-engine'],
      ['/tokenize', { prompt: 'Hi', model: 'openai/gpt-oss-20b' }, 'Bearer the-key-of-the-engine'],
    ])
    await expect.poll(() => io.err).toMatch(/POST \/tokenize 200 {2}.*req_/)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('harmony_requests_total{method="POST",route="/v1/embeddings",status="200"} 1\n')
    expect(metrics).toContain('harmony_requests_total{method="POST",route="/tokenize",status="200"} 1\n')
    expect(metrics).toContain('harmony_responses_running 0\n')
    expect(io.err + io.out + metrics).not.toContain('the-key-of-the-engine')
  })

  test('no path is passed on without it', async () => {
    const { url: engine, reached } = await upstream(json({}))
    const { url } = await serve(['--vllm', engine, '--skip-model-check'])
    for (const path of PATHS) expect((await post(url, path)).status).toBe(404)
    expect(reached).toEqual([])
  })

  test('a configuration names the paths, too', async () => {
    const { url: engine, reached } = await upstream(json({}))
    const config = JSON.stringify({ vllm: engine, 'skip-model-check': true, pass: ['/v1/rerank'] })
    const { url } = await serve(['--config', 'serve.json'], { readFile: async () => config })
    expect((await post(url, '/v1/rerank')).status).toBe(200)
    expect(reached).toHaveLength(1)
  })

  test('a configuration with any other path is refused in one line', async () => {
    const config = JSON.stringify({ vllm: 'http://x', pass: ['/metrics'] })
    const [code, line] = await refusal(['--config', 'serve.json'], { readFile: async () => config })
    expect([code, line]).toEqual([2, expect.stringMatching(/^--config serve\.json: pass\[0\]: .*"\/v1\/embeddings"/)])
    expect(line).not.toContain('\n')
  })

  test('the banner names what is passed on', async () => {
    const { url: engine } = await upstream(json({}))
    const { io } = await serve(['--vllm', engine, '--pass', '/v1/rerank', '--pass', '/tokenize'])
    expect(io.out).toContain('passes /v1/rerank and /tokenize on to the engine')
  })

  test.each([
    [['--vllm', 'http://x', '--pass', '/metrics'], `--pass: expected one of ${NAMED}, got "/metrics"`],
    [['--vllm', 'http://x', '--pass', ''], `--pass: expected one of ${NAMED}, got ""`],
    [['--vllm', 'http://x', '--pass', '/v1/../tokenize'], `--pass: expected one of ${NAMED}, got "/v1/../tokenize"`],
    [['--vllm', 'http://x', '--pass', 'tokenize'], `--pass: expected one of ${NAMED}, got "tokenize"`],
  ] as [string[], string][])('wrong usage is one line and exit code 2: %j', async (args, line) => {
    expect(await refusal(args)).toEqual([2, line])
  })

  test.each([[['--replay']], [['--script', 'a.json']], [['--model', 'a.gguf']]])(
    '%j, which is no server, has no path to pass',
    async (engine) => {
      const onlyServers = expect.stringMatching(/^--pass: expected only with --vllm, --sglang.* or --[a-z-]+$/)
      expect(await refusal([...engine, '--pass', '/tokenize'])).toEqual([2, onlyServers])
    },
  )
})
