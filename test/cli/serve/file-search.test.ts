import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { readFolderFiles } from '../../../src/cli/serve/file-search/folder-files.js'
import { openFolders } from '../../../src/cli/serve/file-search/open-folders.js'
import { urlCitations } from '../../../src/core/citations/url-citations.js'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../../src/index.js'
import { answer, call, scriptedEngine } from '../../../src/testing/index.js'
import { refusal, serve } from '../served.js'

/** Writes files by their paths, and returns their folder, which is deleted after the test. */
async function folderOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'file-search-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
  return root
}

const OTTERS = '---\nyear: 2026\ntopic: "sea"\n---\n# Otters\n\nOtters hold hands while they sleep.\n'
const ANIMALS = {
  'sea/otters.md': OTTERS,
  'seals.txt': 'Seals sing under the ice.',
  'owls.markdown': '---\nyear: 2020\n---\nOwls sleep by day.',
  'logo.png': 'PNG',
  'latin.txt': new Uint8Array([0x66, 0xe9]),
  '.git/notes.md': 'Otters that are hidden.',
}
const SEARCH = [
  { call: 'file_search.search', arguments: { queries: ['Do otters sleep?'] } },
  { answer: 'They hold hands.' },
]
const tool = (more: object = {}): OpenAI.Responses.FileSearchTool => ({
  type: 'file_search',
  vector_store_ids: ['vs_animals'],
  ...more,
})
const REQUEST = { model: 'gpt-oss', input: 'Do otters sleep?', include: ['file_search_call.results' as const] }

/** What a request for this tool finds. */
async function foundBy(client: OpenAI, tools: OpenAI.Responses.FileSearchTool[]) {
  const { output } = await client.responses.create({ ...REQUEST, tools })
  const item = output.find(({ type }) => type === 'file_search_call')
  return item?.type === 'file_search_call' ? item : undefined
}

const served = (folder: string, ...more: string[]) =>
  serve(['--script', 'turns.json', '--file-search', `${folder}=vs_animals`, ...more], {
    readFile: async () => JSON.stringify(SEARCH),
  })

test('--file-search searches the text files of a folder, and serve prints a summary of its index', async () => {
  const { client, io } = await served(await folderOf(ANIMALS))
  expect(io.out.replace(/\s+/g, ' ')).toMatch(
    /file_search: vs_animals has 3 files of \S+, 3 passages; left out 2 other files/,
  )
  const item = await foundBy(client, [tool()])
  expect(item).toMatchObject({ status: 'completed', queries: ['Do otters sleep?'] })
  const [first, second, ...others] = item?.results ?? []
  expect(first).toEqual({
    file_id: expect.stringMatching(/^file-[\da-f]{24}$/),
    filename: 'sea/otters.md',
    text: '# Otters\n\nOtters hold hands while they sleep.',
    attributes: { year: 2026, topic: 'sea' },
    score: expect.any(Number),
  })
  expect(second?.filename).toBe('owls.markdown')
  expect(others).toEqual([])
  expect(first?.score).toBeGreaterThan(second?.score ?? 1)
  expect(first?.score).toBeLessThanOrEqual(1)
})

test('a request filters the files of --file-search by the attributes in their front matter, and limits the results', async () => {
  const { client } = await served(await folderOf(ANIMALS))
  const names = async (more: object) => (await foundBy(client, [tool(more)]))?.results?.map(({ filename }) => filename)
  expect(await names({ filters: { type: 'lt', key: 'year', value: 2026 } })).toEqual(['owls.markdown'])
  expect(
    await names({
      filters: {
        type: 'and',
        filters: [
          { type: 'eq', key: 'topic', value: 'sea' },
          { type: 'gte', key: 'year', value: 2026 },
        ],
      },
    }),
  ).toEqual(['sea/otters.md'])
  expect(await names({ filters: { type: 'in', key: 'topic', value: ['land'] } })).toEqual([])
  expect(await names({ max_num_results: 1 })).toEqual(['sea/otters.md'])
  expect(await names({ ranking_options: { score_threshold: 0.99 } })).toEqual([])
})

test('a vector store that no --file-search has fails the search, and the log says which there are', async () => {
  const { client, io } = await served(await folderOf(ANIMALS))
  const item = await foundBy(client, [tool({ vector_store_ids: ['vs_other'] })])
  expect(item).toMatchObject({ status: 'failed', results: null })
  expect(io.err).toContain('file_search: expected vector stores of --file-search, which are vs_animals; got "vs_other"')
})

test('--offer file_search gives every response the search of all folders', async () => {
  const { client } = await served(await folderOf(ANIMALS), '--offer', 'file_search')
  expect((await foundBy(client, []))?.results?.map(({ filename }) => filename)).toEqual([
    'sea/otters.md',
    'owls.markdown',
  ])
})

test("the model's citation of a folder's file is a file_citation, in a stream of the real SDK too", async () => {
  const folders = await openFolders([{ folder: await folderOf(ANIMALS), storeId: 'vs_animals' }])
  const engine = scriptedEngine(({ messages }) => {
    const [mark] = messages.findLast(({ role }) => role === 'tool')?.content.match(/【[^】]*】/) ?? []
    return mark === undefined ? call('file_search.search', { queries: ['otters'] }) : answer(`They hold hands${mark}.`)
  })
  const server = await serveResponses({
    ...{ engine, tokenTable: await loadTokenTable(), port: 0, tools: folders === undefined ? [] : [folders.tool] },
    response: { citations: urlCitations() },
  })
  onTestFinished(() => server.close({ graceMs: 0 }))
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const stream = client.responses.stream({ ...REQUEST, tools: [tool()] })
  const response = await stream.finalResponse()
  const { results } = response.output[0] as OpenAI.Responses.ResponseFileSearchToolCall
  const { file_id, filename } = results?.[0] ?? {}
  expect(filename).toBe('sea/otters.md')
  expect(response.output_text).toBe('They hold hands.')
  expect(response.output.at(-1)).toMatchObject({
    content: [{ annotations: [{ type: 'file_citation', file_id, filename, index: 15 }] }],
  })
})

test('a folder has the same file ids after a restart, and others as another vector store', async () => {
  const folder = await folderOf(ANIMALS)
  const idOf = async (storeId: string) => {
    const { client } = await serve(['--script', 'turns.json', '--file-search', `${folder}=${storeId}`], {
      readFile: async () => JSON.stringify(SEARCH),
    })
    return (await foundBy(client, [tool({ vector_store_ids: [storeId] })]))?.results?.[0]?.file_id
  }
  const first = await idOf('vs_animals')
  expect(await idOf('vs_animals')).toBe(first)
  expect(await idOf('vs_others')).not.toBe(first)
})

test('a symbolic link out of a folder is refused, and one within it is left out', async () => {
  const folder = await folderOf({ 'a.md': 'Otters.', 'b/c.md': 'Seals.' })
  await symlink(join(folder, 'b'), join(folder, 'again'))
  const open = (): ReturnType<typeof openFolders> => openFolders([{ folder, storeId: 'vs_a' }])
  expect((await open())?.about).toEqual([
    `file_search: vs_a has 2 files of ${folder}, 2 passages; left out 1 other file`,
  ])
  const secret = await folderOf({ 'secret.md': 'A secret.' })
  await symlink(join(secret, 'secret.md'), join(folder, 'notes.md'))
  expect(await refusal(['--replay', '--file-search', folder])).toEqual([
    2,
    `--file-search ${folder}: notes.md is a symbolic link out of the folder`,
  ])
  await rm(join(folder, 'notes.md'))
  await symlink(secret, join(folder, 'b', 'more'))
  expect((await refusal(['--replay', '--file-search', folder]))[1]).toContain('b/more is a symbolic link out of')
})

test.each([
  [{ entries: 6 }, 'expected at most 6 entries'],
  [{ 'text files': 3 }, 'expected at most 3 text files'],
  [{ 'bytes of text': 120 }, 'expected at most 120 bytes of text'],
])('a folder that exceeds the limits %j is refused', async (less, said) => {
  const folder = await folderOf(ANIMALS)
  const limits = { entries: 7, 'text files': 4, 'bytes of text': 200 }
  expect((await readFolderFiles(folder, limits)).files).toHaveLength(3)
  await expect(readFolderFiles(folder, { ...limits, ...less })).rejects.toThrow(`--file-search ${folder}: ${said}`)
})

test.each([
  [['/no/such/folder'], 'cannot read /no/such/folder: no such file or directory'],
  [['package.json'], 'cannot read package.json: not a directory'],
  [[''], '--file-search: expected DIR[=ID], got an empty text'],
  [['=vs_a'], '--file-search: expected DIR, got an empty text'],
  [['docs=a b'], '--file-search: expected DIR=ID with an ID such as vs_docs, got "docs=a b"'],
  [['docs', './docs/'], '--file-search: expected each ID once, got vs_docs again'],
  [
    ['fixtures/../src/core/sse'],
    '--file-search fixtures/../src/core/sse: expected .md, .markdown or .txt files in UTF-8',
  ],
])('a folder of --file-search that is none is one line of serve: %j', async (folders, said) => {
  const options = folders.flatMap((folder) => ['--file-search', folder])
  expect(await refusal(['--replay', ...options])).toEqual([2, said])
})

test('--offer file_search without a folder says how to give one', async () => {
  expect(await refusal(['--replay', '--offer', 'file_search'])).toEqual([
    2,
    '--offer file_search: serve does not run file_search itself without --file-search DIR: name an MCP server that does, --offer file_search=COMMAND or --offer file_search=URL',
  ])
})
