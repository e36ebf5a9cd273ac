import { Agent, type ApplyPatchOperation, applyPatchTool, OpenAIResponsesModel, Runner } from '@openai/agents'
import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, type ScriptedMessage, scriptedEngine, think } from '../../src/testing/index.js'

const tokenTable = await loadTokenTable()
const patch = (...lines: string[]): ScriptedMessage => ({
  ...call('functions.apply_patch', ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')),
  contentType: 'code',
})

test.each([true, false])(
  'the Agents SDK applies the patches of a model (store: %s), and the model reads what became of them',
  async (store) => {
    const engine = scriptedEngine([
      [think('A typo.'), patch('*** Update File: a.txt', '@@', '-Helo', '+Hello')],
      patch('*** Add File: b.txt', '+New'),
      patch('*** Delete File: c.txt'),
      answer('Done.'),
    ])
    const { url, close } = await serveResponses({ engine, tokenTable, port: 0 })
    onTestFinished(() => close({ graceMs: 0 }))
    const applied: ApplyPatchOperation[] = []
    const apply = (operation: ApplyPatchOperation) => {
      applied.push(operation)
      return operation.type === 'delete_file'
        ? ({ status: 'failed', output: 'No such file' } as const)
        : ({ status: 'completed', output: `wrote ${operation.path}` } as const)
    }
    const editor = {
      createFile: async (operation: ApplyPatchOperation) => apply(operation),
      updateFile: async (operation: ApplyPatchOperation) => apply(operation),
      deleteFile: async (operation: ApplyPatchOperation) => apply(operation),
    }
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
    const agent = new Agent({
      name: 'agent',
      model: new OpenAIResponsesModel(openai as never, 'gpt-oss'),
      modelSettings: { store },
      tools: [applyPatchTool({ editor })],
    })
    const run = await new Runner({ tracingDisabled: true }).run(agent, 'Mend the greeting.', { stream: true })
    await run.completed
    expect(run.finalOutput).toBe('Done.')
    expect(applied).toMatchObject([
      { type: 'update_file', path: 'a.txt', diff: '@@\n-Helo\n+Hello' },
      { type: 'create_file', path: 'b.txt', diff: '+New' },
      { type: 'delete_file', path: 'c.txt' },
    ])
    const said = engine.calls
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool')
      .map(({ content }) => content)
    expect(said).toEqual(['wrote a.txt', 'wrote b.txt', 'The patch was not applied.\nNo such file'])
    expect(engine.calls[0]?.messages[1]?.content).toContain('type apply_patch = (_: string) => any;')
  },
)
