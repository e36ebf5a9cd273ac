import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, streamText } from 'ai'
import { expect, onTestFinished, test } from 'vitest'
import { serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, type ScriptedEngine, scriptedEngine, think } from '../../src/testing/index.js'

const tokenTable = await loadTokenTable()
const run = promisify(execFile)
const echo = (word: string) => call('container.exec', { cmd: ['echo', word] })

/** Two commands, and an answer. */
async function served(): Promise<{ engine: ScriptedEngine; openai: ReturnType<typeof createOpenAI> }> {
  const engine = scriptedEngine([
    [think('I say hello.'), echo('hello')],
    [think('Once more.'), echo('again')],
    [think('Both ran.'), answer('Said twice.')],
  ])
  const { url, close } = await serveResponses({ engine, tokenTable, port: 0 })
  onTestFinished(() => close({ graceMs: 0 }))
  return { engine, openai: createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }) }
}

/** Runs what the model calls, and notes it. */
function shellOf(openai: ReturnType<typeof createOpenAI>) {
  const commands: string[][] = []
  const tool = openai.tools.localShell({
    async execute({ action: { command } }) {
      commands.push(command)
      const { stdout } = await run(command[0] ?? '', command.slice(1))
      return { output: stdout }
    },
  })
  return { commands, tool }
}

const resultsIn = (engine: ScriptedEngine): string[] =>
  (engine.calls.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? [content] : []))

// The SDK names the call of an output by `call_id` alone. With store: true it sends calls as references to items.
test.each([true, false])(
  'the AI SDK runs the commands of its local shell, and the model reads what they printed (store: %s)',
  async (store) => {
    const { engine, openai } = await served()
    const { commands, tool } = shellOf(openai)
    const { text } = await generateText({
      model: openai.responses('gpt-oss'),
      prompt: 'Say hello twice.',
      tools: { local_shell: tool },
      stopWhen: stepCountIs(5),
      maxRetries: 0,
      providerOptions: { openai: { store } },
    })
    expect(text).toBe('Said twice.')
    expect(commands).toEqual([
      ['echo', 'hello'],
      ['echo', 'again'],
    ])
    expect(resultsIn(engine)).toEqual(['hello\n', 'again\n'])
  },
)

test.each([true, false])(
  'the AI SDK runs the commands of its local shell while it streams (store: %s)',
  async (store) => {
    const { engine, openai } = await served()
    const { commands, tool } = shellOf(openai)
    const streamed = streamText({
      model: openai.responses('gpt-oss'),
      prompt: 'Say hello twice.',
      tools: { local_shell: tool },
      stopWhen: stepCountIs(5),
      maxRetries: 0,
      providerOptions: { openai: { store } },
    })
    expect(await streamed.text).toBe('Said twice.')
    expect(commands).toEqual([
      ['echo', 'hello'],
      ['echo', 'again'],
    ])
    expect(resultsIn(engine)).toEqual(['hello\n', 'again\n'])
  },
)
