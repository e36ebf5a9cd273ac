import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../../src/index.js'
import { answer, call, scriptedEngine, think } from '../../../src/testing/index.js'

/** The folder `compatibility-test` of a checkout of gpt-oss, with its packages, and `bun` in the path. */
const FOLDER = process.env['GPT_OSS_COMPATIBILITY'] ?? ''

interface Case {
  readonly tool_name: string
  readonly input: string
  readonly expected_arguments: string
}

describe.skipIf(FOLDER === '')('the compatibility test of gpt-oss (needs GPT_OSS_COMPATIBILITY)', () => {
  test('every case of the compatibility test of gpt-oss passes, over both APIs', { timeout: 120_000 }, async () => {
    const lines = readFileSync(join(FOLDER, 'cases.jsonl'), 'utf8').trim().split('\n')
    const cases = lines.map((line): Case => JSON.parse(line))
    const engine = scriptedEngine(({ messages }) => {
      const last = messages.at(-1)
      const asked = cases.find(({ input }) => input === last?.content)
      if (asked === undefined) return [think('I have it.'), answer('Done.')]
      return [think('I call it.'), call(`functions.${asked.tool_name}`, asked.expected_arguments)]
    })
    const server = await serveResponses({
      engine,
      tokenTable: await loadTokenTable(),
      // Where its provider `vllm` is.
      port: 8000,
      // It expects the field `reasoning` in answers of Chat Completions.
      chat: { reasoning: 'both' },
    })
    onTestFinished(() => server.close())
    const report = await run()
    expect(report).toContain(`Total runs: ${2 * cases.length}`)
    expect(report).toContain(`Invalid Responses API responses: 0 (out of ${cases.length})`)
    expect(report).toContain(`Invalid Chat Completions API responses: 0 (out of ${cases.length})`)
    expect(report).toContain('pass@k (k=1): 1.000')
  })
})

function run(): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('bun', ['index.ts', '--provider', 'vllm'], { cwd: FOLDER }, (error, stdout) => {
      if (error === null) resolve(stdout)
      else reject(error)
    })
  })
}
