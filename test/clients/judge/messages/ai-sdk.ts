import { createAnthropic } from '@ai-sdk/anthropic'
import type { ProviderMetadata, TextStreamPart, ToolSet } from 'ai'
import type { MessagesClient } from '../../../../src/judge/conformance/messages/clients/names.js'
import type { Replayer } from '../replay.js'
import { endingOf, replayAiSdk } from '../replay-ai-sdk.js'
import { pagesIn } from './citations.js'

/** `streamText` with a model of @ai-sdk/anthropic. */
export const aiSdkReplayer: Replayer<MessagesClient> = {
  client: 'ai-sdk',
  replay: (body) =>
    replayAiSdk(body, {
      model: (fetch) =>
        createAnthropic({ apiKey: 'none', baseURL: 'http://replayed.invalid/v1', fetch })('gpt-oss-20b'),
      maxOutputTokens: 4096,
      serverErrors: /^AI_(StreamProvider|APICall)Error$/,
      endingOf,
      failed: 'failed',
      pagesOf,
    }),
}

/**
 * The pages that an answer cites: its sources, unless a search has given those, of which the citations belong to the
 * texts.
 */
function pagesOf(parts: readonly TextStreamPart<ToolSet>[]): readonly string[] {
  const sources = parts.filter((part) => part.type === 'source')
  const isSearched = sources.some(({ providerMetadata }) => 'pageAge' in metadataOf(providerMetadata))
  if (!isSearched) return sources.flatMap((part) => (part.sourceType === 'url' && part.url !== '' ? [part.url] : []))
  return parts.flatMap((part) =>
    part.type === 'text-end' ? pagesIn(metadataOf(part.providerMetadata)['citations']) : [],
  )
}

const metadataOf = (metadata: ProviderMetadata | undefined): Record<string, unknown> => ({ ...metadata?.['anthropic'] })
