import type { TokenEngine } from '../../../engines/contract/index.js'
import { RequestError } from '../../../shared/request-error.js'
import type { ServiceOptions } from './options.js'

/** The served models and their engines. */
export interface ServedModels {
  /** The listed names. The first is the model of a request that names none. */
  readonly models: readonly string[]
  /** Whether a request may name this model. */
  serves(model: string): boolean
  /** Returns the engine of a model. @throws RequestError if it is not served */
  engineOf(model: string): TokenEngine
}

export function servedModels(options: Pick<ServiceOptions, 'engine' | 'models' | 'otherModels'>): ServedModels {
  const { engine, models = ['gpt-oss'] } = options
  // A host that lists its models wants errors for wrong names; one that lists none has one model, under any name.
  const { otherModels = options.models === undefined ? 'any' : 'refuse' } = options

  function find(model: string): TokenEngine | undefined {
    if (otherModels !== 'any' && !models.includes(model)) return undefined
    return typeof engine === 'function' ? engine(model) : engine
  }

  return {
    models,
    serves: (model) => find(model) !== undefined,
    engineOf(model) {
      const found = find(model)
      if (found !== undefined) return found
      const message = `The model '${model.slice(0, 80)}' does not exist or you do not have access to it.`
      throw new RequestError(message, { status: 404, code: 'model_not_found' })
    },
  }
}
