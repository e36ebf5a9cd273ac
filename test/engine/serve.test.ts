import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../docs/pages.js'
import { createDesk, type Desk, env, here as journeys } from '../journeys/project.js'
import { type Terminal, type } from '../journeys/terminal.js'
import { models } from './model.js'
import { call, endless, plainAnswer, questionOf } from './scripts.js'

const TARBALL = '../harmony-responses/*.tgz'
const { dependencies: versions }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
  await readFile(join(root, 'test/engine/package.json'), 'utf8'),
)

let desk: Desk
/** A folder that has the packed library and node-llama-cpp, and nothing else. */
let folder: string
const running: Terminal[] = []

beforeAll(async () => {
  desk = await createDesk([journeys, join(root, 'test/engine')])
  folder = await desk.createFolder('model')
  await install(folder, ...Object.entries(versions).map(([name, version]) => `${name}@${version}`))
  expect(await desk.unpinned(folder)).toEqual([])
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((terminal) => terminal.close()))
})

afterAll(() => desk.remove())

/** Installs the packed library, without the engine's builds for other machines: see .npmrc. */
async function install(where: string, ...packages: string[]): Promise<void> {
  const flags = '--silent --prefer-offline --omit=optional --ignore-scripts'
  const terminal = type(`npm install ${flags} ${TARBALL} ${packages.join(' ')}`, where, env)
  expect(await terminal.exit, terminal.printed).toBe(0)
}

/** `serve` as it is typed. */
function typed(args: string, where = folder): Terminal {
  // With a shell that is replaced by the command: npx passes SIGTERM on to its shell alone.
  const terminal = type(`exec npx harmony-responses serve --port 0 ${args}`, where, {
    ...env,
    npm_config_script_shell: 'bash',
  })
  running.push(terminal)
  return terminal
}

/** `serve` that listens. */
async function serve(args: string): Promise<{ readonly terminal: Terminal; readonly url: string }> {
  const terminal = typed(args)
  await terminal.until((printed) => printed.includes('listens on'))
  const [, url = ''] = /listens on (\S+)\/v1/.exec(terminal.printed) ?? []
  expect(url, terminal.printed).not.toBe('')
  return { terminal, url }
}

/** The line that `serve` prints instead of listening, after which it exits with 2. */
async function refusal(args: string, where?: string): Promise<string> {
  const terminal = typed(args, where)
  expect(await terminal.exit, terminal.printed).toBe(2)
  return terminal.printed
}

/** What a client gets of an answer. */
interface Said {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
}

const NAME = 'get_weather'
const SCHEMA = { type: 'object' as const, properties: {} }

/** Asks by one of the APIs, with one tool. */
type Ask = (url: string, question: string, stream: boolean) => Promise<Said>

const openaiAt = (url: string): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })

const byResponses: Ask = async (url, input, stream) => {
  const tools = [{ type: 'function' as const, name: NAME, parameters: SCHEMA, strict: false }]
  const body = { model: 'gpt-oss', input, tools }
  const { responses } = openaiAt(url)
  const { output, output_text: text } = await (stream ? responses.stream(body).finalResponse() : responses.create(body))
  const reasoning = output.flatMap((item) => (item.type === 'reasoning' ? (item.content ?? []) : []))
  return {
    text,
    reasoning: reasoning.map((part) => part.text).join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, arguments: JSON.parse(item.arguments) }] : [],
    ),
  }
}

const byChat: Ask = async (url, content, stream) => {
  const tools = [{ type: 'function' as const, function: { name: NAME, parameters: SCHEMA } }]
  const body = { model: 'gpt-oss', messages: [{ role: 'user' as const, content }], tools }
  const { completions } = openaiAt(url).chat
  let [text, reasoning, name, given] = ['', '', '', '']
  const take = (part: object | undefined): void => {
    const { content: more, reasoning_content: thought, tool_calls: calls } = part as ChatPart
    text += more ?? ''
    reasoning += thought ?? ''
    name += calls?.[0]?.function.name ?? ''
    given += calls?.[0]?.function.arguments ?? ''
  }
  if (stream) for await (const { choices } of await completions.create({ ...body, stream })) take(choices[0]?.delta)
  else take((await completions.create(body)).choices[0]?.message)
  return { text, reasoning, calls: name === '' ? [] : [{ name, arguments: JSON.parse(given) }] }
}

/** What a message and a delta have in common; the SDK does not know the field of the reasoning. */
interface ChatPart {
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { readonly function: { readonly name?: string; readonly arguments?: string } }[]
}

const byMessages: Ask = async (url, content, stream) => {
  const { messages } = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
  const body = {
    model: 'gpt-oss',
    max_tokens: 200,
    thinking: { type: 'adaptive' as const },
    messages: [{ role: 'user' as const, content }],
    tools: [{ name: NAME, input_schema: SCHEMA }],
  }
  const answer = await (stream ? messages.stream(body).finalMessage() : messages.create(body))
  const joined = (texts: readonly string[]): string => texts.join('')
  return {
    text: joined(answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))),
    reasoning: joined(answer.content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))),
    calls: answer.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
    ),
  }
}

describe('npx harmony-responses serve --model FILE, from the tarball, with node-llama-cpp', () => {
  test('serve --model answers over all three APIs, whole and streamed, and exits with 0 at SIGTERM', async () => {
    const { terminal, url } = await serve(`--model ${models.sure}`)
    expect(terminal.printed).toContain(`llama.cpp with ${models.sure}; model gpt-oss; no key\n`)
    for (const path of ['/healthz', '/readyz', '/health']) expect((await fetch(url + path)).status).toBe(200)
    for (const [api, ask] of Object.entries({ byResponses, byChat, byMessages })) {
      for (const stream of [false, true]) {
        const asked = `${api}, ${stream ? 'streamed' : 'whole'}`
        expect(await ask(url, questionOf(plainAnswer), stream), asked).toEqual({
          text: 'Hello, world! How are you today?',
          reasoning: '',
          calls: [],
        })
        expect(await ask(url, questionOf(call), stream), asked).toEqual({
          text: '',
          reasoning: 'The user asks about the weather, so I call the tool.',
          calls: [{ name: NAME, arguments: { city: 'Paris', unit: 'celsius' } }],
        })
      }
    }
    terminal.terminate()
    expect(await terminal.exit, terminal.printed).toBe(0)
    expect(terminal.printed).not.toMatch(/harmony-responses: |\[node-llama-cpp\]/)
  })

  test('serve --model takes a context size, calls at once and names of the model, of a configuration too', async () => {
    const config = { model: models.sure, 'context-size': 512, 'model-alias': ['tiny'] }
    await writeFile(join(folder, 'serve.json'), JSON.stringify(config))
    const { terminal, url } = await serve('--config serve.json --parallel 2')
    const client = openaiAt(url)
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['gpt-oss', 'tiny'])

    const long = client.responses.create({ model: 'tiny', input: 'word '.repeat(600) })
    await expect(long).rejects.toMatchObject({ code: 'context_length_exceeded' })
    await expect(client.responses.create({ model: 'other', input: 'Hi' })).rejects.toMatchObject({ status: 404 })

    const first = await client.responses.create({ model: 'tiny', input: questionOf(endless), stream: true })
    for await (const event of first) {
      if (event.type !== 'response.created') throw new Error(`the first event is ${event.type}`)
      const second = await client.responses.create({ model: 'tiny', input: questionOf(plainAnswer) })
      expect(second.output_text).toBe('Hello, world! How are you today?')
      // One call at a time would have ended it at the end of its context before the second one began.
      expect((await client.responses.retrieve(event.response.id)).status).toBe('in_progress')
      break
    }
    terminal.terminate()
    expect(await terminal.exit, terminal.printed).toBe(0)
  })
})

describe('a file that serve --model cannot serve', () => {
  test('a file that is no GGUF is refused in a line that names it', async () => {
    await writeFile(join(folder, 'no.gguf'), 'not a model')
    expect(await refusal('--model no.gguf')).toMatch(
      /^harmony-responses: --model no\.gguf: The model cannot be loaded: .*GGUF.*\n$/,
    )
  })

  test('a GGUF that is cut off is refused in a line with what llama.cpp logs', async () => {
    const whole = await readFile(models.sure)
    await writeFile(join(folder, 'cut.gguf'), whole.subarray(0, whole.length - 1_000_000))
    expect(await refusal('--model cut.gguf')).toMatch(
      /^harmony-responses: --model cut\.gguf: The model cannot be loaded: .*corrupted or incomplete.*\n$/,
    )
  })

  test('a folder and a missing file are refused in a line', async () => {
    expect(await refusal('--model .')).toBe('harmony-responses: cannot read .: expected a GGUF file\n')
    const missing = 'harmony-responses: cannot read missing.gguf: no such file or directory\n'
    expect(await refusal('--model missing.gguf')).toBe(missing)
  })

  test('a model is refused in a line that says what to install, where node-llama-cpp is missing', async () => {
    const bare = await desk.createFolder('bare')
    await install(bare)
    expect(await refusal(`--model ${models.sure}`, bare)).toBe(
      `harmony-responses: --model ${models.sure}: node-llama-cpp is not installed: npm install node-llama-cpp@3\n`,
    )
  })
})
