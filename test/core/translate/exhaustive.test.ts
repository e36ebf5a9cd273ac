import { readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { BUILTIN_TOOLS, builtinNamed } from '../../../src/core/recipients/builtin-tools.js'
import { programOf, syntaxOf } from '../../support/compiler.js'
import { describeSlow } from '../../support/slow-suites.js'

// CONTRIBUTING.md promises that the compiler names every file that needs a line for a new kind.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const roots = [
  'src/index.ts',
  'src/core/items/index.ts',
  'src/dialects/index.ts',
  'src/endpoint/prompt/index.ts',
  'src/endpoint/respond/calls/waiting-calls.ts',
  'src/endpoint/respond/insertable.ts',
  'src/endpoint/request/index.ts',
].map((file) => root + file)

/** Of the files, those in which the compiler finds an error after one file's text was edited. */
function filesToChange(file: string, before: string, after: string, files: readonly string[]): string[] {
  const text = readFileSync(root + file, 'utf8')
  expect(text).toContain(before)
  return [...new Set(diagnosticsWith(file, text.replace(before, after), files).map((each) => each.file))].sort()
}

/** What the compiler finds in the files if one file has another text. */
function diagnosticsWith(file: string, text: string, files: readonly string[]) {
  // Without the types of Node: none of these files needs them.
  const program = programOf(roots, { types: [] }, new Map([[root + file, text]]))
  const checked = files.flatMap((path) => program.getSourceFile(root + path) ?? [])
  return checked
    .flatMap((source) => [...program.getSemanticDiagnostics(source), ...program.getSyntacticDiagnostics(source)])
    .map(({ file, messageText }) => ({ file: relative(root, file?.fileName ?? ''), messageText }))
}

describeSlow('what the compiler demands of a change of the wire', () => {
  test('a new type of output item makes the compiler name its events, its kind, its wording in every dialect, who acts on it and who may insert it', () => {
    const added = '  image_call: { type: "image_call"; id: string; status: ItemStatus }\n'
    const anchor = 'export interface OutputItemByType extends BuiltinItems {\n'
    const named = [
      'src/core/items/kinds.ts',
      'src/core/responses/events.ts',
      'src/dialects/open-responses.ts',
      'src/dialects/vllm.ts',
      'src/endpoint/respond/calls/waiting-calls.ts',
      'src/endpoint/respond/insertable.ts',
    ]
    expect(filesToChange('src/core/responses/items.ts', anchor, anchor + added, named)).toEqual(named)
  })

  const EVENTS = 'src/core/responses/events.ts'
  const TABLE = 'src/core/completion/item-events.ts'
  const EMITTERS = readdirSync(`${root}src/core`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(completion|items|state|translate)\/.*\.ts$/.test(file))
    .map((file) => `src/core/${file}`)

  test('events of a new type of output item make the compiler ask for its row in the table of events', () => {
    const anchor = 'export interface ItemEventByType extends BuiltinEvents {\n'
    const added = "  local_shell_call: OfItemOnly<'local_shell_call.completed'>\n"
    expect(filesToChange(EVENTS, anchor, anchor + added, [TABLE, ...EMITTERS])).toContain(TABLE)
  })

  describe('a required field that an event gets', () => {
    const CALLS = [
      ...["'function_call_arguments.done', 'arguments'", "'mcp_call_arguments.done', 'arguments'"],
      ...["'custom_tool_call_input.done', 'input'", "'mcp_call.in_progress'"],
    ]
    const PARTS = [
      'OutputTextDoneEvent',
      'ContentPartAddedEvent',
      'ReasoningTextDoneEvent',
      'ReasoningSummaryPartDoneEvent',
    ]
    const fieldOf = (event: string): string => `added_${[...CALLS, ...PARTS].indexOf(event)}`
    /** The files of the errors that name a field: of all fields in one program, since each program takes half a second. */
    const named = new Map<string, string[]>()

    beforeAll(() => {
      let text = readFileSync(root + EVENTS, 'utf8')
      const plant = (event: string, anchor: RegExp): void => {
        expect(text.match(anchor), event).toHaveLength(1)
        text = text.replace(anchor, (found) => `${found} ${fieldOf(event)}: string; `)
      }
      for (const event of CALLS) plant(event, new RegExp(`OfItem(?:Text|Only)<${event}> \\{`, 'g'))
      for (const event of PARTS) plant(event, new RegExp(`export interface ${event} extends \\w+ \\{`, 'g'))
      for (const { file, messageText } of diagnosticsWith(EVENTS, text, EMITTERS)) {
        const [field = 'another'] = /\badded_\d+/.exec(ts.flattenDiagnosticMessageText(messageText, ' ')) ?? []
        named.set(field, [...(named.get(field) ?? []), file])
      }
    })

    test.each(CALLS)('a required field that %s gets is one error of the compiler, in the table of events', (event) => {
      expect(named.get(fieldOf(event))).toEqual([TABLE])
    })

    test.each(PARTS)(
      'a required field that %s gets is an error of the compiler in the table of events alone',
      (event) => {
        expect([...new Set(named.get(fieldOf(event)))]).toEqual([TABLE])
      },
    )

    test('a required field that an event gets is no error that does not name it', () => {
      expect(named.get('another')).toBeUndefined()
    })
  })

  test('a new kind of recipient without items makes the compiler name the router that would begin one', () => {
    const anchor = 'export type Recipient =\n'
    const named = ['src/core/translate/message-router.ts']
    const added = "  | { kind: 'image_call' }\n"
    expect(filesToChange('src/core/recipients/recipient.ts', anchor, anchor + added, named)).toEqual(named)
  })

  test('a new built-in tool makes the compiler ask for its descriptor, the kind of its item and how a request declares it', () => {
    const anchor = 'export interface BuiltinWires {'
    const wire =
      "{ tool: { type: 'image_generation' }; item: { type: 'image_generation_call'; id: string }; event: never; result: object }"
    const named = [
      'src/core/items/kinds.ts',
      'src/core/recipients/builtin-tools.ts',
      'src/endpoint/prompt/untaught-tools.ts',
      'src/endpoint/request/schemas/tools.ts',
    ]
    const planted = `${anchor} image_generation: ${wire} `
    expect(filesToChange('src/core/responses/builtins/wires.ts', anchor, planted, named)).toEqual(named)
  })

  test('the index of wire types exports every file beside it, without which their lines would be missing in the package', () => {
    const folder = `${root}src/core/responses/builtins/`
    const files = readdirSync(folder).filter((file) => file !== 'index.ts')
    const exported = readFileSync(`${folder}index.ts`, 'utf8')
    expect(files.filter((file) => !exported.includes(`from './${file.replace('.ts', '.js')}'`))).toEqual([])
  })

  test('a tool that the API has becomes a built-in tool by three files, four lines, and the rows that say nothing runs it', () => {
    const texts = new Map<string, string>()
    const read = (file: string): string => texts.get(root + file) ?? readFileSync(root + file, 'utf8')
    // Those of the local shell, under another name: which tool it is does not matter to the compiler.
    for (const [file, name] of [
      ['src/core/responses/builtins/', 'local-shell.ts'],
      ['src/core/recipients/builtins/', 'local-shell.ts'],
      ['src/core/items/kinds/', 'local-shell-call.ts'],
    ] as const) {
      const text = read(file + name)
        .replaceAll('local_shell', 'image_generation')
        .replaceAll('ocalShell', 'mageGeneration')
        .replaceAll('LmageGeneration', 'ImageGeneration')
        .replaceAll('lmageGeneration', 'imageGeneration')
        .replaceAll('lsh', 'ig')
      texts.set(root + file + name.replace('local-shell', 'image-generation'), text)
    }
    const lines: [file: string, before: string, after: string][] = [
      ['src/core/responses/builtins/index.ts', '', "export type * from './image-generation.js'\n"],
      [
        'src/core/recipients/builtins/index.ts',
        '',
        "export { imageGeneration as image_generation } from './image-generation.js'\n",
      ],
      [
        'src/core/items/kinds/index.ts',
        '',
        "export { imageGenerationCall as image_generation_call } from './image-generation-call.js'\n",
      ],
      [
        'src/endpoint/request/schemas/tools.ts',
        '  web_search: webSearchTool(',
        "image_generation: typed('image_generation', {}),\n",
      ],
    ]
    for (const [file, before, line] of lines) {
      expect(read(file)).toContain(before)
      const place = before.startsWith(' ') ? line + before : before + line
      texts.set(root + file, read(file).replace(before, place))
    }
    const rows = [
      ['src/endpoint/request/schemas/tools.ts', "  image_generation: echoed('image_generation'),\n"],
      ['src/endpoint/prompt/items/input-items.ts', '  image_generation_call: () => {},\n'],
      ['src/endpoint/prompt/untaught-tools.ts', '  image_generation: true,\n'],
      ['src/endpoint/respond/insertable.ts', '  image_generation_call: true,\n'],
    ] as const
    const errorsWith = (planted: ReadonlyMap<string, string>): string[] => {
      // The import of a row that goes is no matter here.
      const program = programOf(roots, { types: [], noUnusedLocals: false }, planted)
      const checked = [...lines, ...rows].map(([file]) => file).concat('src/core/items/kinds.ts')
      const paths = [...planted.keys(), ...checked.map((file) => root + file)]
      return paths.filter((path) => program.getSemanticDiagnostics(program.getSourceFile(path)).length > 0)
    }
    expect([...new Set(errorsWith(texts))].sort()).toEqual(rows.map(([file]) => root + file).sort())
    for (const [file, row] of rows) {
      expect(read(file)).toContain(row)
      texts.set(root + file, read(file).replace(row, ''))
    }
    expect(errorsWith(texts)).toEqual([])
  })

  /** The facts of the descriptors, by the types of the interface, each with the text of the line or the lines that state it. */
  function factsOf(path: string): Map<string, string> {
    const source = syntaxOf(path, readFileSync(path, 'utf8'))
    const facts = new Map<string, string>()
    const visit = (node: ts.Node): void => {
      const { parent } = node
      const isFact =
        ts.isObjectLiteralElementLike(node) && ts.isVariableDeclaration(parent.parent) && parent.parent.type
      if (isFact) facts.set(node.name?.getText() ?? '', node.getFullText())
      ts.forEachChild(node, visit)
    }
    const text = source.text
    ts.forEachChild(source, function statements(node) {
      if (!ts.isVariableStatement(node) || !text.slice(node.pos, node.end).includes(': Builtin<')) return
      visit(node)
    })
    return facts
  }

  test('a descriptor of a built-in tool that lacks a fact is refused by the compiler, whichever tool and whichever fact it is', () => {
    const folder = `${root}src/core/recipients/builtins/`
    const tools = readdirSync(folder).filter((file) => /: Builtin</.test(readFileSync(folder + file, 'utf8')))
    expect(tools.length).toBe(BUILTIN_TOOLS.length)
    const all = new Set<string>()
    const texts = tools.map((file) => {
      const facts = factsOf(folder + file)
      for (const fact of facts.keys()) all.add(fact)
      const before = readFileSync(folder + file, 'utf8')
      // A descriptor for each of its facts, each without that one.
      const declaration = /export const \w+: (Builtin<[\s\S]*?>) = \{/.exec(before)
      const planted = [...facts.keys()].map(
        (missing, index) =>
          `export const without${index}: ${declaration?.[1]} = {${[...facts].flatMap(([fact, text]) => (fact === missing ? [] : [text])).join(',')}}`,
      )
      return { path: folder + file, facts: [...facts.keys()], text: `${before}\n${planted.join('\n')}\n` }
    })
    const program = programOf(
      [`${root}src/core/recipients/builtins/index.ts`],
      { types: [] },
      new Map(texts.map(({ path, text }) => [path, text])),
    )
    for (const { path, facts } of texts) {
      const found = program.getSemanticDiagnostics(program.getSourceFile(path)).map(({ messageText }) => messageText)
      expect(found).toEqual(facts.map((fact) => expect.stringContaining(`'${fact}' is missing`)))
    }
    expect([...all].sort()).toEqual(Object.keys(builtinNamed('web_search')).sort())
  })
})
