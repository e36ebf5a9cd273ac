import { aiSdkReplayer } from './ai-sdk.js'
import type { Replayer } from './replay.js'

/** The real clients that the judge is measured with. */
export const replayers: readonly Replayer[] = [aiSdkReplayer]
