import fc from 'fast-check'
import type { UnknownTool } from '../../../src/core/responses/request.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'

/** Common segments, so that generated recipients and declared tools match often. */
const segment = fc.constantFrom(
  ...['functions', 'mcp', 'python', 'browser', 'search', 'open', 'container', 'exec', 'code_interpreter'],
  ...['web_search_preview', 'github', 'git-hub', 'acme', 'bash', 'assistant', 'user', 'constructor', '__proto__'],
)

/** Dotted words: recipients, server labels, names of functions. */
export const word: fc.Arbitrary<string> = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('.'))

export const recipient: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 1, arbitrary: fc.string({ unit: codePoint }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('functions.', 'mcp.', '.', '..'), fc.string()).map((s) => s.join('')),
  },
)

export const channel: fc.Arbitrary<string | undefined> = fc.option(
  fc.oneof(fc.constantFrom('analysis', 'commentary', 'final', 'comment'), fc.string()),
  { nil: undefined },
)

const allowedTools = fc.oneof(
  fc.constantFrom(undefined, null, ['*'], {}, { read_only: true }),
  fc.array(word),
  fc.array(word).map((tool_names) => ({ tool_names })),
)

const tool: fc.Arbitrary<UnknownTool> = fc.oneof(
  fc.record({ type: fc.constant('function'), name: word }),
  fc.record({ type: fc.constant('custom'), name: word }),
  fc.record({
    type: fc.constant('mcp'),
    server_label: word,
    allowed_tools: allowedTools,
    require_approval: fc.constant('never'),
  }),
  fc.record({
    type: fc.constant('namespace'),
    name: word,
    tools: fc.array(fc.record({ type: fc.constantFrom('function', 'custom'), name: word }), { maxLength: 3 }),
  }),
  fc.record({ type: fc.constantFrom('code_interpreter', 'web_search', 'shell', 'local_shell', 'apply_patch') }),
)

export const tools: fc.Arbitrary<UnknownTool[]> = fc.array(tool, { maxLength: 6 })
