import { shortened } from '../../../shared/shortened.js'
import { EngineError } from '../../contract/engine-error.js'
import type { OwnLlama } from './node-llama-cpp.js'

/**
 * What llama.cpp logs while a model loads. Its errors do not say why it failed: its log does.
 *
 * The log is one per process, that of the `Llama` created last. So of models that load at the same time, an error may lack
 * its reason, or have that of another.
 */
export interface HeldLog {
  /** Logs what was held, without repetitions and what exceeded the limits, and everything later at once. */
  release(): void
  /** Adds what was held to an engine's error; returns other errors as they are. */
  explained(error: unknown): unknown
}

/** The maximum number of different lines that are held. */
const MAX_LINES = 5
/** The maximum length of a held line, in characters: it may quote the file. */
const MAX_CHARACTERS = 300

export function holdLog(llama: OwnLlama): HeldLog {
  const { logger } = llama
  const held = new Map<string, string>()
  llama.logger = (level, message) => {
    if (held.size < MAX_LINES) held.set(shortened(message.trim(), MAX_CHARACTERS), level)
  }
  return {
    release() {
      llama.logger = logger
      for (const [message, level] of held) logger(level, message)
    },
    explained(error) {
      if (!(error instanceof EngineError) || held.size === 0) return error
      const { code, message, cause } = error
      return new EngineError(code, `${message} (${[...held.keys()].join('; ')})`, { cause })
    },
  }
}
