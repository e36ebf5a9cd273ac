import { createAnthropic } from '@ai-sdk/anthropic'
import type { MessagesClient } from '../../../../src/judge/conformance/messages/clients/names.js'
import type { Replayer } from '../replay.js'
import { endingOf, replayAiSdk } from '../replay-ai-sdk.js'

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
    }),
}
