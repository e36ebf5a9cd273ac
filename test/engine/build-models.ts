import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { SPECIAL } from '../../src/core/harmony/vocabulary.js'
import { scripts } from './scripts.js'
import { writeTinyGptOss } from './tiny-gpt-oss/tiny-gpt-oss.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly models: Models
  }
}

/** The model files that play the scripts. */
export interface Models {
  /** Certain of every token, so that it writes the same at any temperature. */
  readonly sure: string
  /** Gives the scripted token a probability of about 0.85. At temperature 0 it writes the same. */
  readonly unsure: string
  /** Wants nothing but `<|end|>`, whatever comes. */
  readonly rebel: string
}

/** The confidence of `unsure`. */
export const UNSURE_SHARPNESS = 0.7

/** Before the first test file: writes the models. After the last one: removes them. */
export default async function buildModels(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tiny-gpt-oss-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true })
  const models: Models = {
    sure: join(folder, 'sure.gguf'),
    unsure: join(folder, 'unsure.gguf'),
    rebel: join(folder, 'rebel.gguf'),
  }
  try {
    writeTinyGptOss(models.sure, { scripts })
    writeTinyGptOss(models.unsure, { scripts, sharpness: UNSURE_SHARPNESS })
    writeTinyGptOss(models.rebel, { scripts: [], fallback: SPECIAL.end })
  } catch (error) {
    await remove()
    throw error
  }
  project.provide('models', models)
  return remove
}
