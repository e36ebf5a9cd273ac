import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../../src/cli/run.js'
import { realFolder } from '../io.js'
import { serve } from '../served.js'

/** Writes files as Windows has them: lines end with CRLF, and PowerShell 5 redirects as UTF-16. */
function filesOf(texts: Readonly<Record<string, string>>, encoding: 'utf8' | 'utf16le'): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'windows files '))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const windows = (text: string): string => `\ufeff${text.replaceAll('\n', '\r\n')}`
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), windows(text), encoding)
  return (name) => join(folder, name)
}

const KEY = 'a-key-of-24-characters-1'
const SEAL = (byte: number): string => Buffer.alloc(32, byte).toString('base64')
const HASH = createHash('sha256').update(KEY).digest('hex')
const FIXTURE = {
  version: 1,
  name: 'greeting',
  origin: 'made by hand',
  request: { input: 'Hi' },
  tokens: ['<|channel|>final<|message|>Hello!<|return|>'],
}

describe.each(['utf8', 'utf16le'] as const)('files in %s of Windows', (encoding) => {
  test('configure serve: keys, seal keys, instructions, a configuration, MCP servers and fixtures', async () => {
    const path = filesOf(
      {
        keys: `# the team\nann ${HASH}\n`,
        seals: `${SEAL(1)}\n${SEAL(2)}\n`,
        instructions: 'Be brief.\n',
        'mcp.toml': '[mcp_servers.weather]\nenabled = false\ncommand = "npx"\n',
        'greeting.json': JSON.stringify(FIXTURE, null, 2),
      },
      encoding,
    )
    const options = {
      ...{ replay: path('greeting.json'), 'api-keys': path('keys'), 'seal-keys': path('seals') },
      ...{ instructions: path('instructions'), 'mcp-config': path('mcp.toml') },
    }
    const config = filesOf({ 'serve.json': JSON.stringify(options, null, 2) }, encoding)
    const { url } = await serve(['--config', config('serve.json')])
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ model: 'gpt-oss', input: 'Hi' }),
    })
    const { output } = (await response.json()) as { output: { content: { text: string }[] }[] }
    expect(output[0]?.content[0]?.text).toBe('Hello!')
  })

  test('are read by replay, prompt and serve --script', async () => {
    const path = filesOf(
      { fixture: JSON.stringify(FIXTURE, null, 2), request: '{\n"input": "Hi"\n}', script: '[\n{"answer": "Hi"}\n]' },
      encoding,
    )
    for (const args of [
      ['replay', path('fixture')],
      ['prompt', path('request')],
    ]) {
      const io = realFolder()
      expect([await run(args, io), io.err]).toEqual([0, ''])
    }
    await serve(['--script', path('script')])
  })
})
