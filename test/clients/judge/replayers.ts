import { codexReplayer } from './codex.js'
import { langchainReplayer } from './langchain.js'
import type { Replayer } from './replay.js'

/** The real clients that the judge is measured with. */
export const replayers: readonly Replayer[] = [langchainReplayer(), codexReplayer()]
