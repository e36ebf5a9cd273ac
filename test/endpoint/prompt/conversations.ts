import fc from 'fast-check'
import type { Content, Message, SystemContent, ToolNamespaceConfig } from 'openai-harmony'
import { CHANNELS } from '../../../src/core/harmony/vocabulary.js'
import type { BuiltinTool } from '../../../src/core/recipients/builtin-tools.js'
import { builtinNamespaces } from '../../../src/endpoint/prompt/builtin-namespaces.js'
import { developerText } from '../../../src/endpoint/prompt/developer-text.js'
import type { PromptMessage } from '../../../src/endpoint/prompt/prompt-message.js'
import { systemText } from '../../../src/endpoint/prompt/system-text.js'
import type { ToolNamespace } from '../../../src/endpoint/prompt/tool-namespace.js'
import { harmonyText, harmonyTextSpellingMarkers } from '../../support/arbitraries.js'
import { NEW_LETTERS } from '../../support/new-letters.js'
import { knownSchema, plainText, toolName } from './schema/known-schemas.js'

/*
 * Conversations as the official renderer takes them, beside the same ones as ours takes them.
 */

export interface Conversation {
  readonly official: Message[]
  readonly ours: PromptMessage[]
}

type Pair = { readonly official: Message; readonly ours: PromptMessage }

const text = (): fc.Arbitrary<string> =>
  fc.oneof(harmonyText(), harmonyTextSpellingMarkers(), fc.constantFrom('', ' ', '\n', '\ufeff', '\ud800'))

/** A word of a header: anything without white space, except what is our error. */
export const headerWord = (): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.constantFrom('functions.get_weather', 'python', 'browser.search', 'mcp.docs.find', 'assistant', 'all', '日本'),
      fc.constantFrom('<|channel|>', 'to=python', '"', ':', 'user:x', '{'),
      harmonyText().map((text) => text.replace(/[\s\u0085]/g, '')),
    )
    .filter((word) => word !== '')

const toolAuthor = (): fc.Arbitrary<string> =>
  headerWord().filter((word) => !/^(user|assistant|system|developer|tool)(:|$)/.test(word))

/** A message as both take it, from its parts. */
function pair(role: PromptMessage['role'], content: string, header: Omit<PromptMessage, 'role' | 'content'>): Pair {
  const { contentType, constrained, ...rest } = header
  const type = constrained ? `<|constrain|>${contentType ?? ''}` : contentType
  return {
    ours: { role, content, ...header },
    official: { role, content: content as never, ...rest, ...(type !== undefined && { content_type: type }) },
  }
}

const header = (): fc.Arbitrary<Omit<PromptMessage, 'role' | 'content'>> =>
  fc.record(
    {
      channel: fc.oneof(fc.constantFrom(...CHANNELS), headerWord()),
      recipient: headerWord(),
      contentType: fc.oneof(fc.constantFrom('json', 'code', 'text'), headerWord()),
      constrained: fc.boolean(),
    },
    { requiredKeys: [] },
  )

const plainMessage = (): fc.Arbitrary<Pair> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('user', 'assistant', 'system', 'developer'), text(), header(), fc.option(headerWord()))
      .map(([role, content, words, name]) => pair(role, content, name === null ? words : { ...words, name })),
    fc.tuple(text(), header(), toolAuthor()).map(([content, words, name]) => pair('tool', content, { ...words, name })),
  )

const description = (): fc.Arbitrary<string> => fc.array(plainText(), { maxLength: 3 }).map((lines) => lines.join('\n'))

const namespace = (): fc.Arbitrary<ToolNamespace> =>
  fc.record({
    name: fc.oneof(fc.constant('functions'), toolName()),
    description: fc.option(description()),
    tools: fc.array(fc.record({ name: toolName(), description: description(), parameters: fc.option(knownSchema()) }), {
      minLength: 1,
      maxLength: 3,
    }),
  })

/** The official renderer sorts them by name; ours keeps the caller's order. */
const namespaces = (): fc.Arbitrary<ToolNamespace[]> =>
  fc
    .uniqueArray(namespace(), { selector: ({ name }) => name, maxLength: 3 })
    .map((list) => list.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))))

const officialTools = (list: readonly ToolNamespace[]): Record<string, ToolNamespaceConfig> =>
  Object.fromEntries(list.map((namespace) => [namespace.name, namespace as ToolNamespaceConfig]))

const EFFORTS = { low: 'Low', medium: 'Medium', high: 'High' } as const

const system = (hasFunctions: boolean): fc.Arbitrary<Pair> =>
  fc
    .record({
      identity: fc.option(text(), { nil: undefined }),
      knowledgeCutoff: fc.option(plainText(), { nil: undefined }),
      date: fc.option(fc.constantFrom('2025-06-28', '2026-11-22'), { nil: undefined }),
      effort: fc.option(fc.constantFrom('low', 'medium', 'high'), { nil: undefined }),
      tools: fc.subarray<BuiltinTool>(['code_interpreter', 'web_search']),
    })
    .map(({ identity, knowledgeCutoff, date, effort, tools }) => {
      const builtins = builtinNamespaces(new Set(tools))
      const content: SystemContent = {
        model_identity: identity ?? 'You are ChatGPT, a large language model trained by OpenAI.',
        knowledge_cutoff: knowledgeCutoff ?? '2024-06',
        conversation_start_date: date ?? null,
        reasoning_effort: EFFORTS[effort ?? 'medium'],
        tools: officialTools(builtins),
        channel_config: { valid_channels: [...CHANNELS], channel_required: true },
      }
      const text = systemText({ identity, knowledgeCutoff, date, effort, builtins, hasFunctions })
      return withContent('system', { type: 'system_content', ...content }, text)
    })

/** Instructions and tools, of which there is one at least: without, ours has no message. */
const developer = (): fc.Arbitrary<{ pair: Pair; hasFunctions: boolean }> =>
  fc
    .record({ instructions: fc.option(text().filter((instructions) => instructions !== '')), list: namespaces() })
    .filter(({ instructions, list }) => instructions !== null || list.length > 0)
    .map(({ instructions, list }) => {
      const content: Content = { type: 'developer_content', instructions, tools: officialTools(list) }
      const text = developerText({ instructions, namespaces: list, formats: [] }) as string
      return {
        pair: withContent('developer', content, text),
        hasFunctions: list.some(({ name }) => name === 'functions'),
      }
    })

function withContent(role: 'system' | 'developer', content: Content, text: string): Pair {
  return { official: { role, content: [content] }, ours: { role, content: text } }
}

/** Any messages at all, after system and developer messages or without, in letters that both tokenizers know. */
export const conversation = (): fc.Arbitrary<Conversation> =>
  fc
    .option(developer())
    .chain((developer) => {
      const head = fc.option(system(developer?.hasFunctions ?? false))
      return fc.tuple(head, fc.constant(developer), fc.array(plainMessage(), { maxLength: 8 }))
    })
    .map(([system, developer, messages]) => {
      const pairs = [...(system === null ? [] : [system]), ...(developer === null ? [] : [developer.pair]), ...messages]
      return { official: pairs.map(({ official }) => official), ours: pairs.map(({ ours }) => ours) }
    })
    .filter(({ ours }) =>
      ours.every(({ content, name, recipient, channel, contentType }) =>
        [content, name, recipient, channel, contentType].every((text) => !NEW_LETTERS.test(text ?? '')),
      ),
    )
