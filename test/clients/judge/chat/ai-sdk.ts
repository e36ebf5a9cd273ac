import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Replayer } from '../replay.js'
import { endingOf, replayAiSdk } from '../replay-ai-sdk.js'

/** `streamText` with a model of @ai-sdk/openai-compatible. */
export const aiSdkReplayer: Replayer = {
  client: 'ai-sdk',
  replay: (body) =>
    replayAiSdk(body, {
      model(fetch) {
        const options = { name: 'replayed', apiKey: 'none', baseURL: 'http://replayed.invalid/v1', fetch }
        return createOpenAICompatible(options).chatModel('gpt-oss-20b')
      },
      serverErrors: /^AI_StreamProviderError$/,
      // A refusal is also `content-filter`, although the answer completed.
      endingOf: (reason, raw) => (reason === 'content-filter' && raw === 'stop' ? 'completed' : endingOf(reason)),
      failed: 'open',
    }),
}
