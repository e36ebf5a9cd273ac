import fc from 'fast-check'
import { expect, test } from 'vitest'
import { urlCitations } from '../../../src/core/citations/index.js'
import { createHarmonyParser, parseMessages } from '../../../src/core/harmony/index.js'
import { createSseDecoder, sseStream, toSseResponse } from '../../../src/core/sse/index.js'
import {
  createChatEncoder,
  createChatSseEncoder,
  createMessageEncoder,
  fromChatRequest,
  fromMessagesRequest,
  toChatChunks,
  toChatCompletion,
  toMessage,
  toMessageEvents,
} from '../../../src/dialects/index.js'
import { promptMessages, renderMessages, renderPrompt, renderToolResult } from '../../../src/endpoint/prompt/index.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { compact, countInputTokens, respond, translateEntries } from '../../../src/endpoint/respond/index.js'
import { createSeal, unsealInput } from '../../../src/endpoint/seal/index.js'
import {
  createMemoryStore,
  createResponseService,
  createResponsesApp,
  sendEvents,
} from '../../../src/endpoint/server/index.js'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { createPostgresStore } from '../../../src/endpoint/stores/postgres/index.js'
import { createRedisStore } from '../../../src/endpoint/stores/redis/index.js'
import { createSqliteStore } from '../../../src/endpoint/stores/sqlite/index.js'
import {
  brave,
  createBrowserTool,
  createGuardedFetch,
  exa,
  searxng,
  tavily,
} from '../../../src/endpoint/tools/browser/index.js'
import { fileSearch } from '../../../src/endpoint/tools/file-search.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import { mcpTools } from '../../../src/endpoint/tools/mcp/index.js'
import { bubblewrap, createPythonTool, docker, podman } from '../../../src/endpoint/tools/python/index.js'
import { chatSource } from '../../../src/engines/sources/chat.js'
import { createLlamaCppEngine, llamaCppSource } from '../../../src/engines/sources/llama-cpp.js'
import { record } from '../../../src/engines/sources/record.js'
import { replay } from '../../../src/engines/sources/replay.js'
import { textSource } from '../../../src/engines/sources/text.js'
import { createTransformersJsEngine } from '../../../src/engines/sources/transformers-js.js'
import { loadTokenTable, Translator, translate, translateBatches } from '../../../src/index.js'
import {
  chunkPlan,
  editedTranscript,
  faultyStream,
  headerSoup,
  malformedTranscript,
  sourcePlan,
  wellFormedTranscript,
} from '../../../src/judge/conformance/arbitraries/index.js'
import {
  checkEvents,
  checkSource,
  createCaptureChecker,
  createChecker,
  createStreamReader,
  reportOn,
} from '../../../src/judge/conformance/index.js'
import { probe } from '../../../src/judge/probe/index.js'
import { checkStore, findFaults, playOnServer, scriptedEngine } from '../../../src/testing/index.js'
import { exportedOptions } from '../../support/exported-options.js'

const tokenTable = await loadTokenTable()
const engine = scriptedEngine([])
const seal = createSeal([{ id: 'k1', key: new Uint8Array(32) }])
const forResponse = { caller: 'alice', nonce: 'a nonce of 16 characters' }
const url = 'http://localhost:8000'
const date = '2026-01-31'
const out = {} as never
const request = { model: 'gpt-oss', input: 'Hi' }
const plan = { tokens: [], cuts: [1], ending: 'stop', reader: { does: 'reads on' } } as const

/** Calls each function with valid options and these. */
const CALLS: Readonly<Record<string, (more: object) => unknown>> = {
  '. Translator options': (more) => new Translator({ ...more }),
  '. translate options': (more) => translate([], { ...more }),
  '. translateBatches options': (more) => translateBatches([], { ...more }),
  './harmony createHarmonyParser options': (more) => createHarmonyParser({ ...more }, () => {}),
  './harmony parseMessages options': (more) => parseMessages('', { ...more }),
  './citations urlCitations options': (more) => urlCitations({ ...more }),
  './prompt promptMessages options': (more) => promptMessages(request, { date, ...more }),
  './prompt renderPrompt options': (more) => renderPrompt(request, { tokenTable, date, ...more }),
  './prompt renderToolResult options': (more) =>
    renderToolResult({ type: 'function_call', name: 'f' } as never, { output: '' }, { tokenTable, ...more }),
  './request parseRequest options': (more) => parseRequest(request, { ...more }),
  './seal unsealInput options': (more) => unsealInput([], { seal, caller: 'alice', ...more }),
  './respond compact options': (more) =>
    compact(request, { engine, tokenTable, date, itemId: 'cmp_1', sealCompaction: () => '', ...more }),
  './respond countInputTokens options': (more) => countInputTokens(request, { engine, tokenTable, ...more }),
  './respond respond options': (more) => respond(request, { engine, tokenTable, ...more }),
  './respond translateEntries options': (more) => translateEntries({ tokenTable, ...more }),
  './stores createMemoryStore options': (more) => createMemoryStore({ ...more }),
  './server createResponsesApp options': (more) => createResponsesApp({ engine, tokenTable, ...more }),
  './server sendEvents options': (more) => sendEvents(out, [], { ...more }),
  './server createResponseService options': (more) => createResponseService({ engine, tokenTable, ...more }),
  './server/node serveResponses options': (more) => serveResponses({ engine, tokenTable, ...more }),
  './sse sseStream options': (more) => sseStream([], { ...more }),
  './sse toSseResponse init': (more) => toSseResponse([], { ...more }),
  './dialects fromChatRequest options': (more) => fromChatRequest({}, { ...more }),
  './dialects fromMessagesRequest options': (more) => fromMessagesRequest({}, { ...more }),
  './dialects createChatSseEncoder options': (more) => createChatSseEncoder({ ...more }),
  './dialects createChatEncoder options': (more) => createChatEncoder({ ...more }),
  './dialects toChatChunks options': (more) => toChatChunks([], { ...more }),
  './dialects toChatCompletion options': (more) => toChatCompletion({} as never, { ...more }),
  './dialects createMessageEncoder options': (more) => createMessageEncoder({ ...more }),
  './dialects toMessageEvents options': (more) => toMessageEvents([], { ...more }),
  './dialects toMessage options': (more) => toMessage({} as never, { ...more }),
  './conformance checkEvents options': (more) => checkEvents([], { ...more }),
  './conformance createChecker options': (more) => createChecker({ ...more }),
  './conformance createCaptureChecker options': (more) => createCaptureChecker({ ...more }),
  './conformance checkSource options': (more) => checkSource(() => expect.unreachable(), plan, { ...more }),
  './conformance createStreamReader options': (more) => createStreamReader({ ...more }),
  './conformance reportOn options': (more) => reportOn([], { ...more }),
  './conformance/arbitraries chunkPlan options': (more) => chunkPlan({ ...more }),
  './conformance/arbitraries editedTranscript options': (more) => editedTranscript({ tokenTable, ...more }),
  './conformance/arbitraries faultyStream options': (more) => faultyStream([], { ...more }),
  './conformance/arbitraries headerSoup options': (more) => headerSoup({ tokenTable, ...more }),
  './conformance/arbitraries malformedTranscript options': (more) => malformedTranscript({ ...more }),
  './conformance/arbitraries sourcePlan options': (more) => sourcePlan({ ...more }),
  './conformance/arbitraries wellFormedTranscript options': (more) => wellFormedTranscript({ ...more }),
  './stores/sqlite createSqliteStore options': (more) => createSqliteStore({ file: 'none.db', ...more }),
  './stores/postgres createPostgresStore options': (more) => createPostgresStore({ url: 'postgres://none', ...more }),
  './stores/redis createRedisStore options': (more) => createRedisStore({ url: 'redis://none', ...more }),
  './testing checkStore options': (more) => checkStore(() => expect.unreachable(), { ...more }),
  './testing findFaults options': (more) =>
    findFaults({ transcripts: fc.anything() as never, play: () => expect.unreachable(), ...more }),
  './testing playOnServer options': (more) => playOnServer(url, { ...more }),
  './testing scriptedEngine options': (more) => scriptedEngine([], { ...more }),
  './sources/llama-cpp llamaCppSource options': (more) => llamaCppSource({ evaluate() {} } as never, [1], { ...more }),
  './sources/llama-cpp createLlamaCppEngine options': (more) => createLlamaCppEngine({ modelPath: 'a.gguf', ...more }),
  './sources/chat chatSource options': (more) => chatSource([], { ...more }),
  './sources/transformers-js createTransformersJsEngine options': (more) =>
    createTransformersJsEngine({ model: { async generate() {} }, Tensor: class {}, ...more } as never),
  './sources/text textSource options': (more) => textSource([], { ...more }),
  './sources/replay replay options': (more) => replay({ version: 1, name: 'a', tokens: [] }, { ...more }),
  './sources/record record about': (more) => record([], () => {}, { name: 'a', ...more }),
  './tools/browser brave options': (more) => brave({ apiKey: 'key', ...more }),
  './tools/browser createBrowserTool options': (more) => createBrowserTool({ backend: () => [], fetch, ...more }),
  './tools/browser createGuardedFetch options': (more) => createGuardedFetch({ ...more }),
  './tools/browser exa options': (more) => exa({ apiKey: 'key', ...more }),
  './tools/browser searxng options': (more) => searxng({ url, ...more }),
  './tools/browser tavily options': (more) => tavily({ apiKey: 'key', ...more }),
  './tools/file-search fileSearch options': (more) => fileSearch(() => [], { ...more }),
  './tools/mcp mcpTools options': (more) => mcpTools({ servers: {}, ...more }),
  './tools/python bubblewrap options': (more) => bubblewrap({ ...more }),
  './tools/python createPythonTool options': (more) => createPythonTool({ boundary: bubblewrap(), ...more }),
}

/** Those of no optional property, of methods, of records, and of what the command line alone uses. */
const OTHERS: Readonly<Record<string, (more: object) => unknown>> = {
  renderMessages: (more) => renderMessages([], { tokenTable, ...more }),
  createSeal: (more) => createSeal([{ id: 'k1', key: new Uint8Array(32), ...more }]),
  createSseDecoder: (more) => createSseDecoder({ onEvent() {}, ...more }),
  'seal.forResponse': (more) => seal.forResponse({ ...forResponse, ...more }),
  'seal.unseal': (more) => seal.unseal('', { caller: 'alice', ...more }),
  'engine.generate': (more) => engine.generate([1], { ...more }),
  functionTools: (more) => functionTools('a', { f: { parameters: { type: 'object' }, run: () => '', ...more } }),
  docker: (more) => docker({ image: 'python', ...more }),
  podman: (more) => podman({ image: 'python', ...more }),
  'translator.beginTurn': (more) => new Translator().beginTurn({ ...more }),
  probe: (more) => probe({ url, ...more }),
}

/** Functions that are not checked, with the reason. */
const UNCHECKED: Readonly<Record<string, string>> = {
  '. HarmonyResponsesError options': 'an error that is thrown while another is made would hide it',
  './request RequestError about': 'an error that is thrown while another is made would hide it',
  './stores StoreConflict options': 'an error that is thrown while another is made would hide it',
  './engine EngineError options': 'an error that is thrown while another is made would hide it',
  './tools/browser ToolError options': 'an error that is thrown while another is made would hide it',
  './diagnostics explainDiagnostic diagnostic': 'what the library made',
  './items hostItem item': 'an item of the API, which its own schema checks',
  './prompt renderToolResult item': 'an item of the API, as it was streamed',
  './prompt renderToolResult result': 'a result, whose fields its kind decides',
  './respond compact request': 'a request, whose unknown fields the service ignores or refuses',
  './respond countInputTokens request': 'a request, whose unknown fields the service ignores or refuses',
  './respond respond request': 'a request, whose unknown fields the service ignores or refuses',
  './engine toGenerateOptions request': 'a request, whose unknown fields the service ignores or refuses',
  './server sendEvents out': 'a response of Node',
  './tokens createDetokenizer table': 'what loadTokenTable gives',
  './tokens createEncoder tokenTable': 'what loadTokenTable gives',
  './conformance/arbitraries encodeText tokenTable': 'what loadTokenTable gives',
  './dialects toChatCompletion response': 'a response of the API',
  './dialects toMessage response': 'a response of the API',
  './dialects toDialectResponse response': 'a response of the API',
  './sources/replay replay fixture': 'a fixture, which parseTokenFixture reads',
  './testing fail error': 'an error',
}

/** How a call was refused. */
async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  return 'nothing'
}

/** For a name that is too short to be recognised, all names are listed. */
const suggestion = (option: string): string => `(did you mean|; it has .*) ?\\b${option}\\b`

const exported = exportedOptions()

/** The engines that ask a server, whose only required option is its address. */
const SERVERS = new Map(
  exported.flatMap(({ name }): [string, (more: object) => unknown][] => {
    const [, source, create = ''] = /^\.\/sources\/(\S+) (create\w+Engine) options$/.exec(name) ?? []
    if (source === undefined || Object.hasOwn(CALLS, name)) return []
    return [
      [name, async (more) => (await import(`../../../src/engines/sources/${source}.ts`))[create]({ url, ...more })],
    ]
  }),
)
const checked = exported.filter(({ name }) => !Object.hasOwn(UNCHECKED, name))

test('each exported function that takes options is called here, or it is said why they are not checked', () => {
  expect(exported.map(({ name }) => name).toSorted()).toEqual([
    ...[...Object.keys(CALLS), ...SERVERS.keys(), ...Object.keys(UNCHECKED)].toSorted(),
  ])
})

test.each(checked)('$name: each option that is misspelled is refused, and the right one is named', async (found) => {
  for (const option of found.options) {
    const planted = `${option}x`
    const error = await refusal(() => (CALLS[found.name] ?? SERVERS.get(found.name))?.({ [planted]: 1 }))
    expect(error).toMatchObject({ name: 'HarmonyResponsesError', code: 'bad_option' })
    const { message } = error as Error
    expect(message).toContain(`"${planted}"`)
    expect(message).toMatch(new RegExp(suggestion(option)))
  }
})

test.each(Object.keys(OTHERS))('%s: an unknown option is refused', async (name) => {
  const error = await refusal(() => OTHERS[name]?.({ banana: 1 }))
  expect(error).toMatchObject({ name: 'HarmonyResponsesError', code: 'bad_option' })
  expect((error as Error).message).toContain('banana')
})
